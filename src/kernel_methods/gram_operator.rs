//! The Gram matrix of the rows of a fit: whole where it fits, else its products and single rows.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::ridge::warn_indefinite;
use super::{FittedKernel, Kernel, KernelRows};
use crate::array::{DeviceMatrix, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::ops::{self, Layout};

/// Bytes of a Gram matrix that is kept whole: that of 8192 rows.
const WHOLE_BYTES: usize = 256 << 20;
/// Half of `f32::EPSILON`: the relative error of a rounding.
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// A kernel with the rows that it was fitted to.
pub(super) struct GramOperator<'a> {
    op: &'static str,
    x: &'a DeviceMatrix,
    pub(super) kernel: FittedKernel,
    rows: KernelRows,
    whole: Option<DeviceMatrix>,
}

impl<'a> GramOperator<'a> {
    /// Fits the kernel to the rows. One that is known to be indefinite runs, with a warning.
    pub(super) fn fit(
        op: &'static str,
        kernel: &Kernel,
        x: &'a DeviceMatrix,
        stream: &mut Stream,
    ) -> Result<GramOperator<'a>> {
        warn_indefinite(op, kernel);
        let (kernel, rows) = FittedKernel::fit(op, kernel, x)?;
        let whole = match fits_whole(x.rows()) {
            true => Some(kernel.symmetric(stream, &rows)?),
            false => None,
        };
        Ok(GramOperator { op, x, kernel, rows, whole })
    }

    /// Number of rows, n.
    pub(super) fn len(&self) -> usize {
        self.x.rows()
    }

    /// Whether the matrix is there as a whole.
    pub(super) fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// The rows of the fit on the host.
    pub(super) fn x(&self, stream: &mut Stream) -> Result<Matrix> {
        self.x.to_matrix(stream)
    }

    /// K·V, n×p, in f32 on the device.
    pub(super) fn product(&self, stream: &mut Stream, v: &DeviceMatrix) -> Result<DeviceMatrix> {
        match &self.whole {
            Some(whole) => ops::gemm(stream, Layout::NN, whole, v),
            None => self.kernel.product(stream, (&self.rows, &self.rows), v),
        }
    }

    /// K·V, n×p: of a whole matrix with sums in f64, else as [`GramOperator::product`].
    pub(super) fn wide_product(&self, stream: &mut Stream, v: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let Some(whole) = &self.whole else {
            let v = Matrix::from_dmatrix_f64(v)?.to(stream.device())?;
            return Ok(self.product(stream, &v)?.to_matrix(stream)?.to_dmatrix());
        };
        let (n, p) = (self.len(), v.ncols());
        let whole = whole.to_matrix(stream)?;
        let rows: Vec<f64> = v.transpose().as_slice().to_vec();
        let mut out = vec![0.0; n * p];
        out.par_chunks_mut(p.max(1)).zip(whole.as_slice().par_chunks(n.max(1))).for_each(|(out, kernel)| {
            for (value, row) in kernel.iter().zip(rows.chunks_exact(p.max(1))) {
                let value = f64::from(*value);
                out.iter_mut().zip(row).for_each(|(out, row)| *out += value * row);
            }
        });
        Ok(DMatrix::from_row_slice(n, p, &out))
    }

    /// Some rows of K on the host, t×n.
    pub(super) fn rows_at(&self, stream: &mut Stream, rows: &[usize]) -> Result<Matrix> {
        match (&self.whole, &self.rows) {
            (Some(whole), _) | (None, KernelRows::Given(whole)) => whole.rows_at(stream, rows),
            _ => {
                let some = self.kernel.rows(self.op, &self.x.rows_at(stream, rows)?.to(stream.device())?)?;
                self.kernel.matrix(stream, &some, &self.rows)?.to_matrix(stream)
            }
        }
    }

    /// K·V of some rows, t×p, and K of them with one another, t×t, on the host.
    pub(super) fn part(&self, stream: &mut Stream, rows: &[usize], v: &Matrix) -> Result<[Matrix; 2]> {
        let v = v.to(stream.device())?;
        if self.kernel.kernel().is_precomputed() {
            let some = self.rows_at(stream, rows)?;
            let product = ops::gemm(stream, Layout::NN, &some.to(stream.device())?, &v)?.to_matrix(stream)?;
            return Ok([product, some.select_columns(rows)?]);
        }
        let some = self.kernel.rows(self.op, &self.x.rows_at(stream, rows)?.to(stream.device())?)?;
        let product = self.kernel.product(stream, (&some, &self.rows), &v)?.to_matrix(stream)?;
        Ok([product, self.kernel.symmetric(stream, &some)?.to_matrix(stream)?])
    }

    /// k of each row with itself.
    pub(super) fn diagonal(&self, stream: &mut Stream) -> Result<Vec<f32>> {
        self.kernel.diagonal(stream, &self.rows)
    }

    /// K on the host, n×n.
    pub(super) fn to_dmatrix(&self, stream: &mut Stream) -> Result<DMatrix<f64>> {
        match &self.whole {
            Some(whole) => Ok(whole.to_matrix(stream)?.to_dmatrix()),
            None => Ok(self.kernel.symmetric(stream, &self.rows)?.to_matrix(stream)?.to_dmatrix()),
        }
    }

    /// Eigenvalues within this of 0 are what rounding left.
    pub(super) fn noise(&self, stream: &mut Stream) -> Result<f64> {
        let largest = self.diagonal(stream)?.into_iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        Ok(rounding_noise(self.len(), f64::from(largest)))
    }
}

/// Whether the Gram matrix of so many rows is kept whole.
pub(super) fn fits_whole(rows: usize) -> bool {
    rows.checked_mul(4 * rows).is_some_and(|bytes| bytes <= WHOLE_BYTES)
}

/// Eigenvalues that roundings alone give a matrix of n rows with values up to `largest`.
pub(super) fn rounding_noise(rows: usize, largest: f64) -> f64 {
    4.0 * (rows as f64).sqrt() * ROUNDING * largest
}
