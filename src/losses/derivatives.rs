//! Gradients and Hessians of many rows, on all cores.

use pulp::{Scalar, Simd, WithSimd};
use rayon::prelude::*;

use super::Loss;
use super::pointwise::{Exponential, Huber, Logistic, Pointwise, Poisson, Slopes, Squared};
use crate::cpu::simd::arch;

/// Rows of one task, and of one partial sum.
pub(super) const BLOCK: usize = 1 << 13;

/// What each row's score is compared with, and how much the row counts.
#[derive(Debug, Clone, Copy)]
pub struct LossRows<'a> {
    /// The score of each row.
    pub scores: &'a [f32],
    /// The target of each row.
    pub targets: &'a [f32],
    /// The weight of each row; none if all are 1.
    pub weights: Option<&'a [f32]>,
}

/// Where the gradient and the Hessian of each row go.
#[derive(Debug)]
pub struct Derivatives<'a> {
    /// One gradient a row.
    pub gradients: &'a mut [f32],
    /// One Hessian a row.
    pub hessians: &'a mut [f32],
}

impl Loss {
    /// Writes the first and the second derivative of each row's loss by its score, both times the weight; 0 where that
    /// is 0. Returns the largest |gradient| and the largest Hessian.
    pub fn derivatives(self, rows: LossRows<'_>, out: Derivatives<'_>) -> [f32; 2] {
        match self {
            Loss::Squared => run(rows, out, Squared),
            Loss::Absolute => run(rows, out, Slopes { above: 1.0, below: 1.0, at: 0.0 }),
            Loss::Quantile { alpha } => {
                let alpha = alpha as f32;
                run(rows, out, Slopes { above: 1.0 - alpha, below: alpha, at: -alpha })
            }
            Loss::Huber { delta } => run(rows, out, Huber { delta: delta as f32 }),
            Loss::Poisson => run(rows, out, Poisson),
            Loss::Logistic => run(rows, out, Logistic),
            Loss::Exponential => run(rows, out, Exponential),
        }
    }
}

/// Σ of a number for each row, in blocks that do not depend on the number of threads.
pub fn sum_rows(rows: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |block: usize| (block * BLOCK..rows.min((block + 1) * BLOCK)).map(&value).sum();
    let sums: Vec<f64> = (0..rows.div_ceil(BLOCK)).into_par_iter().map(block).collect();
    sums.into_iter().sum()
}

fn run<L: Pointwise>(rows: LossRows<'_>, out: Derivatives<'_>, loss: L) -> [f32; 2] {
    let blocks = rows.scores.par_chunks(BLOCK).zip(rows.targets.par_chunks(BLOCK));
    let places = out.gradients.par_chunks_mut(BLOCK).zip(out.hessians.par_chunks_mut(BLOCK));
    let largest = blocks.zip(places).enumerate().map(|(block, ((scores, targets), (gradients, hessians)))| {
        let weights = rows.weights.map(|weights| &weights[block * BLOCK..][..scores.len()]);
        arch().dispatch(LossBlock { rows: LossRows { scores, targets, weights }, gradients, hessians, loss })
    });
    largest.reduce(|| [0.0; 2], larger)
}

pub(super) fn larger(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0].max(b[0]), a[1].max(b[1])]
}

struct LossBlock<'a, L> {
    rows: LossRows<'a>,
    gradients: &'a mut [f32],
    hessians: &'a mut [f32],
    loss: L,
}

impl<L: Pointwise> WithSimd for LossBlock<'_, L> {
    type Output = [f32; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; 2] {
        let LossBlock { rows, gradients, hessians, loss } = self;
        let (scores, scores_tail) = S::as_simd_f32s(rows.scores);
        let (targets, targets_tail) = S::as_simd_f32s(rows.targets);
        let (gradient, gradient_tail) = S::as_mut_simd_f32s(gradients);
        let (hessian, hessian_tail) = S::as_mut_simd_f32s(hessians);
        let (weights, weights_tail) = S::as_simd_f32s(rows.weights.unwrap_or(&[]));
        let head = step(simd, loss, scores, targets, weights, gradient, hessian);
        let tail = step(Scalar, loss, scores_tail, targets_tail, weights_tail, gradient_tail, hessian_tail);
        larger(head.map(|largest| simd.reduce_max_f32s(largest)), tail)
    }
}

/// A stretch of rows; no weights if all are 1.
#[inline(always)]
fn step<S: Simd, L: Pointwise>(
    simd: S,
    loss: L,
    scores: &[S::f32s],
    targets: &[S::f32s],
    weights: &[S::f32s],
    gradients: &mut [S::f32s],
    hessians: &mut [S::f32s],
) -> [S::f32s; 2] {
    let mut largest = [simd.splat_f32s(0.0); 2];
    let places = gradients.iter_mut().zip(hessians);
    for (at, ((score, target), (gradient, hessian))) in scores.iter().zip(targets).zip(places).enumerate() {
        let [mut g, mut h] = loss.derivatives(simd, *score, *target);
        if let Some(weight) = weights.get(at) {
            // A row that does not count is 0 also where its target is beyond all numbers.
            let (zero, counts) = (simd.splat_f32s(0.0), simd.less_than_f32s(simd.splat_f32s(0.0), *weight));
            g = simd.select_f32s(counts, simd.mul_f32s(g, *weight), zero);
            h = simd.select_f32s(counts, simd.mul_f32s(h, *weight), zero);
        }
        (*gradient, *hessian) = (g, h);
        largest = [simd.max_f32s(largest[0], simd.abs_f32s(g)), simd.max_f32s(largest[1], h)];
    }
    largest
}
