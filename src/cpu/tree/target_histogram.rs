//! Histograms of target cells: what the rows of a tree add to them, the words of their classes or numbers.

use super::BinnedRows;
use super::class_histogram::{ClassRows, Column, class_histogram};
use super::value_histogram::{ValueRows, value_histogram};

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

    /// Adds rows to the cells of their codes in some columns. Words are added as whole numbers modulo 2⁶⁴.
    pub fn fill(&self, matrix: BinnedRows<'_>, columns: &[Column], rows: &[u32], cells: &mut [u64]) {
        match self {
            TargetRows::Classes(target) => class_histogram(matrix, columns, *target, rows, cells),
            TargetRows::Values(target) => value_histogram(matrix, columns, *target, rows, cells),
        }
    }
}
