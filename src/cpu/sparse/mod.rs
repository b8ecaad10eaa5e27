//! Compressed rows: products and sums of what is not zero, in f64, on all cores.

mod gram;
mod moments;
mod multiply;

pub use gram::gram;
pub use moments::{Moments, moments};
pub use multiply::multiply;

/// Compressed rows, borrowed: row r holds `values[offsets[r]..offsets[r + 1]]` in the columns of `indices`, ascending.
#[derive(Debug, Clone, Copy)]
pub struct CompressedRows<'a, T> {
    /// Number of columns, d.
    pub columns: usize,
    /// Where each row begins, and where the last ends: n + 1.
    pub offsets: &'a [usize],
    /// The column of each value.
    pub indices: &'a [u32],
    /// The values, f32 or f64.
    pub values: &'a [T],
}

/// Owned compressed rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Compressed<T> {
    /// Number of columns, d.
    pub columns: usize,
    /// Where each row begins, and where the last ends: n + 1.
    pub offsets: Vec<usize>,
    /// The column of each value.
    pub indices: Vec<u32>,
    /// The values, f32 or f64.
    pub values: Vec<T>,
}

impl<T> Compressed<T> {
    /// Borrowed.
    pub fn view(&self) -> CompressedRows<'_, T> {
        let Compressed { columns, offsets, indices, values } = self;
        CompressedRows { columns: *columns, offsets, indices, values }
    }
}

impl<'a, T: Copy> CompressedRows<'a, T> {
    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The columns and values of one row.
    pub fn row(&self, row: usize) -> (&'a [u32], &'a [T]) {
        let range = self.offsets[row]..self.offsets[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The columns as rows: d rows of at most n values, in the order of the rows they come from. O(nnz + d).
    pub fn transposed(&self) -> Compressed<T> {
        let mut offsets = vec![0; self.columns + 1];
        self.indices.iter().for_each(|column| offsets[*column as usize + 1] += 1);
        (0..self.columns).for_each(|column| offsets[column + 1] += offsets[column]);
        let mut next = offsets[..self.columns].to_vec();
        let mut indices = vec![0; self.indices.len()];
        // Every place is written below; what stands there before does not matter.
        let mut values = self.values.to_vec();
        for row in 0..self.rows() {
            let (columns, own) = self.row(row);
            for (column, value) in columns.iter().zip(own) {
                let place = &mut next[*column as usize];
                (indices[*place], values[*place]) = (row as u32, *value);
                *place += 1;
            }
        }
        Compressed { columns: self.rows(), offsets, indices, values }
    }
}
