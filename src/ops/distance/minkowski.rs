//! Minkowski distances.

use super::{CHEBYSHEV, EUCLIDEAN, MANHATTAN, MINKOWSKI, pairwise};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::{Error, Result};

/// (Σ|xᵢ − yⱼ|ᵖ)^(1/p), p ≥ 1, for each row of X (n×d) and each row of Y (m×d): n×m values. The orders 1, 2 and infinity
/// are Manhattan, Euclidean and Chebyshev; others cost a logarithm and an exponential a step.
///
/// The error is at most (d + 3·p·|log₂ of the largest difference| + 30)·ε of the value, ε = 2⁻²⁴. On a GPU the powers must
/// stay within the range of `f32`: a sum beyond it is an error at the read-back, and differences below 2^(−126/p) count
/// as 0. Scale such data, or use the CPU, which divides by the largest difference first.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let distances = ops::minkowski(&mut stream, &x, &x, 2.0)?.to_matrix(&mut stream)?;
/// assert_eq!(distances.as_slice(), [0.0, 5.0, 5.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn minkowski(stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix, p: f32) -> Result<DeviceMatrix> {
    if p.is_nan() || p < 1.0 {
        return Err(Error::Param { name: "p", rule: "at least 1".to_string(), got: p.to_string() });
    }
    let kernel = match p {
        1.0 => &MANHATTAN,
        2.0 => &EUCLIDEAN,
        f32::INFINITY => &CHEBYSHEV,
        _ => &MINKOWSKI,
    };
    pairwise(stream, "minkowski", (kernel, if p.is_finite() { p } else { 1.0 }), (x, y), |x, n, y, m, d, out| {
        crate::cpu::distance::minkowski::minkowski(x, n, y, m, d, p, out);
    })
}
