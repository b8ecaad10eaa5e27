//! The numbers that a regressor learns.

use crate::array::Matrix;
use crate::error::{Error, Result};

/// Number targets: one a row, or the p columns of an n×p matrix.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// One number a row.
    One(&'a [f32]),
    /// p numbers a row.
    Many(&'a Matrix),
}

impl<'a> From<&'a [f32]> for Targets<'a> {
    fn from(values: &'a [f32]) -> Self {
        Targets::One(values)
    }
}

impl<'a> From<&'a Vec<f32>> for Targets<'a> {
    fn from(values: &'a Vec<f32>) -> Self {
        Targets::One(values)
    }
}

impl<'a, const N: usize> From<&'a [f32; N]> for Targets<'a> {
    fn from(values: &'a [f32; N]) -> Self {
        Targets::One(values)
    }
}

impl<'a> From<&'a Matrix> for Targets<'a> {
    fn from(matrix: &'a Matrix) -> Self {
        Targets::Many(matrix)
    }
}

impl Targets<'_> {
    /// The targets of `rows` rows as an n×p matrix, p ≥ 1, without missing values.
    pub(crate) fn complete(self, op: &'static str, rows: usize) -> Result<Matrix> {
        let matrix = match self {
            Targets::One(values) => Matrix::from_slice(values.len(), 1, values)?,
            Targets::Many(matrix) => matrix.clone(),
        };
        if matrix.rows() != rows || matrix.columns() == 0 {
            let expected = format!("targets for {rows} rows");
            return Err(Error::Shape { op, expected, got: format!("{}×{}", matrix.rows(), matrix.columns()) });
        }
        match matrix.check_finite()? {
            Some((row, column)) => Err(Error::NotFinite { row, column, value: f64::NAN }),
            None => Ok(matrix),
        }
    }
}
