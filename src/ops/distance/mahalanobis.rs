//! Mahalanobis distances.

use super::{EUCLIDEAN, pairwise};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::linalg::gemm::{Layout, gemm};

/// |W·xᵢ − W·yⱼ| for each row of X (n×d) and each row of Y (m×d), with W of d×d: n×m values.
///
/// With VI = Wᵀ·W this is √((x−y)ᵀ·VI·(x−y)); from a Cholesky factor VI = L·Lᵀ, W is Lᵀ. Each whitened coordinate
/// carries an error of (d + 2)·ε·Σ|W·x|, ε = 2⁻²⁴, so centre data that lie far from the origin first.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let whitening = Matrix::from_rows(&[[2.0, 0.0], [0.0, 1.0]])?.to(&Device::Cpu)?;
/// let distances = ops::mahalanobis(&mut stream, &x, &x, &whitening)?.to_matrix(&mut stream)?;
/// assert!((distances.get(0, 1) - 52.0_f32.sqrt()).abs() < 1e-5);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn mahalanobis(
    stream: &mut Stream,
    x: &DeviceMatrix,
    y: &DeviceMatrix,
    whitening: &DeviceMatrix,
) -> Result<DeviceMatrix> {
    let d = x.columns();
    if (whitening.rows(), whitening.columns()) != (d, d) || y.columns() != d {
        return Err(Error::Shape {
            op: "mahalanobis",
            expected: format!("{d} columns in both and a whitening matrix of {d}×{d}"),
            got: format!("{} columns and {}×{}", y.columns(), whitening.rows(), whitening.columns()),
        });
    }
    let white_x = gemm(stream, Layout::NT, x, whitening)?;
    let white_y = gemm(stream, Layout::NT, y, whitening)?;
    pairwise(stream, "mahalanobis", (&EUCLIDEAN, 1.0), (&white_x, &white_y), |x, n, y, m, d, out| {
        crate::cpu::distance::minkowski::minkowski(x, n, y, m, d, 2.0, out);
    })
}
