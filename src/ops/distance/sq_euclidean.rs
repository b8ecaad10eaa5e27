//! Squared Euclidean distances.

use super::{SQ_EUCLIDEAN, pairwise};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::Result;

/// |xᵢ − yⱼ|² for each row of X (n×d) and each row of Y (m×d): n×m values, 3·n·m·d operations.
///
/// By the direct form, so data far off-centre and near-duplicates are right: the error of each value is at most
/// (d + 4)·ε of the value itself, ε = 2⁻²⁴.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::sq_euclidean(&mut stream, &x, &x)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 25.0, 25.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sq_euclidean(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
    pairwise(stream, "sq_euclidean", (&SQ_EUCLIDEAN, 1.0), (x, y), |x, n, y, m, d, out| {
        crate::cpu::distance::sq_euclidean::sq_euclidean(x, n, y, m, d, out);
    })
}
