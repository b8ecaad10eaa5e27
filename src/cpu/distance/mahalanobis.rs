//! Mahalanobis distances between all rows of two matrices.

use crate::cpu::tile::{Dot, Euclidean, Operand, product};

/// `out[i·m + j] = |W·x[i] − W·y[j]|` for `x` of `n×d`, `y` of `m×d` and `whitening` W of `d×d`, row-major.
///
/// With `VI = Wᵀ·W` this is `√((x − y)ᵀ·VI·(x − y))`; from a Cholesky factor `VI = L·Lᵀ`, W is `Lᵀ`. Costs
/// `(n + m)·d²` multiply-adds and `n·m·d` steps, and room for both whitened matrices.
///
/// A whitened coordinate carries an error of `(min(d, 256) + 18)·2⁻²⁴·Σ|W·x|`: rows far from the origin should be
/// centred first, all by the same vector, which does not change the distances.
pub fn mahalanobis(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, whitening: &[f32], out: &mut [f32]) {
    debug_assert_eq!(x.len(), n * d);
    debug_assert_eq!(y.len(), m * d);
    debug_assert_eq!(whitening.len(), d * d);
    debug_assert_eq!(out.len(), n * m);
    let whiten = |rows: &[f32], count: usize| {
        let mut white = vec![0.0; count * d];
        let whitening = Operand::from_rows(whitening, d, d);
        product(Dot, Operand::from_rows(rows, count, d), whitening, 1.0, 0.0, &mut white, d);
        white
    };
    let (x, y) = (whiten(x, n), whiten(y, m));
    product(Euclidean, Operand::from_rows(&x, n, d), Operand::from_rows(&y, m, d), 1.0, 0.0, out, m);
}
