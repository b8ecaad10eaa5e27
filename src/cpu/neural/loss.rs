//! The last activation, the loss of each row, and its slopes by the sums of the last layer.

use std::f32::consts::{LOG2_E, TAU};

use pulp::{Scalar, Simd, WithSimd};
use rayon::prelude::*;

use super::latent::MOST_SPREAD;
use super::tail::{Activation, logistic};
use crate::cpu::elementary::{exp2, log2};
use crate::cpu::simd::arch;

/// Rows whose losses are added together, by the number of outputs; their sums are added by the caller in f64.
pub fn group_rows(outputs: usize) -> usize {
    match outputs {
        0..=64 => 16,
        65..=1024 => 4,
        _ => 1,
    }
}

/// Numbers from which on threads are worth waking.
const WORTH_THREADS: usize = 1 << 11;

/// What an output costs beside its target. A row costs the sum over its outputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutputLoss {
    /// ½(output − target)².
    Squared,
    /// |output − target|.
    Absolute,
    /// ½r² up to |r| = δ, then δ(|r| − ½δ).
    Huber {
        /// δ, above 0.
        delta: f32,
    },
    /// −t·ln p − (1 − t)·ln(1 − p), with the logistic activation.
    BinaryCrossEntropy,
    /// −Σ t·ln p, with softmax.
    CategoricalCrossEntropy,
    /// ½ln(2πv) + (mean − t)²/2v, without an activation: the first half of the outputs are means, the second half logarithms of
    /// v − [`VARIANCE_FLOOR`].
    Gaussian,
}

/// The least variance of [`OutputLoss::Gaussian`]: a column that never changes would have an infinite density.
pub const VARIANCE_FLOOR: f32 = 1e-3;

impl OutputLoss {
    /// Its number in the shader.
    pub fn code(self) -> u32 {
        match self {
            OutputLoss::Squared => 0,
            OutputLoss::Absolute => 1,
            OutputLoss::Huber { .. } => 2,
            OutputLoss::BinaryCrossEntropy => 3,
            OutputLoss::CategoricalCrossEntropy => 4,
            OutputLoss::Gaussian => 5,
        }
    }

    /// δ of Huber's loss.
    pub fn delta(self) -> f32 {
        if let OutputLoss::Huber { delta } = self { delta } else { 0.0 }
    }

    /// Loss and slope at an output.
    #[inline(always)]
    fn at(self, output: f32, target: f32) -> (f32, f32) {
        let error = output - target;
        match self {
            OutputLoss::Absolute => (error.abs(), if error == 0.0 { 0.0 } else { error.signum() }),
            OutputLoss::Huber { delta } if error.abs() > delta => {
                (delta * (error.abs() - 0.5 * delta), delta.copysign(error))
            }
            _ => (0.5 * error * error, error),
        }
    }
}

/// How rows of targets are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetLayout {
    /// Whether a target is the number of a class: of the row, or of each of its steps.
    pub classes: bool,
    /// The column of the row's weight, behind its targets.
    pub weight: Option<usize>,
    /// Numbers of a row, with the weight.
    pub columns: usize,
}

impl TargetLayout {
    /// From a row to the next.
    pub fn stride(&self) -> usize {
        self.columns.next_multiple_of(4)
    }

    /// Steps of a row that have a class of their own; 1 where targets are no classes.
    pub fn steps(&self) -> usize {
        let targets = self.columns - usize::from(self.weight.is_some());
        if self.classes { targets.max(1) } else { 1 }
    }

    fn weight(&self, target: &[f32]) -> f32 {
        self.weight.map_or(1.0, |column| target[column])
    }
}

/// What is done with the sums of the last layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossShape {
    /// Rows of the batch, or all steps of them where each has a class.
    pub rows: usize,
    /// Outputs.
    pub outputs: usize,
    /// The last activation.
    pub activation: Activation,
    /// The loss.
    pub loss: OutputLoss,
    /// How targets are read.
    pub targets: TargetLayout,
    /// What slopes are multiplied by: 1 over the rows of the batch.
    pub scale: f32,
}

/// Outputs and slopes of a group of rows, and its sums.
type GroupRows<'a> = ((&'a mut [f32], &'a mut [f32]), &'a mut [f32; 2]);

/// Applies the activation to `outputs`, writes the slopes, and for each group of [`group_rows`] Σ weight·loss and what a score
/// needs: Σ weight of rows that are right, or Σ weight·(output − target)².
pub fn loss(outputs: &mut [f32], targets: &[f32], shape: LossShape, slopes: &mut [f32], sums: &mut [[f32; 2]]) {
    let stride = shape.outputs.next_multiple_of(4);
    let length = shape.rows * stride;
    let (together, steps) = (group_rows(shape.outputs), shape.targets.steps());
    let group = |(at, ((outputs, slopes), sums)): (usize, GroupRows<'_>)| {
        *sums = [0.0; 2];
        for (row, (outputs, slopes)) in
            outputs.chunks_exact_mut(stride).zip(slopes.chunks_exact_mut(stride)).enumerate()
        {
            let (place, step) = ((at * together + row) / steps, (at * together + row) % steps);
            let target = &targets[place * shape.targets.stride()..][..shape.targets.columns];
            let found = row_loss(shape, &mut outputs[..shape.outputs], (target, step), &mut slopes[..shape.outputs]);
            let weight = shape.targets.weight(target);
            *sums = [sums[0] + weight * found[0], sums[1] + weight * found[1]];
        }
    };
    let (outputs, slopes) = (&mut outputs[..length], &mut slopes[..length]);
    if length < WORTH_THREADS {
        let parts = outputs.chunks_mut(together * stride).zip(slopes.chunks_mut(together * stride)).zip(sums);
        parts.enumerate().for_each(group);
    } else {
        let parts = outputs.par_chunks_mut(together * stride).zip(slopes.par_chunks_mut(together * stride)).zip(sums);
        parts.enumerate().for_each(group);
    }
}

/// Applies the last activation to rows that are predicted.
pub fn activate_outputs(outputs: &mut [f32], rows: usize, columns: usize, activation: Activation) {
    let stride = columns.next_multiple_of(4);
    for row in outputs[..rows * stride].chunks_exact_mut(stride) {
        activate(&mut row[..columns], activation);
    }
}

fn activate(row: &mut [f32], activation: Activation) {
    if activation == Activation::Softmax {
        softmax(row);
    } else {
        row.iter_mut().for_each(|value| *value = activation.of(*value));
    }
}

/// Softmax in place; returns the logarithm of Σ e^x.
fn softmax(row: &mut [f32]) -> f32 {
    let highest = row.iter().fold(f32::NEG_INFINITY, |highest, value| highest.max(*value));
    arch().dispatch(Powers { row, highest });
    let sum: f32 = row.iter().sum();
    row.iter_mut().for_each(|value| *value /= sum);
    highest + log2(Scalar, sum) * std::f32::consts::LN_2
}

/// e^(x − highest) in place of each x.
struct Powers<'a> {
    row: &'a mut [f32],
    highest: f32,
}

impl WithSimd for Powers<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (highest, scale) = (simd.splat_f32s(self.highest), simd.splat_f32s(LOG2_E));
        for part in self.row.chunks_mut(S::F32_LANES) {
            let below = simd.sub_f32s(simd.partial_load_f32s(part), highest);
            simd.partial_store_f32s(part, exp2(simd, simd.mul_f32s(below, scale)));
        }
    }
}

/// Loss and score of one row, or step of a row; slopes by the sums, times scale and weight.
fn row_loss(shape: LossShape, row: &mut [f32], (target, step): (&[f32], usize), slopes: &mut [f32]) -> [f32; 2] {
    let factor = shape.scale * shape.targets.weight(target);
    let of_class = |column: usize| if target[step] == column as f32 { 1.0 } else { 0.0 };
    let wanted = |column: usize| if shape.targets.classes { of_class(column) } else { target[column] };
    match shape.loss {
        OutputLoss::CategoricalCrossEntropy => {
            let all: f32 = (0..row.len()).map(wanted).sum();
            let against: f32 = (0..row.len()).map(|column| wanted(column) * row[column]).sum();
            let hit = best(row) == best_of(row.len(), wanted);
            let total = softmax(row);
            for (column, slope) in slopes.iter_mut().enumerate() {
                *slope = factor * (all * row[column] - wanted(column));
            }
            [all * total - against, if hit { 1.0 } else { 0.0 }]
        }
        OutputLoss::BinaryCrossEntropy => {
            let (mut loss, mut hit) = (0.0, true);
            for (column, (value, slope)) in row.iter_mut().zip(slopes).enumerate() {
                let (x, t) = (*value, wanted(column));
                loss += x.max(0.0) - x * t + exp2(Scalar, -x.abs() * LOG2_E).ln_1p();
                hit &= (x > 0.0) == (t > 0.5);
                *value = logistic(x);
                *slope = factor * (*value - t);
            }
            [loss, if hit { 1.0 } else { 0.0 }]
        }
        OutputLoss::Gaussian => {
            let (means, spreads) = row.split_at(row.len() / 2);
            let (by_mean, by_spread) = slopes.split_at_mut(means.len());
            let (mut loss, mut squares) = (0.0, 0.0);
            for (column, (mean, spread)) in means.iter().zip(spreads).enumerate() {
                let power = exp2(Scalar, spread.clamp(-MOST_SPREAD, MOST_SPREAD) * LOG2_E);
                let (variance, error) = (VARIANCE_FLOOR + power, mean - target[column]);
                let share = error * error / variance;
                let logarithm = log2(Scalar, TAU * variance) * std::f32::consts::LN_2;
                (loss, squares) = (loss + 0.5 * (logarithm + share), squares + error * error);
                by_mean[column] = factor * error / variance;
                by_spread[column] = factor * 0.5 * (1.0 - share) * power / variance;
            }
            [loss, squares]
        }
        _ => {
            activate(row, shape.activation);
            let (mut loss, mut squares, mut mean) = (0.0, 0.0, 0.0);
            for (column, (value, slope)) in row.iter().zip(slopes.iter_mut()).enumerate() {
                let (cost, by_output) = shape.loss.at(*value, wanted(column));
                let error = value - wanted(column);
                (loss, squares, mean) = (loss + cost, squares + error * error, mean + by_output * value);
                *slope = factor * by_output * shape.activation.slope(*value);
            }
            if shape.activation == Activation::Softmax {
                let pairs = row.iter().zip(slopes);
                pairs.for_each(|(value, slope)| *slope = value * (*slope - factor * mean));
            }
            let hit = if best(row) == target[step] as usize { 1.0 } else { 0.0 };
            [loss, if shape.targets.classes { hit } else { squares }]
        }
    }
}

fn best(row: &[f32]) -> usize {
    best_of(row.len(), |column| row[column])
}

/// The column of the largest, the lowest of equal ones.
fn best_of(columns: usize, value: impl Fn(usize) -> f32) -> usize {
    (1..columns).fold(0, |best, column| if value(column) > value(best) { column } else { best })
}
