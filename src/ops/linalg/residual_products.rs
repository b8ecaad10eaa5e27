//! The products of the columns with what a plane leaves of the targets, for corrections in f64.

use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::linalg::residual_products::BLOCK;
pub(crate) use crate::cpu::linalg::residual_products::{Plane, ResidualProducts};
use crate::device::Stream;
use crate::error::Result;

/// The sums of X (n×d) and Y (n×p) for a plane, in f64 on the host wherever X lives: f32 could not tell the residuals of a
/// good plane from rounding. The rows come from the host's copy where there is one.
pub(crate) fn residual_products(
    stream: &mut Stream,
    x: &DeviceMatrix,
    y: &Matrix,
    weights: Option<&[f32]>,
    plane: Plane<'_>,
) -> Result<ResidualProducts> {
    let outputs = y.columns();
    let mut sums = ResidualProducts::new(x.columns(), outputs);
    x.for_host_rows(stream, BLOCK, |rows, values| {
        let weights = weights.map(|weights| &weights[rows.clone()]);
        sums.add(values, &y.as_slice()[rows.start * outputs..rows.end * outputs], weights, plane);
        Ok(())
    })?;
    Ok(sums)
}
