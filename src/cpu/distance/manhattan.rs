//! Manhattan distances between all rows of two matrices.

use crate::cpu::tile::{AbsoluteDifference, Operand, product};

/// `out[i·m + j] = Σ_k |x[i][k] − y[j][k]|` for `x` of `n×d` and `y` of `m×d`, row-major.
///
/// Costs `n·m·d` steps of a subtraction and an addition. Within `(min(d, 256) + 18)·2⁻²⁴·Σ|terms|` of the exact sum.
pub fn manhattan(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    debug_assert_eq!(x.len(), n * d);
    debug_assert_eq!(y.len(), m * d);
    debug_assert_eq!(out.len(), n * m);
    product(AbsoluteDifference, Operand::from_rows(x, n, d), Operand::from_rows(y, m, d), 1.0, 0.0, out, m);
}
