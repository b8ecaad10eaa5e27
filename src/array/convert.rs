//! Conversions from and to matrices of other crates.

use nalgebra::DMatrix;

use super::Matrix;
use super::exact::too_large;
use crate::error::{Error, Result};

impl Matrix {
    /// From `f64` values, row by row. A value beyond the range of `f32` is an error with its place; missing stays
    /// missing, and precision beyond seven digits is lost, which is why this is an explicit call. Columns of large numbers
    /// that `f32` cannot tell apart are kept in `f64` too ([`Matrix::get_f64`]): as targets they are learnt.
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
        let rounded = Matrix::from_vec(rows, columns, values.iter().map(|value| *value as f32).collect())?;
        rounded.with_exact(too_large(columns, values))
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

impl TryFrom<DMatrix<f32>> for Matrix {
    type Error = Error;

    fn try_from(matrix: DMatrix<f32>) -> Result<Matrix> {
        Matrix::try_from(&matrix)
    }
}

impl TryFrom<&DMatrix<f64>> for Matrix {
    type Error = Error;

    /// [`Matrix::from_dmatrix_f64`].
    fn try_from(matrix: &DMatrix<f64>) -> Result<Matrix> {
        Matrix::from_dmatrix_f64(matrix)
    }
}

impl From<&Matrix> for DMatrix<f32> {
    fn from(matrix: &Matrix) -> DMatrix<f32> {
        DMatrix::from_row_slice(matrix.rows(), matrix.columns(), matrix.as_slice())
    }
}

/// From arrays and views of `ndarray` in any memory order; one of one axis becomes a column, and `f64` is rounded as by
/// [`Matrix::from_f64`].
#[cfg(feature = "ndarray")]
macro_rules! from_ndarray {
    ($($array:ty: $from:ident),*) => {$(
        impl TryFrom<$array> for Matrix {
            type Error = Error;

            fn try_from(array: $array) -> Result<Matrix> {
                let (rows, columns) = (array.shape()[0], array.shape().get(1).copied().unwrap_or(1));
                $from(rows, columns, array.iter().copied().collect())
            }
        }
    )*};
}

#[cfg(feature = "ndarray")]
mod from_ndarray {
    use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

    use super::{Error, Matrix, Result};

    fn single(rows: usize, columns: usize, values: Vec<f32>) -> Result<Matrix> {
        Matrix::from_vec(rows, columns, values)
    }

    fn double(rows: usize, columns: usize, values: Vec<f64>) -> Result<Matrix> {
        Matrix::from_f64(rows, columns, &values)
    }

    from_ndarray!(&Array2<f32>: single, ArrayView2<'_, f32>: single, &Array1<f32>: single, ArrayView1<'_, f32>: single);
    from_ndarray!(&Array2<f64>: double, ArrayView2<'_, f64>: double, &Array1<f64>: double, ArrayView1<'_, f64>: double);
}

#[cfg(feature = "ndarray")]
impl From<Matrix> for ndarray::Array2<f32> {
    fn from(matrix: Matrix) -> ndarray::Array2<f32> {
        (&matrix).into()
    }
}

#[cfg(feature = "ndarray")]
impl From<&Matrix> for ndarray::Array2<f32> {
    fn from(matrix: &Matrix) -> ndarray::Array2<f32> {
        ndarray::Array2::from_shape_fn((matrix.rows(), matrix.columns()), |(row, column)| matrix.get(row, column))
    }
}
