//! The nearest of many rows at the price of a product, where rounding allows.
//!
//! With a centre c near the candidates y and `Y = y − c`, `|x − y|² = |x − c|² + (|Y|² + 2c·Y) − 2x·Y`: the first term is
//! the same for all candidates, the second is computed once, and the third is a product with rows of x where they lie.

use pulp::{Simd, WithSimd};

use super::best::{Candidates, Found, two_smallest};
use super::scratch::with_buffer;
use crate::cpu::simd::arch;

/// The unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;
/// Squares below this may have lost digits to underflow.
const TINY: f32 = 1e-36;
/// Larger numbers are near the end of f32.
const LARGEST: f64 = 1e36;

/// Candidates whose products are compared.
pub struct Scores {
    candidates: Candidates,
    center: Vec<f32>,
    /// What margins are made of: `relative·(constant + slope·|x − c| + |x − c|²)`.
    relative: f32,
    constant: f32,
    slope: f32,
}

impl Scores {
    /// The `rows` candidates `b`, of `depth` numbers each; `None` near the end of the range of f32.
    pub fn new(b: &[f32], rows: usize, depth: usize) -> Option<Self> {
        let mut sums = vec![0.0_f64; depth];
        for row in b.chunks_exact(depth) {
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        let center: Vec<f32> = sums.into_iter().map(|sum| (sum / rows as f64) as f32).collect();
        let mut centred = vec![0.0_f32; rows * depth];
        let mut starts = Vec::with_capacity(rows);
        let (mut longest, mut largest) = (0.0_f64, 0.0_f64);
        for (out, row) in centred.chunks_exact_mut(depth).zip(b.chunks_exact(depth)) {
            let (mut square, mut product) = (0.0_f64, 0.0_f64);
            for ((out, &value), &center) in out.iter_mut().zip(row).zip(&center) {
                let difference = value - center;
                square += f64::from(difference) * f64::from(difference);
                product += f64::from(difference) * f64::from(center);
                *out = -2.0 * difference;
            }
            starts.push((square + 2.0 * product) as f32);
            longest = longest.max(square.sqrt());
            largest = largest.max(square + 2.0 * product.abs());
        }
        let from_origin = center.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
        // The terms of a sum are at most H + 2|x||Y| in all. Two sums are compared, each that and `depth` roundings
        // off, and two distances of the direct form, each as many roundings off as share of |x − c|² + H + 2|x||Y|.
        let (constant, slope) = (2.0 * largest + 4.0 * from_origin * longest, 4.0 * longest);
        let relative = 2.2 * 1.05 * (depth + 24) as f64 * U;
        let in_range = constant < LARGEST && slope < LARGEST;
        if !in_range {
            return None;
        }
        let candidates = Candidates::for_products(&centred, starts, depth);
        Some(Self { candidates, center, relative: relative as f32, constant: constant as f32, slope: slope as f32 })
    }

    /// The nearest candidate of each row of `x` by the products; rows for which the direct form may find another are
    /// listed in `doubtful`. On this thread.
    pub fn smallest(&self, x: &[f32], index: &mut [u32], doubtful: &mut Vec<u32>) {
        let count = index.len();
        with_buffer(2 * count, |buffer| {
            let (smallest, second) = buffer.split_at_mut(count);
            two_smallest(x, &self.candidates, Found { index, distance: smallest, second });
            arch().dispatch(Doubts { scores: self, x, smallest, second, doubtful });
        });
    }
}

/// Lists the rows whose two smallest products are too close to each other.
struct Doubts<'a> {
    scores: &'a Scores,
    x: &'a [f32],
    smallest: &'a [f32],
    second: &'a [f32],
    doubtful: &'a mut Vec<u32>,
}

impl WithSimd for Doubts<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Scores { center, relative, constant, slope, .. } = self.scores;
        let rows = self.x.chunks_exact(center.len());
        for (row, (x, (smallest, second))) in rows.zip(self.smallest.iter().zip(self.second)).enumerate() {
            let square = squared_distance(simd, x, center);
            let margin = relative * (constant + slope * square.sqrt() + square) + TINY;
            // Also when something is not a number: what is not proved is in doubt.
            let proved = second - smallest > margin;
            if !proved {
                self.doubtful.push(row as u32);
            }
        }
    }
}

/// In lanes: it need not have the bits of the tile.
#[inline(always)]
fn squared_distance<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (S::as_simd_f32s(a), S::as_simd_f32s(b));
    let difference = simd.sub_f32s(simd.partial_load_f32s(a_rest), simd.partial_load_f32s(b_rest));
    let mut sum = simd.mul_f32s(difference, difference);
    for (&a, &b) in a.iter().zip(b) {
        let difference = simd.sub_f32s(a, b);
        sum = simd.mul_add_e_f32s(difference, difference, sum);
    }
    simd.reduce_sum_f32s(sum)
}
