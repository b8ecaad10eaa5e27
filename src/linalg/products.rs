//! Products of matrices whose size is worth a call of faer.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use nalgebra::DMatrix;

/// A·B.
pub(crate) fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let (a, b) = (aligned(a), aligned(b));
    multiply(a.as_ref(), b.as_ref())
}

/// Aᵀ·B.
pub(crate) fn transposed_product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let (a, b) = (aligned(a), aligned(b));
    multiply(a.transpose(), b.as_ref())
}

/// A copy in faer's own storage: its alignment, and so the bits of a product, are always the same.
fn aligned(a: &DMatrix<f64>) -> Mat<f64> {
    MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols()).to_owned()
}

fn multiply(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> DMatrix<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    let mut values = Vec::with_capacity(out.nrows() * out.ncols());
    (0..out.ncols()).for_each(|column| values.extend_from_slice(out.col_as_slice(column)));
    DMatrix::from_vec(out.nrows(), out.ncols(), values)
}
