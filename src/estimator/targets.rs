//! The numbers that a regressor learns.

use super::rows::borrowed;
use crate::array::Matrix;
use crate::error::{Error, Result};

/// Number targets: one a row, or the p columns of an n×p matrix.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// One number a row.
    One(&'a [f32]),
    /// p numbers a row.
    Many(&'a Matrix),
    /// One number a row, in f64.
    Double(&'a [f64]),
}

borrowed!(
    [f32] => Targets::One,
    Vec<f32> => Targets::One,
    [f32; N] where N => Targets::One,
    Matrix => Targets::Many,
    [f64] => Targets::Double,
    Vec<f64> => Targets::Double,
);

impl Targets<'_> {
    /// The targets of `rows` rows as an n×p matrix, p ≥ 1, without missing values.
    pub(crate) fn complete(self, op: &'static str, rows: usize) -> Result<Matrix> {
        let matrix = match self {
            Targets::One(values) => Matrix::from_slice(values.len(), 1, values)?,
            Targets::Many(matrix) => matrix.clone(),
            Targets::Double(values) => Matrix::from_f64(values.len(), 1, values)?,
        };
        if matrix.rows() != rows || matrix.columns() == 0 {
            let expected = format!("targets for {rows} rows");
            return Err(Error::shape(op, expected, format!("{}×{}", matrix.rows(), matrix.columns())));
        }
        match matrix.refuse_missing() {
            Err(Error::NotFinite { row, value, .. }) => Err(Error::Target { row, value }),
            checked => checked.map(|()| matrix),
        }
    }
}
