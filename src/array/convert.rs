//! Conversions from and to matrices of other crates.

use nalgebra::DMatrix;

use super::Matrix;
use crate::error::{Error, Result};

impl Matrix {
    /// From `f64` values, row by row. A value beyond the range of `f32` is an error with its place; missing stays
    /// missing, and precision beyond seven digits is lost, which is why this is an explicit call.
    ///
    /// ```
    /// use gristmill::Matrix;
    /// assert!(Matrix::from_f64(1, 2, &[1.5, 2.5]).is_ok());
    /// assert!(Matrix::from_f64(1, 2, &[1.5, 1e300]).is_err());
    /// ```
    pub fn from_f64(rows: usize, columns: usize, values: &[f64]) -> Result<Matrix> {
        let overflow = |value: &f64| value.is_finite() && (*value as f32).is_infinite();
        if let Some(at) = values.iter().position(overflow) {
            let (row, column) = (at / columns.max(1), at % columns.max(1));
            return Err(Error::NotFinite { row, column, value: values[at] });
        }
        Matrix::from_vec(rows, columns, values.iter().map(|value| *value as f32).collect())
    }

    /// From a nalgebra matrix of `f64`: [`Matrix::from_f64`] for it.
    pub fn from_dmatrix_f64(matrix: &DMatrix<f64>) -> Result<Matrix> {
        Matrix::from_f64(matrix.nrows(), matrix.ncols(), matrix.transpose().as_slice())
    }

    /// As a nalgebra matrix of `f64`, for work on the host.
    pub fn to_dmatrix(&self) -> DMatrix<f64> {
        DMatrix::from_row_iterator(self.rows(), self.columns(), self.as_slice().iter().map(|value| *value as f64))
    }
}

impl TryFrom<Vec<Vec<f32>>> for Matrix {
    type Error = Error;

    /// Fails when the rows differ in length.
    fn try_from(rows: Vec<Vec<f32>>) -> Result<Matrix> {
        Matrix::from_rows(&rows)
    }
}

impl TryFrom<&DMatrix<f32>> for Matrix {
    type Error = Error;

    fn try_from(matrix: &DMatrix<f32>) -> Result<Matrix> {
        // nalgebra keeps columns together; its transpose has our order.
        Matrix::from_slice(matrix.nrows(), matrix.ncols(), matrix.transpose().as_slice())
    }
}

impl From<&Matrix> for DMatrix<f32> {
    fn from(matrix: &Matrix) -> DMatrix<f32> {
        DMatrix::from_row_slice(matrix.rows(), matrix.columns(), matrix.as_slice())
    }
}

#[cfg(feature = "ndarray")]
impl TryFrom<&ndarray::Array2<f32>> for Matrix {
    type Error = Error;

    /// In any memory order.
    fn try_from(array: &ndarray::Array2<f32>) -> Result<Matrix> {
        Matrix::from_vec(array.nrows(), array.ncols(), array.iter().copied().collect())
    }
}

#[cfg(feature = "ndarray")]
impl From<&Matrix> for ndarray::Array2<f32> {
    fn from(matrix: &Matrix) -> ndarray::Array2<f32> {
        ndarray::Array2::from_shape_fn((matrix.rows(), matrix.columns()), |(row, column)| matrix.get(row, column))
    }
}
