//! Sparse matrices from their parts, from triplets and from dense ones.

use std::sync::Arc;

use super::SparseMatrix;
use crate::array::column_info::ColumnInfo;
use crate::array::matrix::Matrix;
use crate::error::{Error, Result};

impl SparseMatrix {
    /// From compressed rows: where each row begins in `indices` and `values`, n + 1 offsets from 0; the columns of each
    /// row, ascending; their values. Zeros are left out. No copy where there are none.
    pub fn from_parts(
        columns: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f32>,
    ) -> Result<SparseMatrix> {
        const OP: &str = "SparseMatrix::from_parts";
        let shape = |expected: String, got: String| Err(Error::shape(OP, expected, got));
        let (Some(&first), Some(&last)) = (offsets.first(), offsets.last()) else {
            return shape("an offset for each row and one more".to_string(), "none".to_string());
        };
        let rows = offsets.len() - 1;
        check_size(OP, rows, columns)?;
        if first != 0 || last != values.len() || indices.len() != values.len() || !offsets.is_sorted() {
            let expected = format!("ascending offsets from 0 to {}, and as many columns as values", values.len());
            return shape(expected, format!("{first} to {last}, {} columns", indices.len()));
        }
        for row in 0..rows {
            let own = &indices[offsets[row]..offsets[row + 1]];
            if !own.is_sorted_by(|left, right| left < right) {
                return shape("ascending columns in each row, none of them twice".to_string(), format!("row {row}"));
            }
            if let Some(column) = own.last().filter(|column| **column as usize >= columns) {
                return shape(format!("columns below {columns}"), format!("column {column} in row {row}"));
            }
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let row = offsets.partition_point(|offset| *offset <= at) - 1;
            return Err(Error::NotFinite { row, column: indices[at] as usize, value: f64::from(values[at]) });
        }
        Ok(SparseMatrix::without_zeros(columns, offsets, indices, values))
    }

    /// From (row, column, value) in any order. Zeros are left out; a place that comes twice is an error.
    pub fn from_triplets(
        rows: usize,
        columns: usize,
        triplets: impl IntoIterator<Item = (usize, usize, f32)>,
    ) -> Result<SparseMatrix> {
        const OP: &str = "SparseMatrix::from_triplets";
        check_size(OP, rows, columns)?;
        let mut entries: Vec<(u32, u32, f32)> = vec![];
        for (row, column, value) in triplets {
            if row >= rows || column >= columns {
                let (expected, got) =
                    (format!("places within {rows}×{columns}"), format!("row {row}, column {column}"));
                return Err(Error::shape(OP, expected, got));
            }
            entries.push((row as u32, column as u32, value));
        }
        entries.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        let same = entries.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
        if let Some([(row, column, _), ..]) = same {
            return Err(Error::shape(OP, "each place once", format!("row {row}, column {column} twice")));
        }
        let mut offsets = vec![0; rows + 1];
        entries.iter().for_each(|(row, _, _)| offsets[*row as usize + 1] += 1);
        (0..rows).for_each(|row| offsets[row + 1] += offsets[row]);
        let (indices, values) = entries.into_iter().map(|(_, column, value)| (column, value)).unzip();
        SparseMatrix::from_parts(columns, offsets, indices, values)
    }

    /// From a dense matrix, whose names it keeps. A missing value is an error, and so is a categorical column: encode it
    /// first (`OneHotEncoder`).
    pub fn from_dense(x: &Matrix) -> Result<SparseMatrix> {
        const OP: &str = "SparseMatrix::from_dense";
        check_size(OP, x.rows(), x.columns())?;
        x.column_info().refuse_categories(OP)?;
        x.refuse_missing()?;
        let (mut offsets, mut indices, mut values) = (vec![0], vec![], vec![]);
        for row in 0..x.rows() {
            for (column, value) in x.row(row).iter().enumerate().filter(|(_, value)| **value != 0.0) {
                indices.push(column as u32);
                values.push(*value);
            }
            offsets.push(values.len());
        }
        Ok(SparseMatrix::without_zeros(x.columns(), offsets, indices, values).with_column_info(x.column_info().clone()))
    }

    /// The same places with other values: `map` gets row, column and value, none of which becomes a number where it was
    /// zero. Results that are zero are left out; one that is not finite is an error.
    pub(crate) fn map(&self, map: impl Fn(usize, usize, f32) -> f32) -> Result<SparseMatrix> {
        let mut values = Vec::with_capacity(self.nnz());
        for row in 0..self.rows {
            let (columns, own) = self.row(row);
            for (column, value) in columns.iter().zip(own) {
                let mapped = map(row, *column as usize, *value);
                if !mapped.is_finite() {
                    return Err(Error::NotFinite { row, column: *column as usize, value: f64::from(mapped) });
                }
                values.push(mapped);
            }
        }
        let mapped = match values.contains(&0.0) {
            true => SparseMatrix::without_zeros(self.columns, self.offsets.to_vec(), self.indices.to_vec(), values),
            false => SparseMatrix { values: Arc::new(values), ..self.clone() },
        };
        Ok(mapped.with_column_info(self.info.clone()))
    }

    /// Parts that are known to fit together and to be finite.
    pub(crate) fn without_zeros(
        columns: usize,
        mut offsets: Vec<usize>,
        mut indices: Vec<u32>,
        mut values: Vec<f32>,
    ) -> SparseMatrix {
        if values.contains(&0.0) {
            let (mut kept, mut begin) = (0, 0);
            for row in 0..offsets.len() - 1 {
                let end = offsets[row + 1];
                for at in begin..end {
                    if values[at] != 0.0 {
                        (indices[kept], values[kept]) = (indices[at], values[at]);
                        kept += 1;
                    }
                }
                begin = end;
                offsets[row + 1] = kept;
            }
            indices.truncate(kept);
            values.truncate(kept);
        }
        let rows = offsets.len() - 1;
        let (offsets, indices, values) = (Arc::new(offsets), Arc::new(indices), Arc::new(values));
        SparseMatrix { rows, columns, offsets, indices, values, info: ColumnInfo::default() }
    }

    pub(crate) fn with_column_info(mut self, info: ColumnInfo) -> SparseMatrix {
        self.info = info;
        self
    }
}

fn check_size(op: &'static str, rows: usize, columns: usize) -> Result<()> {
    let most = u32::MAX as usize;
    match rows <= most && columns <= most {
        true => Ok(()),
        false => Err(Error::shape(op, format!("at most {most} rows and columns"), format!("{rows}×{columns}"))),
    }
}
