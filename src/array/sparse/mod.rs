//! A sparse matrix on the host.

mod build;
mod select;

use std::fmt;
use std::sync::Arc;

use super::column_info::ColumnInfo;
use super::matrix::Matrix;
use crate::cpu::sparse::CompressedRows;
use crate::error::{Error, Result};

/// Bytes that [`SparseMatrix::to_dense`] takes at most.
const DENSE_BUDGET: u64 = 4 << 30;
/// Rows, and entries of a row, that are shown.
const SHOWN: usize = 8;

/// A sparse matrix on the host, n×d: compressed rows (CSR) of `f32`, with optional names of its columns. Cloning shares
/// the values. It takes 8 bytes for each number that is not zero and 8 for each row, however many columns there are.
///
/// Every stored value is finite and not zero: constructors leave zeros out, and refuse infinities and NaN, so no value
/// is ever missing. The columns of a row are in ascending order, each at most once. There are at most 2³² − 1 rows and
/// columns.
///
/// ```
/// use gristmill::SparseMatrix;
/// let x = SparseMatrix::from_triplets(2, 1_000_000, [(0, 3, 1.5), (0, 999_999, -2.0)])?;
/// assert_eq!((x.rows(), x.columns(), x.nnz()), (2, 1_000_000, 2));
/// assert_eq!(x.row(0), (&[3, 999_999][..], &[1.5, -2.0][..]));
/// assert!(x.row(1).0.is_empty() && x.get(0, 3) == 1.5 && x.get(0, 4) == 0.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Clone)]
pub struct SparseMatrix {
    rows: usize,
    columns: usize,
    /// Where each row begins, and where the last ends: n + 1.
    offsets: Arc<Vec<usize>>,
    indices: Arc<Vec<u32>>,
    values: Arc<Vec<f32>>,
    info: ColumnInfo,
}

impl SparseMatrix {
    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns, d.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of stored values: those that are not zero.
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// The share of the values that are not zero, from 0 to 1; 0 for a matrix without values.
    pub fn density(&self) -> f64 {
        self.nnz() as f64 / (self.rows as f64 * self.columns as f64).max(1.0)
    }

    /// The columns of one row that are not zero, ascending, and their values. Panics when `row` is out of range.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// One value. Panics when out of range, as indexing does.
    pub fn get(&self, row: usize, column: usize) -> f32 {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        let (columns, values) = self.row(row);
        columns.binary_search(&(column as u32)).map_or(0.0, |at| values[at])
    }

    /// Where each row begins in [`SparseMatrix::indices`] and [`SparseMatrix::values`], and where the last ends: n + 1.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column of each stored value, row by row.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The stored values, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Names the columns.
    pub fn with_names<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Result<SparseMatrix> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if names.len() != self.columns {
            return Err(Error::shape("SparseMatrix::with_names", format!("{} names", self.columns), names.len()));
        }
        self.info = ColumnInfo::new(Some(names), vec![]);
        Ok(self)
    }

    /// The names of the columns, if they have any.
    pub fn names(&self) -> Option<&[String]> {
        self.info.names()
    }

    pub(crate) fn column_info(&self) -> &ColumnInfo {
        &self.info
    }

    /// Bytes of the dense matrix of this shape.
    pub fn dense_bytes(&self) -> u64 {
        4 * (self.rows as u64).saturating_mul(self.columns as u64)
    }

    /// The dense matrix. Above 4 GiB it is an [`Error::Limit`]; see [`SparseMatrix::to_dense_within`].
    pub fn to_dense(&self) -> Result<Matrix> {
        self.to_dense_within(DENSE_BUDGET)
    }

    /// The dense matrix, if it takes at most so many bytes.
    pub fn to_dense_within(&self, budget: u64) -> Result<Matrix> {
        if self.dense_bytes() > budget {
            let what = format!("bytes to make {}×{} sparse values dense", self.rows, self.columns);
            return Err(Error::Limit { what, need: self.dense_bytes(), have: budget });
        }
        let mut dense = Matrix::zeros(self.rows, self.columns)?;
        if self.columns > 0 {
            for (row, out) in dense.as_mut_slice().chunks_exact_mut(self.columns).enumerate() {
                let (columns, values) = self.row(row);
                columns.iter().zip(values).for_each(|(column, value)| out[*column as usize] = *value);
            }
        }
        Ok(dense.known_complete().with_column_info(self.info.clone()))
    }

    /// The error of what takes dense rows only; `takes` says when it would not.
    pub(crate) fn refusal(&self, op: &'static str, takes: impl Into<String>) -> Error {
        let (rows, columns, nonzero) = (self.rows, self.columns, self.nnz());
        Error::Sparse { op, takes: takes.into(), rows, columns, nonzero }
    }
}

impl<'a> From<&'a SparseMatrix> for CompressedRows<'a, f32> {
    fn from(x: &'a SparseMatrix) -> Self {
        CompressedRows { columns: x.columns, offsets: &x.offsets, indices: &x.indices, values: &x.values }
    }
}

impl PartialEq for SparseMatrix {
    /// The same shape, names and bits.
    fn eq(&self, other: &SparseMatrix) -> bool {
        let bits = |matrix: &SparseMatrix| matrix.values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        (self.rows, self.columns, &self.info) == (other.rows, other.columns, &other.info)
            && (self.offsets == other.offsets && self.indices == other.indices)
            && (Arc::ptr_eq(&self.values, &other.values) || bits(self) == bits(other))
    }
}

impl fmt::Debug for SparseMatrix {
    /// The shape, and of the first rows `column: value` where they are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SparseMatrix {}×{}, {} nonzero", self.rows, self.columns, self.nnz())?;
        for row in 0..self.rows.min(SHOWN) {
            let (columns, values) = self.row(row);
            let pairs = columns.iter().zip(values).take(SHOWN).map(|(column, value)| format!("{column}: {value}"));
            let more = if columns.len() > SHOWN { ", …" } else { "" };
            write!(f, "\n  [{row}] {}{more}", pairs.collect::<Vec<_>>().join(", "))?;
        }
        if self.rows > SHOWN { write!(f, "\n  …") } else { Ok(()) }
    }
}
