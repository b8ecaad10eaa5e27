//! How far apart rows are: all pairs of the rows of two matrices.

pub mod chebyshev;
pub mod cosine;
pub mod mahalanobis;
pub mod manhattan;
pub mod minkowski;
pub mod sq_euclidean;

use super::pairs::{self, Variants};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::{Error, Result};

/// One value for each pair of rows: by `twin` (x, n, y, m, d, out) on the CPU, by a pair kernel with its `alpha` on a GPU.
fn pairwise(
    stream: &mut Stream,
    op: &'static str,
    (variants, alpha): (&Variants, f32),
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
        Some(recording) => pairs::all_pairs(recording, variants, (x, y), &out, (alpha, 0.0))?,
    }
    Ok(out)
}
