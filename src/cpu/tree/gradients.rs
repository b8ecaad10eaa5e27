//! Gradients and Hessians of the losses that trees are boosted on, in f32 with steps of its own, so that every
//! processor, vector width and number of threads gives the same bits.

use std::f32::consts::LOG2_E;

use pulp::{Arch, Scalar, Simd, WithSimd};
use rayon::prelude::*;

use super::losses::{Exponential, Huber, Logistic, Loss, Poisson, Slopes, Squared, chances};
use crate::cpu::elementary::exp2;

/// Rows of one task.
const BLOCK: usize = 1 << 13;
/// Rows whose classes are worked on together.
const STRIP: usize = 256;

/// What each row's score is compared with, and how much the row counts.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The score of each row.
    pub scores: &'a [f32],
    /// The target of each row.
    pub targets: &'a [f32],
    /// The weight of each row; none if all are 1.
    pub weights: Option<&'a [f32]>,
}

/// Where the gradient and the Hessian of each row go.
#[derive(Debug)]
pub struct Places<'a> {
    /// One gradient a row.
    pub gradients: &'a mut [f32],
    /// One Hessian a row.
    pub hessians: &'a mut [f32],
}

/// Of ½(score − target)²: gradient score − target, Hessian 1, both times the weight. Returns the largest of each.
pub fn squared(rows: Rows<'_>, places: Places<'_>) -> [f32; 2] {
    run(rows, places, Squared)
}

/// Of the logistic loss with targets 0 and 1: gradient p − target, Hessian p(1 − p), both times the weight. Returns the
/// largest |gradient| and Hessian.
pub fn logistic(rows: Rows<'_>, places: Places<'_>) -> [f32; 2] {
    run(rows, places, Logistic)
}

/// Of |score − target|: gradient −1, 0 or 1, and in place of the Hessian 1, both times the weight. Returns the largest
/// of each.
pub fn absolute(rows: Rows<'_>, places: Places<'_>) -> [f32; 2] {
    run(rows, places, Slopes { above: 1.0, below: 1.0, at: 0.0 })
}

/// Of the quantile loss max(α(target − score), (1 − α)(score − target)): gradient 1 − α above the target, else −α, and
/// in place of the Hessian 1, both times the weight. Returns the largest |gradient| and Hessian.
pub fn quantile(rows: Rows<'_>, places: Places<'_>, alpha: f32) -> [f32; 2] {
    run(rows, places, Slopes { above: 1.0 - alpha, below: alpha, at: -alpha })
}

/// Of the Huber loss: gradient score − target held within ±`delta`, and in place of the Hessian 1, both times the
/// weight. Returns the largest |gradient| and Hessian.
pub fn huber(rows: Rows<'_>, places: Places<'_>, delta: f32) -> [f32; 2] {
    run(rows, places, Huber { delta })
}

/// Of the Poisson loss e^score − target·score: gradient e^score − target, Hessian e^score, both times the weight.
/// Returns the largest |gradient| and Hessian.
pub fn poisson(rows: Rows<'_>, places: Places<'_>) -> [f32; 2] {
    run(rows, places, Poisson)
}

/// Of the exponential loss with targets 0 and 1: e^−score for target 1, e^score for target 0, with its derivatives
/// times the weight. Returns the largest |gradient| and Hessian.
pub fn exponential(rows: Rows<'_>, places: Places<'_>) -> [f32; 2] {
    run(rows, places, Exponential)
}

/// The chance that a score stands for, 1/(1 + e^−score).
pub fn sigmoid(score: f32) -> f32 {
    chances(Scalar, score)[0]
}

fn run<L: Loss>(rows: Rows<'_>, places: Places<'_>, loss: L) -> [f32; 2] {
    let blocks = rows.scores.par_chunks(BLOCK).zip(rows.targets.par_chunks(BLOCK));
    let places = places.gradients.par_chunks_mut(BLOCK).zip(places.hessians.par_chunks_mut(BLOCK));
    let largest = blocks.zip(places).enumerate().map(|(block, ((scores, targets), (gradients, hessians)))| {
        let weights = rows.weights.map(|weights| &weights[block * BLOCK..][..scores.len()]);
        Arch::new().dispatch(Block { rows: Rows { scores, targets, weights }, gradients, hessians, loss })
    });
    largest.reduce(|| [0.0; 2], larger)
}

fn larger(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [a[0].max(b[0]), a[1].max(b[1])]
}

struct Block<'a, L> {
    rows: Rows<'a>,
    gradients: &'a mut [f32],
    hessians: &'a mut [f32],
    loss: L,
}

impl<L: Loss> WithSimd for Block<'_, L> {
    type Output = [f32; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; 2] {
        let Block { rows, gradients, hessians, loss } = self;
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
fn step<S: Simd, L: Loss>(
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

/// Of the softmax loss: `scores[k]` are the scores of class `k` for all rows, `classes` the class of each row.
///
/// Gradient p − [class is k], Hessian K/(K − 1)·p(1 − p) (Friedman 2001, section 4.6), both times the weight. Returns
/// the largest |gradient| and Hessian of each class.
pub fn softmax(scores: &[&[f32]], classes: &[u32], weights: Option<&[f32]>, places: Vec<Places<'_>>) -> Vec<[f32; 2]> {
    let rows = classes.len();
    // places[k] cut into blocks, then turned so that a task has the same block of every class.
    let mut blocks: Vec<Vec<Places<'_>>> = (0..rows.div_ceil(BLOCK)).map(|_| vec![]).collect();
    for Places { gradients, hessians } in places {
        let parts = gradients.chunks_mut(BLOCK).zip(hessians.chunks_mut(BLOCK));
        for (block, (gradients, hessians)) in blocks.iter_mut().zip(parts) {
            block.push(Places { gradients, hessians });
        }
    }
    let task = |(block, places): (usize, Vec<Places<'_>>)| {
        let first = block * BLOCK;
        let length = BLOCK.min(rows - first);
        let scores: Vec<&[f32]> = scores.iter().map(|scores| &scores[first..first + length]).collect();
        let weights = weights.map(|weights| &weights[first..first + length]);
        Arch::new().dispatch(Softmax { scores, classes: &classes[first..first + length], weights, places })
    };
    let merge = |a: Vec<[f32; 2]>, b: Vec<[f32; 2]>| a.into_iter().zip(b).map(|(a, b)| larger(a, b)).collect();
    blocks.into_par_iter().enumerate().map(task).reduce(|| vec![[0.0; 2]; scores.len()], merge)
}

struct Softmax<'a> {
    scores: Vec<&'a [f32]>,
    classes: &'a [u32],
    weights: Option<&'a [f32]>,
    places: Vec<Places<'a>>,
}

impl WithSimd for Softmax<'_> {
    type Output = Vec<[f32; 2]>;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> Vec<[f32; 2]> {
        let classes = self.scores.len();
        let factor = classes as f32 / (classes as f32 - 1.0);
        let mut largest = vec![[0.0_f32; 2]; classes];
        for first in (0..self.classes.len()).step_by(STRIP) {
            let length = STRIP.min(self.classes.len() - first);
            let strip = first..first + length;
            let (mut highest, mut sum) = ([f32::NEG_INFINITY; STRIP], [0.0_f32; STRIP]);
            for scores in &self.scores {
                let pairs = highest.iter_mut().zip(&scores[strip.clone()]);
                pairs.for_each(|(highest, score)| *highest = highest.max(*score));
            }
            // The exponentials stand where the gradients will.
            for (scores, places) in self.scores.iter().zip(&mut self.places) {
                let places = places.gradients[strip.clone()].iter_mut().zip(&mut sum).zip(&highest);
                for (score, ((place, sum), highest)) in scores[strip.clone()].iter().zip(places) {
                    *place = exp2(Scalar, (*score - *highest) * LOG2_E);
                    *sum += *place;
                }
            }
            let own = &self.classes[strip.clone()];
            let weights = self.weights.map(|weights| &weights[strip.clone()]);
            for (class, (places, largest)) in self.places.iter_mut().zip(&mut largest).enumerate() {
                let places = places.gradients[strip.clone()].iter_mut().zip(&mut places.hessians[strip.clone()]);
                for (at, (((gradient, hessian), sum), own)) in places.zip(&sum).zip(own).enumerate() {
                    let chance = *gradient / sum;
                    let weight = weights.map_or(1.0, |weights| weights[at]);
                    *gradient = (chance - if *own == class as u32 { 1.0 } else { 0.0 }) * weight;
                    *hessian = factor * chance * (1.0 - chance) * weight;
                    *largest = larger(*largest, [gradient.abs(), *hessian]);
                }
            }
        }
        largest
    }
}

/// The chances that the scores of one row stand for, in their place.
pub fn softmax_row(scores: &mut [f32]) {
    let highest = scores.iter().fold(f32::NEG_INFINITY, |highest, score| highest.max(*score));
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp2(Scalar, (*score - highest) * LOG2_E);
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}
