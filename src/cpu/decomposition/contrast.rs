//! What a step of independent components needs: how far projections are from normal, and where that grows.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::cpu::elementary::exp2;
use crate::cpu::simd::arch;

/// The function g of a projection y whose mean product with the rows is sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contrast {
    /// tanh(a·y), the slope of log cosh(a·y)/a.
    Logcosh(f32),
    /// y·exp(−y²/2).
    Exp,
    /// y³.
    Cube,
}

impl Contrast {
    /// g and its slope at y.
    pub fn of(self, y: f64) -> (f64, f64) {
        match self {
            Contrast::Logcosh(a) => {
                let (a, g) = (f64::from(a), (f64::from(a) * y).tanh());
                (g, a * (1.0 - g * g))
            }
            Contrast::Exp => {
                let e = (-0.5 * y * y).exp();
                (y * e, (1.0 - y * y) * e)
            }
            Contrast::Cube => (y * y * y, 3.0 * y * y),
        }
    }
}

/// Columns of Z that are worked on at a time: k + m rows of them stay in the first cache for some dozens of components.
const COLUMNS: usize = 128;
/// Blocks of columns whose sums are made in f32 before they are added in f64.
const BLOCKS: usize = 8;
/// Projections, and rows of Z, that share the registers.
const TALL: usize = 4;
const WIDE: usize = 2;

/// `products = g(W·Z)·Zᵀ`, `m×k`, and `slopes`, the sums of g′ along the rows of W·Z, for Z of `k×n` and W of `m×k`.
///
/// Sums of 1024 columns are made in f32, and added in f64 in their order. 4·n·m·k operations.
pub fn contrast(
    function: Contrast,
    z: &[f32],
    (k, n): (usize, usize),
    w: &[f32],
    m: usize,
    products: &mut [f64],
    slopes: &mut [f64],
) {
    debug_assert_eq!((z.len(), w.len(), products.len(), slopes.len()), (k * n, m * k, m * k, m));
    let part = COLUMNS * BLOCKS;
    let parts: Vec<Vec<f32>> = (0..n.div_ceil(part))
        .into_par_iter()
        .map(|at| {
            let mut sums = vec![0.0; m * k + m];
            let mut room = vec![0.0; (k + 2 * m) * COLUMNS];
            for first in (at * part..n.min((at + 1) * part)).step_by(COLUMNS) {
                let width = COLUMNS.min(n - first);
                for (row, target) in room.chunks_exact_mut(COLUMNS).take(k).enumerate() {
                    target[..width].copy_from_slice(&z[row * n + first..][..width]);
                    target[width..].fill(0.0);
                }
                arch().dispatch(Block { function, k, m, width, w, room: &mut room, sums: &mut sums });
            }
            sums
        })
        .collect();
    products.fill(0.0);
    slopes.fill(0.0);
    for sums in parts {
        let (own, rest) = sums.split_at(m * k);
        products.iter_mut().zip(own).for_each(|(total, sum)| *total += f64::from(*sum));
        slopes.iter_mut().zip(rest).for_each(|(total, sum)| *total += f64::from(*sum));
    }
}

/// One block of columns: rows of Z, then of g, then of g′ in `room`; adds to the sums.
struct Block<'a> {
    function: Contrast,
    k: usize,
    m: usize,
    /// Columns that are there; the others are filled up with zeros.
    width: usize,
    w: &'a [f32],
    room: &'a mut [f32],
    sums: &'a mut [f32],
}

impl WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Block { function, k, m, width, w, room, sums } = self;
        let (z, made) = room.split_at_mut(k * COLUMNS);
        let (g, slope) = made.split_at_mut(m * COLUMNS);
        for (row, g) in g.chunks_mut(TALL * COLUMNS).enumerate() {
            project(simd, z, &w[row * TALL * k..], k, g);
        }
        {
            let (g, slope) = (S::as_mut_simd_f32s(g).0, S::as_mut_simd_f32s(slope).0);
            for (g, slope) in g.iter_mut().zip(slope) {
                (*g, *slope) = function_of(simd, function, *g);
            }
        }
        // g of a zero is 0, its slope need not be.
        slope.chunks_exact_mut(COLUMNS).for_each(|slope| slope[width..].fill(0.0));
        let (products, slopes) = sums.split_at_mut(m * k);
        for (sum, slope) in slopes.iter_mut().zip(slope.chunks_exact(COLUMNS)) {
            let mut total = simd.splat_f32s(0.0);
            for value in S::as_simd_f32s(slope).0 {
                total = simd.add_f32s(total, *value);
            }
            *sum += simd.reduce_sum_f32s(total);
        }
        for (first, g) in g.chunks(TALL * COLUMNS).enumerate() {
            let rows = g.len() / COLUMNS;
            for (at, z) in z.chunks(WIDE * COLUMNS).enumerate() {
                let found = multiply(simd, g, z);
                for (row, found) in found.iter().enumerate().take(rows) {
                    for (column, value) in found.iter().enumerate().take(z.len() / COLUMNS) {
                        products[(first * TALL + row) * k + at * WIDE + column] += value;
                    }
                }
            }
        }
    }
}

/// Up to [`TALL`] rows of W·Z.
#[inline(always)]
fn project<S: Simd>(simd: S, z: &[f32], w: &[f32], k: usize, out: &mut [f32]) {
    let rows = out.len() / COLUMNS;
    let weight = |row: usize, at: usize| simd.splat_f32s(w[row.min(rows - 1) * k + at]);
    let vectors = COLUMNS / S::F32_LANES;
    for first in (0..vectors).step_by(WIDE) {
        let mut sums = [[simd.splat_f32s(0.0); WIDE]; TALL];
        for (at, z) in z.chunks_exact(COLUMNS).enumerate() {
            let z = S::as_simd_f32s(z).0;
            for (row, sums) in sums.iter_mut().enumerate() {
                let weight = weight(row, at);
                for (step, sum) in sums.iter_mut().enumerate() {
                    *sum = simd.mul_add_e_f32s(weight, z[(first + step).min(vectors - 1)], *sum);
                }
            }
        }
        for (out, sums) in out.chunks_exact_mut(COLUMNS).zip(sums) {
            let out = S::as_mut_simd_f32s(out).0;
            for (step, sum) in sums.into_iter().enumerate() {
                out[(first + step).min(vectors - 1)] = sum;
            }
        }
    }
}

/// Products of up to [`TALL`] rows of g with up to [`WIDE`] rows of Z.
#[inline(always)]
fn multiply<S: Simd>(simd: S, g: &[f32], z: &[f32]) -> [[f32; WIDE]; TALL] {
    let row = |from: &[f32], at: usize| at.min(from.len() / COLUMNS - 1) * COLUMNS;
    let g: [&[S::f32s]; TALL] = std::array::from_fn(|at| S::as_simd_f32s(&g[row(g, at)..][..COLUMNS]).0);
    let z: [&[S::f32s]; WIDE] = std::array::from_fn(|at| S::as_simd_f32s(&z[row(z, at)..][..COLUMNS]).0);
    let mut sums = [[simd.splat_f32s(0.0); WIDE]; TALL];
    for at in 0..COLUMNS / S::F32_LANES {
        for (sums, g) in sums.iter_mut().zip(&g) {
            for (sum, z) in sums.iter_mut().zip(&z) {
                *sum = simd.mul_add_e_f32s(g[at], z[at], *sum);
            }
        }
    }
    sums.map(|sums| sums.map(|sum| simd.reduce_sum_f32s(sum)))
}

#[inline(always)]
fn function_of<S: Simd>(simd: S, function: Contrast, y: S::f32s) -> (S::f32s, S::f32s) {
    let number = |value: f32| simd.splat_f32s(value);
    let one = number(1.0);
    match function {
        Contrast::Logcosh(a) => {
            // tanh x = 1 − 2/(e²ˣ + 1): within 2⁻²³ of it, which is what a mean needs.
            let power = exp2(simd, simd.mul_f32s(y, number(2.0 * a * std::f32::consts::LOG2_E)));
            let g = simd.sub_f32s(one, simd.div_f32s(number(2.0), simd.add_f32s(power, one)));
            (g, simd.mul_f32s(number(a), simd.sub_f32s(one, simd.mul_f32s(g, g))))
        }
        Contrast::Exp => {
            let square = simd.mul_f32s(y, y);
            let e = exp2(simd, simd.mul_f32s(square, number(-0.5 * std::f32::consts::LOG2_E)));
            (simd.mul_f32s(y, e), simd.mul_f32s(simd.sub_f32s(one, square), e))
        }
        Contrast::Cube => {
            let square = simd.mul_f32s(y, y);
            (simd.mul_f32s(square, y), simd.mul_f32s(number(3.0), square))
        }
    }
}
