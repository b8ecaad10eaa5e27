//! The log-loss of classes and its slope by the coefficients.

use crate::array::DeviceMatrix;
use crate::cpu::linalg::softmax_gradient::BLOCK;
pub(crate) use crate::cpu::linalg::softmax_gradient::{ClassPlanes, SoftmaxGradient};
use crate::device::Stream;
use crate::error::Result;

/// The sums of X (n×d) with a class for each row, in f64 on the host wherever X lives. The rows come from the host's copy
/// where there is one.
pub(crate) fn softmax_gradient(
    stream: &mut Stream,
    x: &DeviceMatrix,
    classes: &[u32],
    weights: Option<&[f32]>,
    planes: ClassPlanes<'_>,
) -> Result<SoftmaxGradient> {
    let mut sums = SoftmaxGradient::new(x.columns(), planes.intercept.len());
    x.for_host_rows(stream, BLOCK, |rows, values| {
        let weights = weights.map(|weights| &weights[rows.clone()]);
        sums.add(values, &classes[rows], weights, planes);
        Ok(())
    })?;
    Ok(sums)
}
