//! Histograms of target cells: for each bin of some columns, what a node's rows add up to.
//!
//! A class cell has a word for each class, with weight and count of its rows; a value cell one with weight and count,
//! and one for the sum of each number. All are in fixed point, so that no order and no cut changes a bit; the caller
//! leaves room for the sums.

use crate::cpu::tree::BinnedRows;

/// Rows whose words are brought together; a short loop, so that many cache misses are under way at once.
const BLOCK: usize = 256;
/// Words of the cells of all codes for two classes.
const PAIRS: usize = 2 * 256;

/// A column to count, and the cell of its first code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedColumn {
    /// The column of the binned rows.
    pub column: u32,
    /// Its first cell.
    pub first: u32,
}

/// Targets of all rows in fixed point, for one tree.
#[derive(Debug, Clone, Copy)]
pub enum TargetRows<'a> {
    /// Classes: a cell has a word for each.
    Classes(ClassRows<'a>),
    /// Numbers: a cell has a word for weight and count, and one for each number.
    Values(ValueRows<'a>),
}

impl TargetRows<'_> {
    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        match self {
            TargetRows::Classes(target) => target.words.len(),
            TargetRows::Values(target) => target.words.len(),
        }
    }

    /// 64-bit words of a cell.
    pub fn words(&self) -> usize {
        match self {
            TargetRows::Classes(target) => target.classes,
            TargetRows::Values(target) => 1 + target.outputs,
        }
    }

    /// Adds rows to the cells of their codes in some columns. Words are added as integers modulo 2⁶⁴.
    pub fn fill(&self, matrix: BinnedRows<'_>, columns: &[CountedColumn], rows: &[u32], cells: &mut [u64]) {
        match self {
            TargetRows::Classes(target) => class_histogram(matrix, columns, *target, rows, cells),
            TargetRows::Values(target) => value_histogram(matrix, columns, *target, rows, cells),
        }
    }
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
    columns: &[CountedColumn],
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
        let block = ClassBlock { starts: &starts[..rows.len()], classes: &classes, words: &words };
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
struct ClassBlock<'a> {
    starts: &'a [usize],
    classes: &'a [u32],
    words: &'a [u64],
}

impl ClassBlock<'_> {
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

/// The targets of all rows in fixed point.
#[derive(Debug, Clone, Copy)]
pub struct ValueRows<'a> {
    /// The targets, n×p.
    pub values: &'a [i64],
    /// Weight and count of each row, the weight above the count; without draws it is at most 2¹⁶.
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
    columns: &[CountedColumn],
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
