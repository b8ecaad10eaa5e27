//! Histograms of value cells: for each bin of some columns, the weight and count of a node's rows and the sums of their
//! targets, all in fixed point.

use super::BinnedRows;
use super::class_histogram::Column;

/// Rows whose words are brought together.
const BLOCK: usize = 256;

/// The targets of all rows in fixed point.
#[derive(Debug, Clone, Copy)]
pub struct ValueRows<'a> {
    /// The targets, n×p.
    pub values: &'a [i64],
    /// Weight and count of each row, the weight above the count.
    pub words: &'a [u64],
    /// Low bits of a word that count.
    pub count_bits: u32,
    /// Number of targets, p.
    pub outputs: usize,
}

impl ValueRows<'_> {
    /// What a row adds to a word of its cell.
    pub fn word(&self, row: usize, word: usize) -> u64 {
        let own = self.words[row];
        match word.checked_sub(1) {
            None => own,
            Some(output) => ((own >> self.count_bits) as i64 * self.values[row * self.outputs + output]) as u64,
        }
    }

    /// Adds a row to a cell of 1 + p words: weight and count, then weight × target.
    #[inline(always)]
    pub fn add(&self, row: usize, cell: &mut [u64]) {
        let word = self.words[row];
        let weight = (word >> self.count_bits) as i64;
        cell[0] = cell[0].wrapping_add(word);
        let values = &self.values[row * self.outputs..(row + 1) * self.outputs];
        for (sum, value) in cell[1..].iter_mut().zip(values) {
            *sum = sum.wrapping_add((weight * value) as u64);
        }
    }
}

/// Adds the rows to the cells of their codes, 1 + p words a cell. About 1.5 ns a row and column for one target.
pub fn value_histogram(
    matrix: BinnedRows<'_>,
    columns: &[Column],
    target: ValueRows<'_>,
    rows: &[u32],
    cells: &mut [u64],
) {
    let width = 1 + target.outputs;
    let mut gathered = vec![0; BLOCK * width];
    for rows in rows.chunks(BLOCK) {
        gathered.fill(0);
        for (&row, words) in rows.iter().zip(gathered.chunks_exact_mut(width)) {
            target.add(row as usize, words);
        }
        for column in columns {
            let (first, column) = (column.first as usize, column.column as usize);
            for (&row, words) in rows.iter().zip(gathered.chunks_exact(width)) {
                let code = matrix.bins[row as usize * matrix.stride + column];
                let cell = &mut cells[(first + code as usize) * width..][..width];
                cell.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(*word));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_rows_one_by_one() {
        let (rows, stride, outputs) = (700, 8, 2);
        let bins: Vec<u8> = (0..rows * stride).map(|at| (at * 13 % 97) as u8).collect();
        let values: Vec<i64> = (0..(rows * outputs) as i64).map(|at| (at * 7919) % 1001 - 500).collect();
        let words: Vec<u64> = (0..rows as u64).map(|row| (row % 3 + 1) << 10 | 1).collect();
        let target = ValueRows { values: &values, words: &words, count_bits: 10, outputs };
        let chosen: Vec<u32> = (0..rows as u32).filter(|row| row % 3 != 1).collect();
        let columns = [Column { column: 1, first: 0 }, Column { column: 4, first: 100 }];
        let mut cells = vec![0; 200 * 3];
        value_histogram(BinnedRows { bins: &bins, stride, columns: &[] }, &columns, target, &chosen, &mut cells);
        let mut want = vec![0; cells.len()];
        for &row in &chosen {
            for column in columns {
                let code = bins[row as usize * stride + column.column as usize];
                target.add(row as usize, &mut want[(column.first as usize + code as usize) * 3..][..3]);
            }
        }
        assert_eq!(cells, want);
        let counted: u64 = cells.chunks(3).take(100).map(|cell| cell[0] & 1023).sum();
        assert_eq!(counted, chosen.len() as u64);
    }
}
