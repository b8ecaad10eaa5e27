//! The mean and the variance of each column.

use crate::array::{DeviceMatrix, DeviceVec, padded};
pub use crate::cpu::reduce::column_moments::ColumnMoments;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::columns::{Terms, column_sums};

/// Mean and population variance of each column of X (n×d), in two passes, three on a GPU; `weights` has one number for each row, none
/// of them negative. No rows, or no weight, give zeros.
///
/// On a GPU blocks of 512 rows are added in f32: the mean is within 132·ε of Σw·|x − mean|/Σw and the variance within 140·ε of
/// itself, ε = 2⁻²⁴, however far off-centre the data lie; the CPU adds in f64.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let x = Matrix::from_rows(&[[1.0], [3.0]])?.to(&Device::Cpu)?;
/// let moments = ops::column_moments(&mut Device::Cpu.stream(), &x, None)?;
/// assert_eq!((moments.mean[0], moments.variance[0]), (2.0, 1.0));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn column_moments(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
) -> Result<ColumnMoments> {
    x.complete_on(stream, "column_moments")?;
    if let Some(weights) = weights {
        check_weights(stream, "column_moments", x, weights)?;
    }
    if stream.gpu().is_none() {
        let weights = weights.map(DeviceVec::values).transpose()?;
        return Ok(crate::cpu::reduce::column_moments::column_moments(x.values()?, x.rows(), x.columns(), weights));
    }
    let (mean, weight) = column_means(stream, x, weights)?;
    let rounded: Vec<f32> = mean.iter().map(|mean| *mean as f32).collect();
    let squares = share(central_sums(stream, x, weights, &rounded, 2)?, weight);
    // The squares are about the rounded mean: what that adds is known.
    let shift = mean.iter().zip(&rounded).map(|(mean, rounded)| (mean - *rounded as f64).powi(2));
    let variance = squares.iter().zip(shift).map(|(square, shift)| (square - shift).max(0.0)).collect();
    Ok(ColumnMoments { mean, variance, count: x.rows(), weight })
}

/// The mean of each column and the sum of the weights, in two passes on a GPU. No rows, or no weight, give zeros.
pub(crate) fn column_means(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
) -> Result<(Vec<f64>, f64)> {
    let weight = weights.map_or(Ok(x.rows() as f64), |weights| crate::ops::sum(stream, weights))?;
    // The mean to a few digits, then what it misses: exact however far off-centre the data lie.
    let sums = column_sums(stream, x, Terms { factor: weights, center: None })?;
    let near: Vec<f32> = share(sums, weight).into_iter().map(|mean| mean as f32).collect();
    let missed = share(central_sums(stream, x, weights, &near, 1)?, weight);
    let mean = near.iter().zip(missed).map(|(near, missed)| if weight > 0.0 { *near as f64 + missed } else { 0.0 });
    Ok((mean.collect(), weight))
}

fn share(sums: Vec<f64>, weight: f64) -> Vec<f64> {
    sums.into_iter().map(|sum| if weight > 0.0 { sum / weight } else { 0.0 }).collect()
}

/// Σw·(x − center)^power of each column, w the factors or 1, on a GPU.
pub(crate) fn central_sums(
    stream: &mut Stream,
    x: &DeviceMatrix,
    factor: Option<&DeviceVec<f32>>,
    center: &[f32],
    power: u32,
) -> Result<Vec<f64>> {
    let mut row = center.to_vec();
    row.resize(padded(x.columns()).max(4), 0.0);
    let center = DeviceVec::from_slice(&row, &stream.device().clone())?;
    let view = center.view(stream)?;
    column_sums(stream, x, Terms { factor, center: Some((view.buffer(), power)) })
}

/// Weights must be one for each row, on the stream's device, and none of them negative or missing.
pub(crate) fn check_weights(
    stream: &mut Stream,
    op: &'static str,
    x: &DeviceMatrix,
    weights: &DeviceVec<f32>,
) -> Result<()> {
    weights.complete_on(stream, op)?;
    if weights.len() != x.rows() {
        return Err(Error::shape(op, format!("{} weights, one for each row", x.rows()), weights.len()));
    }
    match crate::ops::minimum(stream, weights)? {
        Some((least, at)) if least < 0.0 => {
            Err(Error::param("weights", "not negative", format!("{least} in row {at}")))
        }
        _ => Ok(()),
    }
}
