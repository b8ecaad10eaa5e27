//! Histograms of class cells: for each bin of some columns and each class, the weight and count of a node's rows.
//!
//! A row is one u64, its weight above its count of one, and adds to the word of its class: weights are in fixed point,
//! so that no order and no cut changes a bit. The caller leaves room for the sums.

use super::BinnedRows;

/// Rows whose classes and words are brought together; a short loop, so that many cache misses are under way at once.
const BLOCK: usize = 256;
/// Words of the cells of all codes for two classes.
const PAIRS: usize = 2 * 256;

/// A column to count, and the cell of its first code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The column of the binned rows.
    pub column: u32,
    /// Its first cell.
    pub first: u32,
}

/// The classes of all rows, and the word that each adds.
#[derive(Debug, Clone, Copy)]
pub struct ClassRows<'a> {
    /// The class of each row, below `classes`.
    pub codes: &'a [u32],
    /// What it adds to its class.
    pub words: &'a [u64],
    /// Number of classes, k: words of a cell.
    pub classes: usize,
}

/// Adds the rows to the cells of their codes, k words a cell. About 1 ns a row and column.
pub fn class_histogram(
    matrix: BinnedRows<'_>,
    columns: &[Column],
    target: ClassRows<'_>,
    rows: &[u32],
    cells: &mut [u64],
) {
    let (mut starts, mut classes, mut words) = ([0_usize; BLOCK], [0_u32; BLOCK], [0_u64; BLOCK]);
    for rows in rows.chunks(BLOCK) {
        let gathered = starts.iter_mut().zip(&mut classes).zip(&mut words);
        for (&row, ((start, class), word)) in rows.iter().zip(gathered) {
            *start = row as usize * matrix.stride;
            *class = target.codes[row as usize];
            *word = target.words[row as usize];
        }
        let block = Block { starts: &starts[..rows.len()], classes: &classes, words: &words };
        for column in columns {
            let first = column.first as usize * target.classes;
            let bins = &matrix.bins[column.column as usize..];
            match target.classes {
                2 => match cells[first..].first_chunk_mut::<PAIRS>() {
                    Some(pairs) => block.count_pairs(bins, pairs),
                    None => block.count(bins, 2, &mut cells[first..]),
                },
                classes => block.count(bins, classes, &mut cells[first..]),
            }
        }
    }
}

/// The rows of a block: where their codes begin, their classes and words.
struct Block<'a> {
    starts: &'a [usize],
    classes: &'a [u32],
    words: &'a [u64],
}

impl Block<'_> {
    /// Counts the block in one column; the cells are those of the column.
    #[inline(always)]
    fn count(&self, bins: &[u8], classes: usize, cells: &mut [u64]) {
        for ((&start, &class), &word) in self.starts.iter().zip(self.classes).zip(self.words) {
            let cell = &mut cells[bins[start] as usize * classes + class as usize];
            *cell = cell.wrapping_add(word);
        }
    }

    /// The same for two classes and cells for every code, which needs no checks.
    #[inline(always)]
    fn count_pairs(&self, bins: &[u8], cells: &mut [u64; PAIRS]) {
        for ((&start, &class), &word) in self.starts.iter().zip(self.classes).zip(self.words) {
            let cell = &mut cells[(bins[start] as usize) << 1 | (class & 1) as usize];
            *cell = cell.wrapping_add(word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_counted_once_in_each_column() {
        let (rows, stride, classes) = (1500, 8, 3);
        let bins: Vec<u8> = (0..rows * stride).map(|at| (at * 31 % 251) as u8).collect();
        let codes: Vec<u32> = (0..rows as u32).map(|row| row * 7 % 3).collect();
        let words: Vec<u64> = (0..rows as u64).map(|row| (row % 5) << 20 | 1).collect();
        let columns = [0, 2, 3, 5, 6, 7].map(|column| Column { column, first: column * 256 });
        for count in 0..=columns.len() {
            let chosen: Vec<u32> = (0..rows as u32).filter(|row| row % 4 != 1).collect();
            let mut cells = vec![0; 8 * 256 * classes];
            let target = ClassRows { codes: &codes, words: &words, classes };
            class_histogram(
                BinnedRows { bins: &bins, stride, columns: &[] },
                &columns[..count],
                target,
                &chosen,
                &mut cells,
            );
            let mut want = vec![0; cells.len()];
            for &row in &chosen {
                for column in &columns[..count] {
                    let code = bins[row as usize * stride + column.column as usize];
                    want[(column.first as usize + code as usize) * classes + codes[row as usize] as usize] +=
                        words[row as usize];
                }
            }
            assert_eq!(cells, want, "{count} columns");
        }
    }
}
