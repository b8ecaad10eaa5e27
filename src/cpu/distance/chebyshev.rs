//! Chebyshev distances between all rows of two matrices.

use crate::cpu::tile::{LargestDifference, Operand, product};

/// `out[i·m + j] = max_k |x[i][k] − y[j][k]|` for `x` of `n×d` and `y` of `m×d`, row-major; 0 for a `d` of 0.
///
/// Costs `n·m·d` steps of a subtraction and a comparison. The only rounding is that of the difference.
pub fn chebyshev(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    debug_assert_eq!(x.len(), n * d);
    debug_assert_eq!(y.len(), m * d);
    debug_assert_eq!(out.len(), n * m);
    product(LargestDifference, Operand::from_rows(x, n, d), Operand::from_rows(y, m, d), 1.0, 0.0, out, m);
}
