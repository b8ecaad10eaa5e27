//! b − A x as if in twice the precision of `f64`.

use nalgebra::DMatrix;

/// 2²⁷ + 1 cuts an `f64` into two halves of 26 bits, whose products are exact (Veltkamp, Dekker 1971).
const SPLITTER: f64 = 134_217_729.0;

/// Writes b − A x into `out`, each entry correct to about ε·|rᵢ| + d·ε²·Σ|aᵢⱼxⱼ|.
///
/// The products' and the sums' rounding errors are found exactly and added up apart (Ogita, Rump and Oishi 2005,
/// Dot2). By columns, so that the compiler vectorises over rows. No fused multiply-add: without a target feature it is
/// a call. Numbers beyond 1e292 overflow in the split and give NaN.
pub(crate) fn residual(a: &DMatrix<f64>, x: &[f64], b: &[f64], out: &mut [f64]) {
    let rows = a.nrows();
    let mut errors = vec![0.0; rows];
    out.copy_from_slice(b);
    for (column, &factor) in a.as_slice().chunks_exact(rows.max(1)).zip(x) {
        if factor == 0.0 {
            continue;
        }
        let (factor_high, factor_low) = split(factor);
        for ((sum, error), &entry) in out.iter_mut().zip(&mut errors).zip(column) {
            let product = entry * factor;
            let (high, low) = split(entry);
            let lost = ((high * factor_high - product) + high * factor_low + low * factor_high) + low * factor_low;
            let before = *sum;
            let after = before - product;
            let shift = after - before;
            let dropped = (before - (after - shift)) - (product + shift);
            *sum = after;
            *error += dropped - lost;
        }
    }
    out.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
}

fn split(value: f64) -> (f64, f64) {
    let shifted = SPLITTER * value;
    let high = shifted - (shifted - value);
    (high, value - high)
}
