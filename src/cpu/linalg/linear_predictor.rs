//! Planes over the columns: the prediction of a linear model for each row.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Numbers a task reads at least.
const NUMBERS_PER_TASK: usize = 1 << 16;
/// Sums carried side by side.
const LANES: usize = 16;

/// `out = x·coefᵀ + intercept`, `n×p`, for `x` of `n×columns` and `coef` of `p×columns`.
///
/// Each is summed in f64 and rounded once, so a row's result does not depend on the others. `2·n·columns·p` operations.
///
/// ```
/// use gristmill::cpu::linalg::linear_predictor::linear_predictor;
/// let mut out = [0.0; 2];
/// linear_predictor(&[1.0, 2.0, 3.0, 4.0], 2, &[10.0, 1.0], &[0.5], &mut out);
/// assert_eq!(out, [12.5, 34.5]);
/// ```
pub fn linear_predictor(x: &[f32], columns: usize, coef: &[f64], intercept: &[f64], out: &mut [f32]) {
    let outputs = intercept.len();
    debug_assert!(coef.len() == outputs * columns && x.len() * outputs == out.len() * columns);
    if outputs == 0 || columns == 0 {
        out.chunks_exact_mut(outputs.max(1)).for_each(|out| {
            out.iter_mut().zip(intercept).for_each(|(out, intercept)| *out = *intercept as f32);
        });
        return;
    }
    let at_once = NUMBERS_PER_TASK.div_ceil(columns * outputs);
    let blocks = out.par_chunks_mut(at_once * outputs).zip(x.par_chunks(at_once * columns));
    blocks.for_each(|(out, x)| vectorised!(planes(x, coef, intercept, out)));
}

/// Some rows on this thread.
#[inline(always)]
fn planes(x: &[f32], coef: &[f64], intercept: &[f64], out: &mut [f32]) {
    let (outputs, columns) = (intercept.len(), coef.len() / intercept.len());
    for (x, out) in x.chunks_exact(columns).zip(out.chunks_exact_mut(outputs)) {
        let planes = coef.chunks_exact(columns).zip(intercept);
        for (out, (coef, intercept)) in out.iter_mut().zip(planes) {
            *out = (dot(x, coef) + intercept) as f32;
        }
    }
}

/// The inner product in f64, in fixed lanes, for the compiler to vectorise.
#[inline(always)]
pub(in crate::cpu) fn dot(x: &[f32], coef: &[f64]) -> f64 {
    let ((x, x_rest), (coef, coef_rest)) = (x.as_chunks::<LANES>(), coef.as_chunks::<LANES>());
    let mut sums = [0.0_f64; LANES];
    for (x, coef) in x.iter().zip(coef) {
        for ((sum, &x), &coef) in sums.iter_mut().zip(x).zip(coef) {
            *sum += f64::from(x) * coef;
        }
    }
    let rest: f64 = x_rest.iter().zip(coef_rest).map(|(&x, &coef)| f64::from(x) * coef).sum();
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = sums.split_at_mut(width);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        width /= 2;
    }
    sums[0] + rest
}
