//! Some rows or columns of a sparse matrix.

use std::sync::Arc;

use super::SparseMatrix;
use crate::array::matrix::Matrix;
use crate::error::{Error, Result};

impl SparseMatrix {
    /// The rows at these indices, in this order, with the names of the columns. A row may come more than once.
    pub fn select(&self, rows: &[usize]) -> Result<SparseMatrix> {
        if let Some(row) = rows.iter().find(|row| **row >= self.rows) {
            return Err(Error::shape("select", format!("rows below {}", self.rows), format!("row {row}")));
        }
        let count = rows.iter().map(|row| self.offsets[row + 1] - self.offsets[*row]).sum();
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        let (mut indices, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
        offsets.push(0);
        for row in rows {
            let (columns, own) = self.row(*row);
            indices.extend_from_slice(columns);
            values.extend_from_slice(own);
            offsets.push(values.len());
        }
        let (offsets, indices, values) = (Arc::new(offsets), Arc::new(indices), Arc::new(values));
        let (columns, info) = (self.columns, self.info.clone());
        Ok(SparseMatrix { rows: rows.len(), columns, offsets, indices, values, info })
    }

    /// The columns at these places, in this order, with their names. A column comes at most once.
    pub fn select_columns(&self, columns: &[usize]) -> Result<SparseMatrix> {
        const ABSENT: u32 = u32::MAX;
        let mut place = vec![ABSENT; self.columns];
        for (at, column) in columns.iter().enumerate() {
            if *column >= self.columns || place[*column] != ABSENT {
                let expected = format!("columns below {}, each once", self.columns);
                return Err(Error::shape("select_columns", expected, format!("column {column}")));
            }
            place[*column] = at as u32;
        }
        let (mut offsets, mut indices, mut values) = (vec![0], vec![], vec![]);
        let mut moved: Vec<(u32, f32)> = vec![];
        for row in 0..self.rows {
            let (own, numbers) = self.row(row);
            let pairs = own.iter().zip(numbers).map(|(column, value)| (place[*column as usize], *value));
            moved.clear();
            moved.extend(pairs.filter(|(place, _)| *place != ABSENT));
            moved.sort_unstable_by_key(|(place, _)| *place);
            indices.extend(moved.iter().map(|(place, _)| *place));
            values.extend(moved.iter().map(|(_, value)| *value));
            offsets.push(values.len());
        }
        let selected = SparseMatrix::without_zeros(columns.len(), offsets, indices, values);
        Ok(selected.with_column_info(self.info.select(columns)))
    }

    /// Some columns with their zeros, n×p.
    pub(crate) fn dense_columns(&self, columns: &[usize]) -> Result<Matrix> {
        self.select_columns(columns)?.to_dense()
    }
}
