//! What the rows should have come out as, and the loss of the scores they have.

use rayon::prelude::*;

use crate::cpu::tree::gradients::{Places, Rows, logistic, softmax, squared};
use crate::tree::grow::Gradients;

/// Chances are kept this far from 0 and 1 in the baseline.
const LEAST_CHANCE: f64 = 1e-7;
/// Rows whose losses are added together, then the blocks in order.
const BLOCK: usize = 1 << 13;

/// The targets of rows, with one score for each output.
#[derive(Debug, Clone)]
pub(super) enum Truths {
    /// Numbers for the squared loss, one column an output, with the baseline taken off.
    Numbers(Vec<Vec<f32>>),
    /// 0 or 1 for the logistic loss of one output.
    Binary(Vec<f32>),
    /// Classes for the softmax loss, an output for each.
    Classes { classes: Vec<u32>, count: usize },
}

impl Truths {
    /// Scores of a row.
    pub fn outputs(&self) -> usize {
        match self {
            Truths::Numbers(columns) => columns.len(),
            Truths::Binary(_) => 1,
            Truths::Classes { count, .. } => *count,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Truths::Numbers(columns) => columns.first().map_or(0, Vec::len),
            Truths::Binary(targets) => targets.len(),
            Truths::Classes { classes, .. } => classes.len(),
        }
    }

    /// The scores that minimise the loss without a tree: the mean, the log-odds, the logarithms of the shares.
    pub fn baseline(&self, weights: Option<&[f32]>) -> Vec<f64> {
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let total = blocks(self.rows(), weight);
        let mean = |value: &(dyn Fn(usize) -> f64 + Sync)| blocks(self.rows(), |row| weight(row) * value(row)) / total;
        match self {
            Truths::Numbers(columns) => columns.iter().map(|column| mean(&|row| f64::from(column[row]))).collect(),
            Truths::Binary(targets) => {
                let chance = mean(&|row| f64::from(targets[row])).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
                vec![(chance / (1.0 - chance)).ln()]
            }
            Truths::Classes { classes, count } => {
                let share = |class: usize| mean(&|row| f64::from(u8::from(classes[row] as usize == class)));
                (0..*count).map(|class| share(class).max(LEAST_CHANCE).ln()).collect()
            }
        }
    }

    /// Takes the baseline off numbers, so that scores in f32 keep their digits; returns the scores to begin with.
    pub fn begin(&mut self, baseline: &[f64]) -> Vec<Vec<f32>> {
        let rows = self.rows();
        match self {
            Truths::Numbers(columns) => {
                for (column, baseline) in columns.iter_mut().zip(baseline) {
                    column.iter_mut().for_each(|target| *target = (f64::from(*target) - baseline) as f32);
                }
                vec![vec![0.0; rows]; baseline.len()]
            }
            _ => baseline.iter().map(|baseline| vec![*baseline as f32; rows]).collect(),
        }
    }

    /// The gradient and Hessian of every row for each output.
    pub fn gradients(&self, scores: &[Vec<f32>], weights: Option<&[f32]>, out: &mut [Gradients]) {
        for out in out.iter_mut() {
            out.gradients.resize(self.rows(), 0.0);
            out.hessians.resize(self.rows(), 0.0);
        }
        let places = out.iter_mut().map(|out| {
            let Gradients { gradients, hessians, largest } = out;
            (Places { gradients, hessians }, largest)
        });
        match self {
            Truths::Numbers(columns) => {
                for ((targets, scores), (places, largest)) in columns.iter().zip(scores).zip(places) {
                    *largest = squared(Rows { scores, targets, weights }, places);
                }
            }
            Truths::Binary(targets) => {
                for (scores, (places, largest)) in scores.iter().zip(places) {
                    *largest = logistic(Rows { scores, targets, weights }, places);
                }
            }
            Truths::Classes { classes, .. } => {
                let (places, largest): (Vec<_>, Vec<_>) = places.unzip();
                let scores: Vec<&[f32]> = scores.iter().map(Vec::as_slice).collect();
                let found = softmax(&scores, classes, weights, places);
                largest.into_iter().zip(found).for_each(|(largest, found)| *largest = found);
            }
        }
    }

    /// The mean loss of the rows: the squared error, or minus the logarithm of the true class's chance.
    pub fn loss(&self, scores: &[Vec<f32>], weights: Option<&[f32]>) -> f64 {
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let score = |output: usize, row: usize| f64::from(scores[output][row]);
        let total = blocks(self.rows(), weight);
        let sum = match self {
            Truths::Numbers(columns) => {
                let error = |row: usize| {
                    let squares = columns.iter().enumerate();
                    squares.map(|(at, column)| (f64::from(column[row]) - score(at, row)).powi(2)).sum::<f64>()
                };
                blocks(self.rows(), |row| weight(row) * error(row)) / columns.len() as f64
            }
            Truths::Binary(targets) => {
                let against = |row: usize| if targets[row] > 0.5 { -score(0, row) } else { score(0, row) };
                // ln(1 + eˣ) without overflow.
                blocks(self.rows(), |row| weight(row) * (against(row).max(0.0) + (-against(row).abs()).exp().ln_1p()))
            }
            Truths::Classes { classes, count } => {
                let loss = |row: usize| {
                    let highest = (0..*count).map(|class| score(class, row)).fold(f64::NEG_INFINITY, f64::max);
                    let sum: f64 = (0..*count).map(|class| (score(class, row) - highest).exp()).sum();
                    sum.ln() + highest - score(classes[row] as usize, row)
                };
                blocks(self.rows(), |row| weight(row) * loss(row))
            }
        };
        sum / total
    }

    /// Whether an output has no row of weight: a class that is not there.
    pub fn absent(&self, weights: Option<&[f32]>) -> Vec<bool> {
        let mut absent = vec![matches!(self, Truths::Classes { .. }); self.outputs()];
        if let Truths::Classes { classes, .. } = self {
            for (row, class) in classes.iter().enumerate() {
                if weights.is_none_or(|weights| weights[row] > 0.0) {
                    absent[*class as usize] = false;
                }
            }
        }
        absent
    }
}

/// Σ of a number for each row, in blocks that do not depend on the number of threads.
fn blocks(rows: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |block: usize| (block * BLOCK..rows.min((block + 1) * BLOCK)).map(&value).sum();
    let sums: Vec<f64> = (0..rows.div_ceil(BLOCK)).into_par_iter().map(block).collect();
    sums.into_iter().sum()
}
