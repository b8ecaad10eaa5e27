//! Eigenvalues and eigenvectors of a symmetric matrix.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};
use nalgebra::{DMatrix, DVector};

use super::{check_finite, check_square, leads_negative, lower_to_faer, unit_scale};
use crate::error::{Error, Result};

/// A = V Λ Vᵀ of a symmetric d×d matrix, the largest eigenvalue first.
///
/// Only the lower triangle of the input is used. About 9d³ operations with eigenvectors, 4d³/3 without.
///
/// Signs are fixed: the entry of largest magnitude of each vector is positive, and among entries equal to 1e-10 the
/// first decides. Vectors of equal eigenvalues are orthonormal, but otherwise as the algorithm left them.
///
/// ```
/// use gristmill::linalg::Eigen;
/// use nalgebra::{DMatrix, DVector};
/// let eigen = Eigen::factor(&DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]))?;
/// assert!((eigen.values() - DVector::from_row_slice(&[3.0, 1.0])).amax() < 1e-15);
/// let half = 0.5_f64.sqrt();
/// assert!((eigen.vectors() - DMatrix::from_row_slice(2, 2, &[half, half, half, -half])).amax() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Eigen {
    values: DVector<f64>,
    vectors: DMatrix<f64>,
}

impl Eigen {
    /// Eigenvalues and eigenvectors of `a`.
    pub fn factor(a: &DMatrix<f64>) -> Result<Eigen> {
        let size = check_square("Eigen::factor", a)?;
        let mut vectors = Mat::zeros(size, size);
        let values = decompose(a, Some(&mut vectors))?;
        let order = descending(&values);
        let mut columns = Vec::with_capacity(size * size);
        for &from in &order {
            let column = vectors.col_as_slice(from);
            let sign = if leads_negative(column) { -1.0 } else { 1.0 };
            columns.extend(column.iter().map(|value| sign * value));
        }
        Ok(Eigen {
            values: DVector::from_iterator(size, order.iter().map(|&from| values[from])),
            vectors: DMatrix::from_vec(size, size, columns),
        })
    }

    /// The eigenvalues of `a` alone, descending; several times faster than [`Eigen::factor`].
    pub fn values_of(a: &DMatrix<f64>) -> Result<DVector<f64>> {
        check_square("Eigen::values_of", a)?;
        let values = decompose(a, None)?;
        Ok(DVector::from_iterator(values.len(), descending(&values).into_iter().map(|from| values[from])))
    }

    /// The d eigenvalues, descending.
    pub fn values(&self) -> &DVector<f64> {
        &self.values
    }

    /// The d×d eigenvectors: column j belongs to eigenvalue j.
    pub fn vectors(&self) -> &DMatrix<f64> {
        &self.vectors
    }

    /// Both parts, without a copy.
    pub fn into_parts(self) -> (DVector<f64>, DMatrix<f64>) {
        (self.values, self.vectors)
    }
}

/// The eigenvalues in faer's order, and the vectors where room is given for them.
fn decompose(a: &DMatrix<f64>, vectors: Option<&mut Mat<f64>>) -> Result<Vec<f64>> {
    let size = a.nrows();
    let largest = check_finite(a)?;
    if size == 0 {
        return Ok(Vec::new());
    }
    let scale = unit_scale(largest);
    let lower = lower_to_faer(a, scale);
    let mut values = Diag::<f64>::zeros(size);
    let wanted = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(size, wanted, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    let vectors = vectors.map(|vectors| vectors.as_mut());
    self_adjoint_evd(lower.as_ref(), values.as_mut(), vectors, Par::Seq, stack, Default::default()).map_err(|_| {
        let what = "the eigenvalue iteration did not converge".to_string();
        Error::Singular { what, condition: f64::INFINITY }
    })?;
    let values: Vec<f64> = values.column_vector().iter().map(|value| value / scale).collect();
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(_) => Err(beyond_range(a, largest)),
    }
}

/// The norm of `a` does not fit into `f64`: points at the largest entry.
pub(super) fn beyond_range(a: &DMatrix<f64>, largest: f64) -> Error {
    let place = a.as_slice().iter().position(|value| value.abs() == largest).unwrap_or(0);
    let (row, column) = (place % a.nrows().max(1), place / a.nrows().max(1));
    Error::NotFinite { row, column, value: a[(row, column)] }
}

/// Indices by descending value; equal values keep their order.
pub(super) fn descending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).rev().collect();
    order.sort_by(|&left, &right| values[right].total_cmp(&values[left]));
    order
}
