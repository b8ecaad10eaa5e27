//! The largest value of each row.

use super::extreme::{Extreme, extreme_rows};
use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::Stream;
use crate::error::Result;

/// For each row of X (n×d, d ≥ 1) the column of its largest value and that value; ties go to the lowest column.
/// Exact: the same on every device.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[3.0, 1.0, 1.0], [0.0, 5.0, 2.0]])?.to(&Device::Cpu)?;
/// let (index, value) = ops::argmax_rows(&mut stream, &x)?;
/// assert_eq!(index.to_vec(&mut stream)?, [0, 1]);
/// assert_eq!(value.to_vec(&mut stream)?, [3.0, 5.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn argmax_rows(stream: &mut Stream, x: &DeviceMatrix) -> Result<(DeviceVec<u32>, DeviceVec<f32>)> {
    extreme_rows(stream, "argmax_rows", (Extreme::Largest, crate::cpu::reduce::argmax_rows::argmax_rows), x)
}
