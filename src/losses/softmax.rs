//! The softmax loss of several classes: minus the logarithm of the probability of a row's class.

use std::f32::consts::LOG2_E;

use pulp::Scalar;
use rayon::prelude::*;

use super::derivatives::{BLOCK, Derivatives, larger};
use crate::cpu::elementary::exp2;
use crate::cpu::vectorised;

/// Rows whose classes are worked on together.
const STRIP: usize = 256;

/// The loss of one row of this class, of `classes`, whose scores `score` gives.
pub fn softmax_value(classes: usize, class: usize, score: impl Fn(usize) -> f64) -> f64 {
    let highest = (0..classes).map(&score).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = (0..classes).map(|class| (score(class) - highest).exp()).sum();
    sum.ln() + highest - score(class)
}

/// Derivatives of the softmax loss: `scores[k]` are the scores of class `k` for all rows, `classes` the class of each.
///
/// Gradient p − [class is k], Hessian K/(K − 1)·p(1 − p) (Friedman 2001, section 4.6), both times the weight. Returns
/// the largest |gradient| and Hessian of each class.
pub fn softmax_derivatives(
    scores: &[&[f32]],
    classes: &[u32],
    weights: Option<&[f32]>,
    out: Vec<Derivatives<'_>>,
) -> Vec<[f32; 2]> {
    let rows = classes.len();
    // out[k] cut into blocks, then turned so that a task has the same block of every class.
    let mut blocks: Vec<Vec<Derivatives<'_>>> = (0..rows.div_ceil(BLOCK)).map(|_| vec![]).collect();
    for Derivatives { gradients, hessians } in out {
        let parts = gradients.chunks_mut(BLOCK).zip(hessians.chunks_mut(BLOCK));
        for (block, (gradients, hessians)) in blocks.iter_mut().zip(parts) {
            block.push(Derivatives { gradients, hessians });
        }
    }
    let task = |(block, mut places): (usize, Vec<Derivatives<'_>>)| {
        let first = block * BLOCK;
        let length = BLOCK.min(rows - first);
        let scores: Vec<&[f32]> = scores.iter().map(|scores| &scores[first..first + length]).collect();
        let weights = weights.map(|weights| &weights[first..first + length]);
        vectorised!(softmax_block(&scores, &classes[first..first + length], weights, &mut places))
    };
    let merge = |a: Vec<[f32; 2]>, b: Vec<[f32; 2]>| a.into_iter().zip(b).map(|(a, b)| larger(a, b)).collect();
    blocks.into_par_iter().enumerate().map(task).reduce(|| vec![[0.0; 2]; scores.len()], merge)
}

#[inline(always)]
fn softmax_block(
    scores: &[&[f32]],
    classes: &[u32],
    weights: Option<&[f32]>,
    places: &mut [Derivatives<'_>],
) -> Vec<[f32; 2]> {
    let factor = scores.len() as f32 / (scores.len() as f32 - 1.0);
    let mut largest = vec![[0.0_f32; 2]; scores.len()];
    for first in (0..classes.len()).step_by(STRIP) {
        let length = STRIP.min(classes.len() - first);
        let strip = first..first + length;
        let (mut highest, mut sum) = ([f32::NEG_INFINITY; STRIP], [0.0_f32; STRIP]);
        for scores in scores {
            let pairs = highest.iter_mut().zip(&scores[strip.clone()]);
            pairs.for_each(|(highest, score)| *highest = highest.max(*score));
        }
        // The exponentials stand where the gradients will.
        for (scores, places) in scores.iter().zip(places.iter_mut()) {
            let places = places.gradients[strip.clone()].iter_mut().zip(&mut sum).zip(&highest);
            for (score, ((place, sum), highest)) in scores[strip.clone()].iter().zip(places) {
                *place = exp2(Scalar, (*score - *highest) * LOG2_E);
                *sum += *place;
            }
        }
        let own = &classes[strip.clone()];
        let weights = weights.map(|weights| &weights[strip.clone()]);
        for (class, (places, largest)) in places.iter_mut().zip(&mut largest).enumerate() {
            let places = places.gradients[strip.clone()].iter_mut().zip(&mut places.hessians[strip.clone()]);
            for (at, (((gradient, hessian), sum), own)) in places.zip(&sum).zip(own).enumerate() {
                let probability = *gradient / sum;
                let weight = weights.map_or(1.0, |weights| weights[at]);
                *gradient = (probability - if *own == class as u32 { 1.0 } else { 0.0 }) * weight;
                *hessian = factor * probability * (1.0 - probability) * weight;
                *largest = larger(*largest, [gradient.abs(), *hessian]);
            }
        }
    }
    largest
}

/// The probabilities that the scores of one row stand for, in their place.
pub fn softmax_row(scores: &mut [f32]) {
    let highest = scores.iter().fold(f32::NEG_INFINITY, |highest, score| highest.max(*score));
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = exp2(Scalar, (*score - highest) * LOG2_E);
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}
