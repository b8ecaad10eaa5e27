//! What the rows should have come out as.

use rayon::prelude::*;

use super::loss::{BoostingLoss, ClassificationLoss, RegressionLoss};
use super::robust::huber_delta;
use crate::cpu::tree::gradients::{
    Places, Rows, absolute, exponential, huber, logistic, poisson, quantile as pinball, softmax, squared,
};
use crate::error::{Error, Result};
use crate::tree::bins::CategoryTargets;
use crate::tree::grow::Gradients;

/// Rows whose numbers are added together, then the blocks in order.
const BLOCK: usize = 1 << 13;

/// The targets of rows, with one score for each output.
#[derive(Clone)]
pub(super) enum Truths<'a> {
    /// Numbers, one column an output. Those of losses that only know differences have the baseline taken off.
    Numbers { columns: Vec<Vec<f32>>, loss: NumberLoss },
    /// Numbers for a loss of the user's.
    Own { columns: Vec<Vec<f32>>, loss: &'a dyn BoostingLoss },
    /// 0 or 1 for a loss of one output.
    Binary { targets: Vec<f32>, loss: ClassificationLoss },
    /// Classes for the softmax loss, an output for each.
    Classes { classes: Vec<u32>, count: usize },
}

/// A loss of numbers with what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct NumberLoss {
    pub kind: RegressionLoss,
    pub alpha: f64,
    /// The δ of each output's Huber loss before the first round; empty for other losses.
    pub deltas: Vec<f64>,
}

/// What a fit begins with.
#[derive(Debug, Clone)]
pub(super) struct Start {
    /// The score of every row, for each output.
    pub baseline: Vec<f64>,
    /// As in [`NumberLoss`].
    pub deltas: Vec<f64>,
}

impl Truths<'_> {
    /// Scores of a row.
    pub fn outputs(&self) -> usize {
        match self {
            Truths::Numbers { columns, .. } | Truths::Own { columns, .. } => columns.len(),
            Truths::Binary { .. } => 1,
            Truths::Classes { count, .. } => *count,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Truths::Numbers { columns, .. } | Truths::Own { columns, .. } => columns.first().map_or(0, Vec::len),
            Truths::Binary { targets, .. } => targets.len(),
            Truths::Classes { classes, .. } => classes.len(),
        }
    }

    /// The targets as rare categories are grouped by them.
    pub fn category_targets(&self) -> CategoryTargets<'_> {
        match self {
            Truths::Numbers { columns, .. } | Truths::Own { columns, .. } => CategoryTargets::Columns(columns),
            Truths::Binary { targets, .. } => CategoryTargets::Columns(std::slice::from_ref(targets)),
            Truths::Classes { classes, count } => CategoryTargets::Classes { codes: classes, count: *count },
        }
    }

    /// Whether scores are the logarithms of what is predicted.
    pub fn are_logarithms(&self) -> bool {
        matches!(self, Truths::Numbers { loss: NumberLoss { kind: RegressionLoss::Poisson, .. }, .. })
    }

    /// Takes the baseline off numbers whose loss only knows differences, so that scores in f32 keep their digits;
    /// returns the scores to begin with. Of rows that count, what is left must be a number of f32.
    pub fn begin(&mut self, start: &Start, counts: impl Fn(usize) -> bool) -> Result<Vec<Vec<f32>>> {
        let rows = self.rows();
        match self {
            Truths::Numbers { columns, loss } if loss.kind != RegressionLoss::Poisson => {
                for (column, baseline) in columns.iter_mut().zip(&start.baseline) {
                    for (row, target) in column.iter_mut().enumerate() {
                        let rest = (f64::from(*target) - baseline) as f32;
                        if !rest.is_finite() && counts(row) {
                            return Err(too_far(*target, *baseline, row));
                        }
                        *target = rest;
                    }
                }
                loss.deltas.clone_from(&start.deltas);
                Ok(vec![vec![0.0; rows]; start.baseline.len()])
            }
            _ => Ok(start.baseline.iter().map(|baseline| vec![*baseline as f32; rows]).collect()),
        }
    }

    /// The δ of each output for the next round; empty unless the loss is Huber's.
    pub fn deltas(&self, scores: &[Vec<f32>], weights: Option<&[f32]>) -> Vec<f64> {
        let Truths::Numbers { columns, loss: NumberLoss { kind: RegressionLoss::Huber, alpha, .. } } = self else {
            return vec![];
        };
        let delta = |(targets, scores): (&Vec<f32>, &Vec<f32>)| {
            let error = |row: usize| (f64::from(targets[row]) - f64::from(scores[row])).abs();
            huber_delta((0..targets.len()).map(|row| (error(row), weights.map_or(1.0, |weights| weights[row]))), *alpha)
        };
        columns.iter().zip(scores).map(delta).collect()
    }

    /// The gradient and Hessian of every row for each output.
    pub fn gradients(
        &self,
        scores: &[Vec<f32>],
        weights: Option<&[f32]>,
        deltas: &[f64],
        out: &mut [Gradients],
    ) -> Result<()> {
        for out in out.iter_mut() {
            out.gradients.resize(self.rows(), 0.0);
            out.hessians.resize(self.rows(), 0.0);
        }
        let places = out.iter_mut().map(|out| {
            let Gradients { gradients, hessians, largest } = out;
            (Places { gradients, hessians }, largest)
        });
        match self {
            Truths::Numbers { columns, loss } => {
                for (at, ((targets, scores), (places, largest))) in columns.iter().zip(scores).zip(places).enumerate() {
                    let rows = Rows { scores, targets, weights };
                    *largest = match loss.kind {
                        RegressionLoss::SquaredError => squared(rows, places),
                        RegressionLoss::AbsoluteError => absolute(rows, places),
                        RegressionLoss::Huber => huber(rows, places, deltas[at] as f32),
                        RegressionLoss::Quantile => pinball(rows, places, loss.alpha as f32),
                        RegressionLoss::Poisson => poisson(rows, places),
                    };
                }
            }
            Truths::Own { columns, loss } => {
                for ((targets, scores), (places, largest)) in columns.iter().zip(scores).zip(places) {
                    *largest = own(*loss, Rows { scores, targets, weights }, places)?;
                }
            }
            Truths::Binary { targets, loss } => {
                for (scores, (places, largest)) in scores.iter().zip(places) {
                    let rows = Rows { scores, targets, weights };
                    *largest = match loss {
                        ClassificationLoss::LogLoss => logistic(rows, places),
                        ClassificationLoss::Exponential => exponential(rows, places),
                    };
                }
            }
            Truths::Classes { classes, .. } => {
                let (places, largest): (Vec<_>, Vec<_>) = places.unzip();
                let scores: Vec<&[f32]> = scores.iter().map(Vec::as_slice).collect();
                let found = softmax(&scores, classes, weights, places);
                largest.into_iter().zip(found).for_each(|(largest, found)| *largest = found);
            }
        }
        Ok(())
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

fn too_far(target: f32, baseline: f64, row: usize) -> Error {
    let rule = "numbers of which f32 holds the differences; divide them by a constant".to_string();
    Error::Param { name: "target", rule, got: format!("{target:e} in row {row}, {baseline:e} before the first tree") }
}

/// The derivatives of a user's loss, checked, times the weights; returns the largest of each. The loss is shown the
/// rows that count and no others: what is held out cannot leak, and what is ignored cannot be wrong.
fn own(loss: &dyn BoostingLoss, rows: Rows<'_>, places: Places<'_>) -> Result<[f32; 2]> {
    let Places { gradients, hessians } = places;
    let Some(weights) = rows.weights else {
        loss.gradients(rows.scores, rows.targets, gradients, hessians);
        return check_own(gradients, hessians, |row| row);
    };
    let counting: Vec<usize> = (0..weights.len()).filter(|row| weights[*row] > 0.0).collect();
    let of = |values: &[f32]| counting.iter().map(|row| values[*row]).collect::<Vec<f32>>();
    let (scores, targets) = (of(rows.scores), of(rows.targets));
    let (mut found, mut curved) = (vec![0.0; counting.len()], vec![0.0; counting.len()]);
    loss.gradients(&scores, &targets, &mut found, &mut curved);
    check_own(&found, &curved, |at| counting[at])?;
    gradients.fill(0.0);
    hessians.fill(0.0);
    let mut largest = [0.0_f32; 2];
    for ((row, gradient), hessian) in counting.into_iter().zip(found).zip(curved) {
        (gradients[row], hessians[row]) = (gradient * weights[row], hessian * weights[row]);
        largest = [largest[0].max(gradients[row].abs()), largest[1].max(hessians[row])];
    }
    Ok(largest)
}

/// Refuses derivatives that cannot be, of the rows that `row_of` names; returns the largest of each.
fn check_own(gradients: &[f32], hessians: &[f32], row_of: impl Fn(usize) -> usize) -> Result<[f32; 2]> {
    let mut largest = [0.0_f32; 2];
    for (at, (gradient, hessian)) in gradients.iter().zip(hessians).enumerate() {
        if !(gradient.is_finite() && hessian.is_finite() && *hessian >= 0.0) {
            let rule = "one of finite gradients, and of finite Hessians of at least 0".to_string();
            let got = format!("gradient {gradient} and Hessian {hessian} in row {}", row_of(at));
            return Err(Error::Param { name: "loss", rule, got });
        }
        largest = [largest[0].max(gradient.abs()), largest[1].max(*hessian)];
    }
    Ok(largest)
}

/// Σ of a number for each row, in blocks that do not depend on the number of threads.
pub(super) fn blocks(rows: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |block: usize| (block * BLOCK..rows.min((block + 1) * BLOCK)).map(&value).sum();
    let sums: Vec<f64> = (0..rows.div_ceil(BLOCK)).into_par_iter().map(block).collect();
    sums.into_iter().sum()
}
