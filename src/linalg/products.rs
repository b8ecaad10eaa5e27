//! Products of matrices whose size is worth a call of faer.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use nalgebra::DMatrix;
use rayon::prelude::*;

/// Rows of A in a task: a fixed cut, so the bits do not depend on the number of threads.
const ROWS: usize = 128;

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

/// A matrix that many others are multiplied with, on all cores; it is copied once.
pub(crate) struct Multiplier {
    /// Rows of A, [`ROWS`] at a time.
    blocks: Vec<Mat<f64>>,
}

impl Multiplier {
    pub(crate) fn new(a: &DMatrix<f64>) -> Multiplier {
        let whole = MatRef::from_column_major_slice(a.as_slice(), a.nrows(), a.ncols());
        let block = |first: usize| whole.subrows(first, ROWS.min(a.nrows() - first)).to_owned();
        Multiplier { blocks: (0..a.nrows()).step_by(ROWS).map(block).collect() }
    }

    /// A·B.
    pub(crate) fn times(&self, b: &DMatrix<f64>) -> DMatrix<f64> {
        let right = aligned(b);
        let parts: Vec<DMatrix<f64>> =
            self.blocks.par_iter().map(|block| multiply(block.as_ref(), right.as_ref())).collect();
        let mut out = DMatrix::zeros(parts.iter().map(DMatrix::nrows).sum(), b.ncols());
        let mut first = 0;
        for part in &parts {
            out.rows_mut(first, part.nrows()).copy_from(part);
            first += part.nrows();
        }
        out
    }
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
