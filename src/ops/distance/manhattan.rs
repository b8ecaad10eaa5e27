//! Manhattan distances.

use super::{MANHATTAN, pairwise};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::Result;

/// Σ|xᵢ − yⱼ| for each row of X (n×d) and each row of Y (m×d): n×m values, 3·n·m·d operations. The error of each value is
/// at most (d + 2)·ε of the value itself, ε = 2⁻²⁴.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::manhattan(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 7.0, 7.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn manhattan(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    pairwise(stream, "manhattan", (&MANHATTAN, 1.0), (x, y), |x, n, y, m, d, out| {
        crate::cpu::distance::manhattan::manhattan(x, n, y, m, d, out);
    })
}
