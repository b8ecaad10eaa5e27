//! Squared Euclidean distances between all rows of two matrices.

use crate::cpu::tile::{Operand, SquaredDifference, product};

/// `out[i·m + j] = Σ_k (x[i][k] − y[j][k])²` for `x` of `n×d` and `y` of `m×d`, row-major.
///
/// The direct form: no norms are subtracted, so nothing cancels far from the origin. Costs `n·m·d` steps of one
/// subtraction and one multiply-add.
pub fn sq_euclidean(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    debug_assert_eq!(x.len(), n * d);
    debug_assert_eq!(y.len(), m * d);
    debug_assert_eq!(out.len(), n * m);
    product(SquaredDifference, Operand::from_rows(x, n, d), Operand::from_rows(y, m, d), 1.0, 0.0, out, m);
}
