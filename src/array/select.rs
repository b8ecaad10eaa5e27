//! Some rows or columns of a host matrix.

use rayon::prelude::*;

use super::matrix::Matrix;
use crate::error::{Error, Result};

impl Matrix {
    /// The rows at these indices, in this order, with the names and categories of the columns. A row may come
    /// more than once. Runs on all cores.
    pub fn select(&self, rows: &[usize]) -> Result<Matrix> {
        if let Some(row) = rows.iter().find(|row| **row >= self.rows()) {
            return Err(Error::shape("select", format!("rows below {}", self.rows()), format!("row {row}")));
        }
        let d = self.columns();
        let mut values = vec![0.0; rows.len() * d];
        if d > 0 {
            let filled = values.par_chunks_mut(d).zip(rows).with_min_len(256);
            filled.for_each(|(out, row)| out.copy_from_slice(self.row(*row)));
        }
        let selected = Matrix::from_vec(rows.len(), d, values)?.with_column_info(self.column_info().clone());
        selected.with_exact(self.exact().select_rows(rows))
    }

    /// The columns at these places, in this order, with their names and categories. Where a column comes more than once
    /// the result has no names.
    pub fn select_columns(&self, columns: &[usize]) -> Result<Matrix> {
        if let Some(column) = columns.iter().find(|column| **column >= self.columns()) {
            let (expected, got) = (format!("columns below {}", self.columns()), format!("column {column}"));
            return Err(Error::shape("select_columns", expected, got));
        }
        let mut values = vec![0.0; self.rows() * columns.len()];
        if !columns.is_empty() {
            let filled = values.par_chunks_mut(columns.len()).enumerate().with_min_len(256);
            filled.for_each(|(row, out)| {
                let source = self.row(row);
                out.iter_mut().zip(columns).for_each(|(out, column)| *out = source[*column]);
            });
        }
        let selected = Matrix::from_vec(self.rows(), columns.len(), values)?;
        selected.with_column_info(self.column_info().select(columns)).with_exact(self.exact().select_columns(columns))
    }
}
