//! Whether a function of two rows is a kernel.

use nalgebra::DMatrix;

use super::Kernel;
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::linalg::Eigen;

/// Rows that are looked at.
const MOST_ROWS: usize = 500;
/// How far below 0, as a share of the largest eigenvalue, rounding may put one.
const ROUNDING: f64 = 1e-10;

/// The smallest eigenvalue of the kernel matrix of the rows (of 500 of them, evenly spaced, if there are more), in f64. One
/// that is clearly negative, or a matrix that is not symmetric, is an error: the function is no inner product in any space.
///
/// ```
/// use gristmill::kernel_methods::{Kernel, mercer_check};
/// let x = gristmill::datasets::iris()?.x;
/// assert!(mercer_check(&Kernel::rbf(0.5), &x)? > -1e-9);
/// let distance = Kernel::function("distance", |x, y| x.iter().zip(y).map(|(x, y)| f64::from(x - y).powi(2)).sum());
/// assert!(mercer_check(&distance, &x).is_err());
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn mercer_check(kernel: &Kernel, x: &Matrix) -> Result<f64> {
    x.refuse_missing()?;
    kernel.check()?;
    let moments = crate::cpu::reduce::column_moments::column_moments(x.as_slice(), x.rows(), x.columns(), None);
    let d = x.columns().max(1) as f64;
    let mean = moments.mean.iter().sum::<f64>() / d;
    let spread = moments.mean.iter().zip(&moments.variance).map(|(m, v)| v + (m - mean).powi(2)).sum::<f64>() / d;
    let kernel = kernel.resolved(x.columns(), spread);
    let rows: Vec<usize> = match x.rows() > MOST_ROWS {
        true => (0..MOST_ROWS).map(|at| at * x.rows() / MOST_ROWS).collect(),
        false => (0..x.rows()).collect(),
    };
    let mut matrix = DMatrix::zeros(rows.len(), rows.len());
    for (i, &row) in rows.iter().enumerate() {
        for (j, &column) in rows.iter().enumerate() {
            matrix[(i, j)] = match kernel.is_precomputed() {
                true => f64::from(x.get(row, column)),
                false => kernel.value(x.row(row), x.row(column))?,
            };
        }
    }
    let largest = matrix.amax();
    if (&matrix - matrix.transpose()).amax() > 1e-6 * largest {
        return Err(Error::param("kernel", "symmetric: k(x, y) = k(y, x)", kernel));
    }
    let values = Eigen::values_of(&matrix)?;
    let (first, last) =
        (values.iter().copied().fold(0.0, f64::max), values.iter().copied().fold(f64::INFINITY, f64::min));
    if rows.is_empty() || last >= -ROUNDING * first * rows.len() as f64 {
        return Ok(if rows.is_empty() { 0.0 } else { last });
    }
    let rule =
        format!("positive semi-definite on these rows; its matrix has the eigenvalue {last:.3e} beside {first:.3e}");
    Err(Error::param("kernel", rule, kernel))
}
