//! Gradients and Hessians of the rows' losses, on all cores: what trees are grown by.
//!
//! Each is one correctly rounded step of f32 away from integers or from the scores, so that every device gets the same
//! bits; the shader is `tree/gradients`.

use rayon::prelude::*;

use super::fixed_exp::{exp, multiply_high, probabilities, reciprocal, to_f32};
use crate::cpu::vectorised;

/// Rows of one task.
const BLOCK: usize = 1 << 13;
/// Rows whose classes are worked on together.
const STRIP: usize = 256;

/// A loss of one score a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowLoss {
    /// ½(score − target)².
    Squared,
    /// A slope on each side of the target: the absolute and the quantile loss.
    Slopes {
        /// The slope where the score is above its target.
        above: f32,
        /// Minus the slope where it is below.
        below: f32,
        /// The slope where they are the same.
        at: f32,
    },
    /// ½r² up to |r| = δ, then linear.
    Huber {
        /// δ.
        delta: f32,
    },
    /// e^score − target·score.
    Poisson,
    /// ln(1 + e^∓score) with targets 0 and 1.
    Logistic,
    /// e^∓score with targets 0 and 1.
    Exponential,
}

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

/// The gradient and Hessian of every row, and the largest |gradient| and Hessian.
#[derive(Debug, Clone, Default)]
pub struct Gradients {
    /// One gradient a row.
    pub gradients: Vec<f32>,
    /// One Hessian a row.
    pub hessians: Vec<f32>,
    /// The largest of each.
    pub largest: [f32; 2],
}

/// Writes the first and the second derivative of each row's loss by its score, both times the weight; 0 where that is
/// 0. Returns the largest |gradient| and the largest Hessian.
pub fn gradients(loss: RowLoss, rows: LossRows<'_>, out: Derivatives<'_>) -> [f32; 2] {
    match loss {
        RowLoss::Squared => run(
            rows,
            out,
            #[inline(always)]
            |score, target| [score - target, 1.0],
        ),
        RowLoss::Slopes { above, below, at } => run(
            rows,
            out,
            #[inline(always)]
            |score, target| {
                let rest = if score < target { -below } else { at };
                [if score > target { above } else { rest }, 1.0]
            },
        ),
        RowLoss::Huber { delta } => run(
            rows,
            out,
            #[inline(always)]
            |score, target| {
                let difference = score - target;
                let clipped = if difference > delta { delta } else { difference };
                [if clipped < -delta { -delta } else { clipped }, 1.0]
            },
        ),
        RowLoss::Poisson => run(
            rows,
            out,
            #[inline(always)]
            |score, target| {
                let (mantissa, exponent) = exp(score.to_bits());
                let mean = to_f32(mantissa, exponent - 30);
                [mean - target, mean]
            },
        ),
        RowLoss::Logistic => run(
            rows,
            out,
            #[inline(always)]
            |score, target| {
                let [probability, other, product] = probabilities(score);
                [if target > 0.5 { -other } else { probability }, product]
            },
        ),
        RowLoss::Exponential => run(
            rows,
            out,
            #[inline(always)]
            |score, target| {
                // e^−score for target 1, e^score for target 0.
                let sign = u32::from(target > 0.5) << 31;
                let (mantissa, exponent) = exp(score.to_bits() ^ sign);
                let loss = to_f32(mantissa, exponent - 30);
                [f32::from_bits(loss.to_bits() ^ sign), loss]
            },
        ),
    }
}

/// Gradient and Hessian of a row of weight 1, for all rows. `of_row` asks to be inlined: without that the logistic loss takes
/// six times as long, a row at a time.
fn run(rows: LossRows<'_>, out: Derivatives<'_>, of_row: impl Fn(f32, f32) -> [f32; 2] + Sync) -> [f32; 2] {
    let blocks = rows.scores.par_chunks(BLOCK).zip(rows.targets.par_chunks(BLOCK));
    let places = out.gradients.par_chunks_mut(BLOCK).zip(out.hessians.par_chunks_mut(BLOCK));
    let largest = blocks.zip(places).enumerate().map(|(block, ((scores, targets), (gradients, hessians)))| {
        let weights = rows.weights.map(|weights| &weights[block * BLOCK..][..scores.len()]);
        let rows = LossRows { scores, targets, weights };
        vectorised!(run_block(rows, &mut Derivatives { gradients: &mut *gradients, hessians: &mut *hessians }, &of_row))
    });
    largest.reduce(|| [0; 2], larger).map(f32::from_bits)
}

/// The larger of each; bits of numbers of at least 0 stand in their order.
fn larger(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    [a[0].max(b[0]), a[1].max(b[1])]
}

#[inline(always)]
fn run_block(rows: LossRows<'_>, out: &mut Derivatives<'_>, of_row: &impl Fn(f32, f32) -> [f32; 2]) -> [u32; 2] {
    let (mut most_gradient, mut most_hessian) = (0, 0);
    let rows_and_places = rows.scores.iter().zip(rows.targets).zip(out.gradients.iter_mut().zip(&mut *out.hessians));
    match rows.weights {
        None => {
            for ((score, target), (gradient, hessian)) in rows_and_places {
                [*gradient, *hessian] = of_row(*score, *target);
                most_gradient = most_gradient.max(gradient.to_bits() & !(1 << 31));
                most_hessian = most_hessian.max(hessian.to_bits());
            }
        }
        Some(weights) => {
            for (((score, target), (gradient, hessian)), weight) in rows_and_places.zip(weights) {
                let own = of_row(*score, *target);
                // A row that does not count is 0 also where its target is beyond all numbers.
                let counts = if *weight > 0.0 { u32::MAX } else { 0 };
                let [own_gradient, own_hessian] = own.map(|own| (own * *weight).to_bits() & counts);
                (*gradient, *hessian) = (f32::from_bits(own_gradient), f32::from_bits(own_hessian));
                most_gradient = most_gradient.max(own_gradient & !(1 << 31));
                most_hessian = most_hessian.max(own_hessian);
            }
        }
    }
    [most_gradient, most_hessian]
}

/// Derivatives of the softmax loss: `scores[k]` are the scores of class `k` for all rows, `classes` the class of each.
///
/// Gradient p − [class is k], Hessian K/(K − 1)·p(1 − p) (Friedman 2001, section 4.6), both times the weight. Returns
/// the largest |gradient| and Hessian of each class.
pub fn softmax_gradients(
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
    let merge = |a: Vec<[u32; 2]>, b: Vec<[u32; 2]>| a.into_iter().zip(b).map(|(a, b)| larger(a, b)).collect();
    let largest = blocks.into_par_iter().enumerate().map(task).reduce(|| vec![[0; 2]; scores.len()], merge);
    largest.into_iter().map(|largest| largest.map(f32::from_bits)).collect()
}

/// What the classes of a loss have in common: bits that their sum may take beyond those of one, and K/(K − 1) in units
/// of 2⁻³⁰.
pub fn softmax_constants(classes: usize) -> [u32; 2] {
    let room = classes.max(2).next_power_of_two().ilog2();
    let factor = ((classes as u64) << 30) / (classes as u64 - 1).max(1);
    [room, factor.min(1 << 31) as u32]
}

#[inline(always)]
fn softmax_block(
    scores: &[&[f32]],
    classes: &[u32],
    weights: Option<&[f32]>,
    places: &mut [Derivatives<'_>],
) -> Vec<[u32; 2]> {
    let [room, factor] = softmax_constants(scores.len());
    let mut largest = vec![[0; 2]; scores.len()];
    for first in (0..classes.len()).step_by(STRIP) {
        let length = STRIP.min(classes.len() - first);
        let strip = first..first + length;
        let (mut highest, mut sums) = ([f32::NEG_INFINITY; STRIP], [0_u32; STRIP]);
        for scores in scores {
            let pairs = highest.iter_mut().zip(&scores[strip.clone()]);
            pairs.for_each(|(highest, score)| *highest = if *score > *highest { *score } else { *highest });
        }
        for scores in scores {
            let places = sums.iter_mut().zip(&highest).zip(&scores[strip.clone()]);
            for ((sum, highest), score) in places {
                let (mantissa, exponent) = exp((score - highest).to_bits() | 1 << 31);
                // Rounded, so that the errors of many classes do not add up; `room` is 1 at least.
                *sum += ((mantissa >> (room as i32 - exponent - 1).min(31)) + 1) >> 1;
            }
        }
        // The reciprocal of each sum, and how far the sum was moved up to its highest bit.
        let mut moved = [0_u32; STRIP];
        for (sum, moved) in sums[..length].iter_mut().zip(&mut moved) {
            *moved = sum.leading_zeros() - 1;
            *sum = reciprocal(*sum << *moved);
        }
        let own = &classes[strip.clone()];
        let weights = weights.map(|weights| &weights[strip.clone()]);
        for (class, (places, largest)) in places.iter_mut().zip(&mut largest).enumerate() {
            let Derivatives { gradients, hessians } = places;
            let (gradients, hessians) = (&mut gradients[strip.clone()], &mut hessians[strip.clone()]);
            let scores = &scores[class][strip.clone()];
            let (mut most_gradient, mut most_hessian) = (0, 0);
            for row in 0..length {
                let (mantissa, exponent) = exp((scores[row] - highest[row]).to_bits() | 1 << 31);
                // p in units of 2^shift, below 2³⁰; then in units of 2⁻³¹.
                let share = multiply_high(mantissa, sums[row]);
                let shift = exponent - 29 - room as i32 + moved[row] as i32;
                let down = (-31 - shift).clamp(-2, 31);
                let fixed = if down < 0 { share << -down } else { share >> down };
                let other = (1_u32 << 31) - fixed.min(1 << 31);
                let is_own = own[row] == class as u32;
                let gradient = if is_own { -to_f32(other, -31) } else { to_f32(share, shift) };
                let curvature = multiply_high(multiply_high(share << 1, other) << 1, factor);
                let hessian = to_f32(curvature, shift + 1);
                let weight = weights.map_or(1.0, |weights| weights[row]);
                let counts = if weight > 0.0 { u32::MAX } else { 0 };
                let gradient = (gradient * weight).to_bits() & counts;
                let hessian = (hessian * weight).to_bits() & counts;
                (gradients[row], hessians[row]) = (f32::from_bits(gradient), f32::from_bits(hessian));
                most_gradient = most_gradient.max(gradient & !(1 << 31));
                most_hessian = most_hessian.max(hessian);
            }
            *largest = larger(*largest, [most_gradient, most_hessian]);
        }
    }
    largest
}
