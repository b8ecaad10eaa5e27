//! Chebyshev distances.

use super::{CHEBYSHEV, pairwise};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::Result;

/// max|xᵢ − yⱼ| for each row of X (n×d) and each row of Y (m×d): n×m values, 3·n·m·d operations. Only the one difference
/// is rounded.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::chebyshev(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 4.0, 4.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn chebyshev(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    pairwise(stream, "chebyshev", (&CHEBYSHEV, 1.0), (x, y), |x, n, y, m, d, out| {
        crate::cpu::distance::chebyshev::chebyshev(x, n, y, m, d, out);
    })
}
