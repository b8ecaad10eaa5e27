//! How far apart rows are: all pairs of the rows of two matrices.

pub mod chebyshev;
pub mod cosine;
pub mod mahalanobis;
pub mod manhattan;
pub mod minkowski;
pub mod sq_euclidean;

use super::pairs::{self, PairKernel};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::kernel::kernels;

kernels! {
    /// One distance for each pair of rows, by the metric of `lib/metric.wgsl` that the host chooses.
    pub KERNEL = "distance/pairwise", [Read, Read, Write], pairs::Params;
}

// Manhattan, Chebyshev and cosine distances have no root to take.
pub(super) const SQ_EUCLIDEAN: PairKernel<'static> = on_tile(&[("METRIC", 0), ("ROOT", 0)], 3, true);
pub(super) const EUCLIDEAN: PairKernel<'static> = on_tile(&[("METRIC", 0), ("ROOT", 1)], 3, false);
pub(super) const MANHATTAN: PairKernel<'static> = on_tile(&[("METRIC", 1), ("ROOT", 0)], 3, true);
pub(super) const CHEBYSHEV: PairKernel<'static> = on_tile(&[("METRIC", 2), ("ROOT", 0)], 3, false);
pub(super) const COSINE: PairKernel<'static> = on_tile(&[("METRIC", 3), ("ROOT", 0)], 2, false);
pub(super) const POWERS: PairKernel<'static> = on_tile(&[("METRIC", 4), ("ROOT", 0)], 40, false);
pub(super) const MINKOWSKI: PairKernel<'static> = on_tile(&[("METRIC", 4), ("ROOT", 1)], 40, false);

const fn on_tile(
    overrides: &'static [(&'static str, u32)],
    step_operations: u64,
    layered: bool,
) -> PairKernel<'static> {
    PairKernel { kernel: &KERNEL, overrides, step_operations, layered, extra: None }
}

/// One value for each pair of rows: by `twin` (x, n, y, m, d, out) on the CPU, by a pair kernel with its `alpha` on a GPU.
fn pairwise(
    stream: &mut Stream,
    op: &'static str,
    (kernel, alpha): (&PairKernel<'_>, f32),
    (x, y): (&DeviceMatrix, &DeviceMatrix),
    twin: impl FnOnce(&[f32], usize, &[f32], usize, usize, &mut [f32]),
) -> Result<DeviceMatrix> {
    if x.columns() != y.columns() {
        return Err(Error::Shape {
            op,
            expected: format!("{} columns in both", x.columns()),
            got: format!("{} in the second", y.columns()),
        });
    }
    for operand in [x, y] {
        operand.on(stream, op)?;
        operand.refuse_missing()?;
    }
    let mut out = DeviceMatrix::output(stream.device(), x.rows(), y.rows())?;
    match stream.gpu() {
        None => twin(x.values()?, x.rows(), y.values()?, y.rows(), x.columns(), out.values_mut()?),
        Some(_) if x.rows() == 0 || y.rows() == 0 => {}
        Some(recording) => pairs::all_pairs(recording, kernel, (x, y), &out, (alpha, 0.0))?,
    }
    Ok(out)
}
