//! Distances between all rows of two matrices, on the tile core.

use rayon::prelude::*;

use crate::cpu::tile::{
    AbsoluteDifference, Accumulate, LargestDifference, OneMinusDot, Operand, SquaredDifference, product,
};
use crate::cpu::vectorised;

/// Numbers a task scales at least: some 15 µs.
const NUMBERS_PER_TASK: usize = 1 << 15;
/// Sums of squares carried side by side.
const LANES: usize = 16;

/// `out[i·m + j] = Σ_k (x[i][k] − y[j][k])²` for `x` of `n×d` and `y` of `m×d`, row-major.
///
/// The direct form: no norms are subtracted, so nothing cancels far from the origin. Costs `n·m·d` steps of one
/// subtraction and one multiply-add.
pub fn sq_euclidean(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    all_pairs(SquaredDifference, (x, n), (y, m), d, out);
}

/// `out[i·m + j] = Σ_k |x[i][k] − y[j][k]|` for `x` of `n×d` and `y` of `m×d`, row-major.
///
/// Costs `n·m·d` steps of a subtraction and an addition. Within `(min(d, 256) + 18)·2⁻²⁴·Σ|terms|` of the exact sum.
pub fn manhattan(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    all_pairs(AbsoluteDifference, (x, n), (y, m), d, out);
}

/// `out[i·m + j] = max_k |x[i][k] − y[j][k]|` for `x` of `n×d` and `y` of `m×d`, row-major; 0 for a `d` of 0.
///
/// Costs `n·m·d` steps of a subtraction and a comparison. The only rounding is that of the difference.
pub fn chebyshev(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    all_pairs(LargestDifference, (x, n), (y, m), d, out);
}

/// `out[i·m + j] = 1 − x[i]·y[j] / (|x[i]|·|y[j]|)` for `x` of `n×d` and `y` of `m×d`, row-major, held in `[0, 2]`.
///
/// A row of zeros is at distance 1 from every row. Costs `n·m·d` multiply-adds and room for both matrices with rows
/// of length one. Within `(min(d, 256) + 20)·2⁻²⁴` of the exact distance.
pub fn cosine(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    // Scaled before they are multiplied: products of large or tiny rows would leave the range of f32.
    let (x, y) = (unit_rows(x, d), unit_rows(y, d));
    all_pairs(OneMinusDot, (&x, n), (&y, m), d, out);
}

fn all_pairs(step: impl Accumulate, (x, n): (&[f32], usize), (y, m): (&[f32], usize), d: usize, out: &mut [f32]) {
    debug_assert_eq!((x.len(), y.len(), out.len()), (n * d, m * d, n * m));
    product(step, Operand::from_rows(x, n, d), Operand::from_rows(y, m, d), 1.0, 0.0, out, m);
}

/// The rows divided by their lengths; rows of zeros stay.
pub(in crate::cpu) fn unit_rows(x: &[f32], columns: usize) -> Vec<f32> {
    let mut out = vec![0.0; x.len()];
    if columns > 0 {
        let numbers = NUMBERS_PER_TASK.div_ceil(columns) * columns;
        out.par_chunks_mut(numbers).zip(x.par_chunks(numbers)).for_each(|(out, x)| write_unit_rows(x, columns, out));
    }
    out
}

/// [`unit_rows`] on this thread, for `columns ≥ 1`.
pub(in crate::cpu) fn write_unit_rows(x: &[f32], columns: usize, out: &mut [f32]) {
    vectorised!(scale_rows(x, columns, out));
}

#[inline(always)]
fn scale_rows(x: &[f32], columns: usize, out: &mut [f32]) {
    for (row, out) in x.chunks_exact(columns).zip(out.chunks_exact_mut(columns)) {
        let length = sum_of_squares(row).sqrt();
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        out.iter_mut().zip(row).for_each(|(out, &value)| *out = (f64::from(value) * scale) as f32);
    }
}

/// In f64, whose range holds the square of every f32.
#[inline(always)]
fn sum_of_squares(row: &[f32]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (groups, rest) = row.as_chunks::<LANES>();
    for group in groups {
        for (lane, &value) in lanes.iter_mut().zip(group) {
            *lane += f64::from(value) * f64::from(value);
        }
    }
    let tail: f64 = rest.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
    lanes.iter().sum::<f64>() + tail
}
