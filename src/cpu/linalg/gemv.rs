//! The product of a matrix, or of its transpose, with a vector.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::cpu::simd::arch;

/// Numbers a task reads at least: some 15 µs.
const NUMBERS_PER_TASK: usize = 1 << 16;
/// Columns of a row summed in f32 lanes; longer rows are added span by span in f64.
const SPAN: usize = 4096;
/// Columns up to which a row is summed by single numbers, in f64.
const SHORT: usize = 7;
/// Vectors of sums of a row: four chains hide the latency of a multiply-add.
const CHAINS: usize = 4;
/// Rows that a transposed product adds in f32 before the sums go to f64, and those it takes at once.
const RUN: usize = 256;
const ROWS_AT_ONCE: usize = 4;
/// Numbers in a block of rows of a transposed product; the blocks are added in f64, in index order.
const BLOCK_NUMBERS: usize = 1 << 18;

/// `y = alpha·A·x + beta·y` for `a` of `rows×columns`, `x` of `columns`, `y` of `rows`.
///
/// With `beta` 0 the old `y` is not read. An element depends on its row alone. Reads `a` once; within
/// `264·2⁻²⁴·(|alpha|·Σ|terms| + |beta·y|)` of the exact value, with vectors of four lanes or more.
pub fn gemv(alpha: f32, a: &[f32], rows: usize, columns: usize, x: &[f32], beta: f32, y: &mut [f32]) {
    debug_assert_eq!(a.len(), rows * columns);
    debug_assert!(x.len() == columns && y.len() == rows);
    if columns == 0 {
        return y.iter_mut().for_each(|y| *y = blend(alpha, 0.0, beta, *y));
    }
    let rows_per_task = NUMBERS_PER_TASK.div_ceil(columns);
    if rows <= rows_per_task {
        return arch().dispatch(Rows { alpha, a, x, beta, y });
    }
    a.par_chunks(rows_per_task * columns)
        .zip(y.par_chunks_mut(rows_per_task))
        .for_each(|(a, y)| arch().dispatch(Rows { alpha, a, x, beta, y }));
}

/// `y = alpha·Aᵀ·x + beta·y` for `a` of `rows×columns`, `x` of `rows`, `y` of `columns`.
///
/// With `beta` 0 the old `y` is not read. Reads `a` once; within `258·2⁻²⁴·(|alpha|·Σ|terms| + |beta·y|)` of the
/// exact value.
pub fn gemv_transposed(alpha: f32, a: &[f32], rows: usize, columns: usize, x: &[f32], beta: f32, y: &mut [f32]) {
    debug_assert_eq!(a.len(), rows * columns);
    debug_assert!(x.len() == rows && y.len() == columns);
    if columns == 0 {
        return;
    }
    // The cut follows from the shape alone, so the sums do not depend on the threads.
    let block = (BLOCK_NUMBERS / columns).clamp(64, 4096);
    let block_sums = |(a, x)| {
        let mut sums = vec![0.0_f64; columns];
        arch().dispatch(Columns { a, x, run: &mut vec![0.0_f32; columns], sums: &mut sums });
        sums
    };
    let parts = a.par_chunks(block * columns).zip(x.par_chunks(block));
    let blocks: Vec<Vec<f64>> =
        parts.with_min_len(NUMBERS_PER_TASK.div_ceil(block * columns)).map(block_sums).collect();
    let mut total = vec![0.0_f64; columns];
    for sums in &blocks {
        total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
    }
    y.iter_mut().zip(total).for_each(|(y, sum)| *y = blend(alpha, sum, beta, *y));
}

/// The new output from an f64 sum, rounded once.
#[inline(always)]
fn blend(alpha: f32, sum: f64, beta: f32, old: f32) -> f32 {
    let product = f64::from(alpha) * sum;
    if beta == 0.0 { product as f32 } else { (product + f64::from(beta) * f64::from(old)) as f32 }
}

struct Rows<'a> {
    alpha: f32,
    a: &'a [f32],
    x: &'a [f32],
    beta: f32,
    y: &'a mut [f32],
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (row, y) in self.a.chunks_exact(self.x.len()).zip(self.y) {
            let mut sum = 0.0_f64;
            if row.len() <= SHORT {
                for (&a, &x) in row.iter().zip(self.x) {
                    sum += f64::from(a) * f64::from(x);
                }
                *y = blend(self.alpha, sum, self.beta, *y);
                continue;
            }
            for (row, x) in row.chunks(SPAN).zip(self.x.chunks(SPAN)) {
                sum += f64::from(dot(simd, row, x));
            }
            *y = blend(self.alpha, sum, self.beta, *y);
        }
    }
}

/// The inner product of at most a span, in four vectors of sums.
#[inline(always)]
fn dot<S: Simd>(simd: S, a: &[f32], x: &[f32]) -> f32 {
    let whole = a.len() / (CHAINS * S::F32_LANES) * (CHAINS * S::F32_LANES);
    let (a, a_rest) = a.split_at(whole);
    let (x, x_rest) = x.split_at(whole);
    let (a, _) = S::as_simd_f32s(a).0.as_chunks::<CHAINS>();
    let (x, _) = S::as_simd_f32s(x).0.as_chunks::<CHAINS>();
    let mut sums = [simd.splat_f32s(0.0); CHAINS];
    for (a, x) in a.iter().zip(x) {
        for ((sum, &a), &x) in sums.iter_mut().zip(a).zip(x) {
            *sum = simd.mul_add_e_f32s(a, x, *sum);
        }
    }
    let mut rest = simd.splat_f32s(0.0);
    for (a, x) in a_rest.chunks(S::F32_LANES).zip(x_rest.chunks(S::F32_LANES)) {
        rest = simd.mul_add_e_f32s(simd.partial_load_f32s(a), simd.partial_load_f32s(x), rest);
    }
    let [first, second, third, fourth] = sums;
    let sum = simd.add_f32s(simd.add_f32s(first, second), simd.add_f32s(third, fourth));
    simd.reduce_sum_f32s(simd.add_f32s(sum, rest))
}

/// Sums of the columns of a block of rows, each row times its `x`.
struct Columns<'a> {
    a: &'a [f32],
    x: &'a [f32],
    /// Room for the sums of a run.
    run: &'a mut [f32],
    sums: &'a mut [f64],
}

impl WithSimd for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let columns = self.sums.len();
        for (a, x) in self.a.chunks(RUN * columns).zip(self.x.chunks(RUN)) {
            self.run.fill(0.0);
            let (quads, rest) = x.as_chunks::<ROWS_AT_ONCE>();
            let (a_quads, a_rest) = a.split_at(quads.len() * ROWS_AT_ONCE * columns);
            for (a, x) in a_quads.chunks_exact(ROWS_AT_ONCE * columns).zip(quads) {
                add_four(simd, a, x, self.run);
            }
            for (a, &x) in a_rest.chunks_exact(columns).zip(rest) {
                add_one(simd, a, x, self.run);
            }
            self.sums.iter_mut().zip(&*self.run).for_each(|(sum, &value)| *sum += f64::from(value));
        }
    }
}

/// `sums += Σ x[k]·a[k]` over four rows: the sums are read and written once for all four.
#[inline(always)]
fn add_four<S: Simd>(simd: S, a: &[f32], x: &[f32; ROWS_AT_ONCE], sums: &mut [f32]) {
    let (first, rest) = a.split_at(sums.len());
    let (second, rest) = rest.split_at(sums.len());
    let (third, fourth) = rest.split_at(sums.len());
    let mut scale = [simd.splat_f32s(0.0); ROWS_AT_ONCE];
    for (scale, &x) in scale.iter_mut().zip(x) {
        *scale = simd.splat_f32s(x);
    }
    let (vectors, tail) = S::as_mut_simd_f32s(sums);
    let ((first, first_tail), (second, second_tail)) = (S::as_simd_f32s(first), S::as_simd_f32s(second));
    let ((third, third_tail), (fourth, fourth_tail)) = (S::as_simd_f32s(third), S::as_simd_f32s(fourth));
    let rows = first.iter().zip(second).zip(third).zip(fourth);
    for (sum, (((&first, &second), &third), &fourth)) in vectors.iter_mut().zip(rows) {
        *sum = add_products(simd, *sum, &scale, [first, second, third, fourth]);
    }
    if !tail.is_empty() {
        let near = [simd.partial_load_f32s(first_tail), simd.partial_load_f32s(second_tail)];
        let far = [simd.partial_load_f32s(third_tail), simd.partial_load_f32s(fourth_tail)];
        let values = [near[0], near[1], far[0], far[1]];
        let sum = add_products(simd, simd.partial_load_f32s(tail), &scale, values);
        simd.partial_store_f32s(tail, sum);
    }
}

/// `sum + Σ scale[k]·values[k]`, the earlier rows first.
#[inline(always)]
fn add_products<S: Simd>(
    simd: S,
    mut sum: S::f32s,
    scale: &[S::f32s; ROWS_AT_ONCE],
    values: [S::f32s; ROWS_AT_ONCE],
) -> S::f32s {
    for (&scale, value) in scale.iter().zip(values) {
        sum = simd.mul_add_e_f32s(scale, value, sum);
    }
    sum
}

/// `sums += x·a` for one row.
#[inline(always)]
fn add_one<S: Simd>(simd: S, a: &[f32], x: f32, sums: &mut [f32]) {
    let x = simd.splat_f32s(x);
    for (a, sum) in a.chunks(S::F32_LANES).zip(sums.chunks_mut(S::F32_LANES)) {
        let value = simd.mul_add_e_f32s(x, simd.partial_load_f32s(a), simd.partial_load_f32s(sum));
        simd.partial_store_f32s(sum, value);
    }
}
