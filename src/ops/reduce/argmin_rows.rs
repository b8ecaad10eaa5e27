//! The smallest value of each row.

use super::extreme::{Extreme, Params, extreme_rows};
use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::Stream;
use crate::error::Result;
use crate::kernel::kernels;

kernels! {
    /// X, the columns, the values; the largest with `LARGEST`.
    pub KERNEL = "reduce/argmin_rows", [Read, Write, Write], Params;
}

/// For each row of X (n×d, d ≥ 1) the column of its smallest value and that value; ties go to the lowest column.
/// Exact: the same on every device.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[3.0, 1.0, 1.0], [0.0, 5.0, 2.0]])?.to(&Device::Cpu)?;
/// let (index, value) = ops::argmin_rows(&mut stream, &x)?;
/// assert_eq!(index.to_vec(&mut stream)?, [1, 0]);
/// assert_eq!(value.to_vec(&mut stream)?, [1.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn argmin_rows(stream: &mut Stream, x: &DeviceMatrix) -> Result<(DeviceVec<u32>, DeviceVec<f32>)> {
    extreme_rows(stream, "argmin_rows", (Extreme::Smallest, crate::cpu::reduce::argmin_rows::argmin_rows), x)
}
