//! What the rows should come out as, with the loss that says how far off a score is.

use super::custom_loss::{custom_base_score, custom_derivatives};
use super::loss::BoostingLoss;
use crate::cpu::tree::gradients::Gradients;
use crate::cpu::tree::leaf_quantiles::{Residuals, huber_delta as round_delta};
use crate::error::{Error, Result};
use crate::losses::{
    Derivatives, Loss, LossRows, huber_delta, log_shares, quantile, softmax_derivatives, softmax_value, sum_rows,
};
use crate::tree::bins::CategoryTargets;

/// The targets of rows, with one score for each output.
#[derive(Clone)]
pub(super) enum BoostingTargets<'a> {
    /// Numbers, or 0 and 1 for two classes; one column and loss an output. Those of losses that only know differences
    /// have the baseline taken off.
    Numbers { columns: Vec<Vec<f32>>, losses: Vec<Loss>, alpha: f64 },
    /// Numbers for a loss of the user's.
    Custom { columns: Vec<Vec<f32>>, loss: &'a dyn BoostingLoss },
    /// Classes for the softmax loss, an output for each.
    Classes { classes: Vec<u32>, count: usize },
}

/// What a fit begins with.
#[derive(Debug, Clone)]
pub(super) struct Start {
    /// The score of every row, for each output.
    pub baseline: Vec<f64>,
    /// The loss of each output, with Huber's δ of the first round; empty where the softmax or the user's loss is taken.
    pub losses: Vec<Loss>,
}

impl BoostingTargets<'_> {
    /// Scores of a row.
    pub fn outputs(&self) -> usize {
        match self {
            BoostingTargets::Numbers { columns, .. } | BoostingTargets::Custom { columns, .. } => columns.len(),
            BoostingTargets::Classes { count, .. } => *count,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            BoostingTargets::Numbers { columns, .. } | BoostingTargets::Custom { columns, .. } => {
                columns.first().map_or(0, Vec::len)
            }
            BoostingTargets::Classes { classes, .. } => classes.len(),
        }
    }

    /// The targets as rare categories are grouped by them.
    pub fn category_targets(&self) -> CategoryTargets<'_> {
        match self {
            BoostingTargets::Numbers { columns, .. } | BoostingTargets::Custom { columns, .. } => {
                CategoryTargets::Columns(columns)
            }
            BoostingTargets::Classes { classes, count } => CategoryTargets::Classes { codes: classes, count: *count },
        }
    }

    /// Whether scores are the logarithms of what is predicted.
    pub fn are_logarithms(&self) -> bool {
        matches!(self, BoostingTargets::Numbers { losses, .. } if losses.contains(&Loss::Poisson))
    }

    /// The scores that minimise the loss without a tree. Huber's is that for the δ of the errors of the median.
    pub fn start(&self, weights: Option<&[f32]>) -> Result<Start> {
        match self {
            BoostingTargets::Numbers { columns, losses, alpha } => {
                let first = |(column, loss): (&Vec<f32>, &Loss)| match loss {
                    Loss::Huber { .. } => {
                        let numbers = weighted(column, weights);
                        let median = quantile(numbers.clone(), 0.5);
                        let sizes = numbers.map(|(number, weight)| ((number - median).abs(), weight));
                        Loss::Huber { delta: huber_delta(sizes, *alpha) }
                    }
                    loss => *loss,
                };
                let losses: Vec<Loss> = columns.iter().zip(losses).map(first).collect();
                let both = columns.iter().zip(&losses);
                Ok(Start { baseline: both.map(|(column, loss)| loss.best_constant(column, weights)).collect(), losses })
            }
            BoostingTargets::Custom { columns, loss } => {
                let base = |column: &Vec<f32>| custom_base_score(*loss, column, weights);
                Ok(Start { baseline: columns.iter().map(base).collect::<Result<_>>()?, losses: vec![] })
            }
            BoostingTargets::Classes { classes, count } => {
                Ok(Start { baseline: log_shares(classes, *count, weights), losses: vec![] })
            }
        }
    }

    /// Takes the baseline off numbers whose loss only knows differences, so that scores in f32 keep their digits;
    /// returns the scores to begin with. Of rows that count, what is left must be a number of f32.
    pub fn begin(&mut self, start: &Start, counts: impl Fn(usize) -> bool) -> Result<Vec<Vec<f32>>> {
        let rows = self.rows();
        if let BoostingTargets::Numbers { columns, losses, .. } = self {
            losses.clone_from(&start.losses);
            if losses.iter().all(|loss| loss.is_of_difference()) {
                for (column, baseline) in columns.iter_mut().zip(&start.baseline) {
                    for (row, target) in column.iter_mut().enumerate() {
                        let rest = (f64::from(*target) - baseline) as f32;
                        if !rest.is_finite() && counts(row) {
                            return Err(too_far(*target, *baseline, row));
                        }
                        *target = rest;
                    }
                }
                return Ok(vec![vec![0.0; rows]; start.baseline.len()]);
            }
        }
        Ok(start.baseline.iter().map(|baseline| vec![*baseline as f32; rows]).collect())
    }

    /// The loss of each output in the next round: Huber's δ is that of the errors so far of the rows that count.
    pub fn round_losses(&self, scores: &[Vec<f32>], weights: Option<&[f32]>, rows: &[u32]) -> Vec<Loss> {
        let BoostingTargets::Numbers { columns, losses, alpha } = self else { return vec![] };
        let own = |((targets, scores), loss): ((&Vec<f32>, &Vec<f32>), &Loss)| match loss {
            Loss::Huber { .. } => {
                let delta = round_delta(rows, *alpha, &Residuals::new(targets, scores, weights));
                Loss::Huber { delta: f64::from(delta) }
            }
            loss => *loss,
        };
        columns.iter().zip(scores).zip(losses).map(own).collect()
    }

    /// The gradient and Hessian of every row for each output, by the losses of the round.
    pub fn gradients(
        &self,
        scores: &[Vec<f32>],
        weights: Option<&[f32]>,
        losses: &[Loss],
        out: &mut [Gradients],
    ) -> Result<()> {
        for out in out.iter_mut() {
            out.gradients.resize(self.rows(), 0.0);
            out.hessians.resize(self.rows(), 0.0);
        }
        let places = out.iter_mut().map(|out| {
            let Gradients { gradients, hessians, largest } = out;
            (Derivatives { gradients, hessians }, largest)
        });
        match self {
            BoostingTargets::Numbers { columns, .. } => {
                for (((targets, scores), loss), (places, largest)) in columns.iter().zip(scores).zip(losses).zip(places)
                {
                    *largest = loss.derivatives(LossRows { scores, targets, weights }, places);
                }
            }
            BoostingTargets::Custom { columns, loss } => {
                for ((targets, scores), (places, largest)) in columns.iter().zip(scores).zip(places) {
                    *largest = custom_derivatives(*loss, LossRows { scores, targets, weights }, places)?;
                }
            }
            BoostingTargets::Classes { classes, .. } => {
                let (places, largest): (Vec<_>, Vec<_>) = places.unzip();
                let scores: Vec<&[f32]> = scores.iter().map(Vec::as_slice).collect();
                let found = softmax_derivatives(&scores, classes, weights, places);
                largest.into_iter().zip(found).for_each(|(largest, found)| *largest = found);
            }
        }
        Ok(())
    }

    /// The mean loss of the rows, over the outputs too, for validation curves; rows of weight 0 have no part in it,
    /// whatever they hold. NaN where a loss of the user's does not know it.
    pub fn loss(&self, scores: &[Vec<f32>], weights: Option<&[f32]>) -> f64 {
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let mean = |error: &(dyn Fn(usize) -> f64 + Sync)| {
            let counted = |row: usize| if weight(row) > 0.0 { weight(row) * error(row) } else { 0.0 };
            sum_rows(self.rows(), counted) / sum_rows(self.rows(), weight)
        };
        let score = |output: usize, row: usize| f64::from(scores[output][row]);
        match self {
            BoostingTargets::Numbers { columns, losses, .. } => {
                let error = |row: usize| {
                    let outputs = columns.iter().zip(losses).enumerate();
                    outputs.map(|(at, (column, loss))| loss.value(score(at, row), f64::from(column[row]))).sum::<f64>()
                };
                // r² and the deviance are twice their losses.
                let is_half = losses.iter().all(|loss| matches!(loss, Loss::Squared | Loss::Poisson));
                let factor = if is_half { 2.0 } else { 1.0 };
                factor * mean(&error) / columns.len() as f64
            }
            BoostingTargets::Custom { columns, loss } => {
                let error = |row: usize| {
                    let columns = columns.iter().zip(scores);
                    columns.map(|(column, scores)| loss.loss(scores[row], column[row]).unwrap_or(f64::NAN)).sum::<f64>()
                };
                mean(&error) / columns.len() as f64
            }
            BoostingTargets::Classes { classes, count } => {
                mean(&|row| softmax_value(*count, classes[row] as usize, |class| score(class, row)))
            }
        }
    }

    /// Refuses a loss of the user's without values, where a validation curve needs them.
    pub fn check_losses(&self, scores: &[Vec<f32>]) -> Result<()> {
        match self {
            BoostingTargets::Custom { columns, loss } if loss.loss(scores[0][0], columns[0][0]).is_none() => {
                let rule = "one that knows BoostingLoss::loss, which validation and early stopping need".to_string();
                Err(Error::param("loss", rule, "one without"))
            }
            _ => Ok(()),
        }
    }

    /// Whether an output has no row of weight: a class that is not there.
    pub fn absent(&self, weights: Option<&[f32]>) -> Vec<bool> {
        let mut absent = vec![matches!(self, BoostingTargets::Classes { .. }); self.outputs()];
        if let BoostingTargets::Classes { classes, .. } = self {
            for (row, class) in classes.iter().enumerate() {
                if weights.is_none_or(|weights| weights[row] > 0.0) {
                    absent[*class as usize] = false;
                }
            }
        }
        absent
    }
}

/// Numbers with their weights.
fn weighted<'a>(numbers: &'a [f32], weights: Option<&'a [f32]>) -> impl Iterator<Item = (f64, f32)> + Clone + 'a {
    (0..numbers.len()).map(move |row| (f64::from(numbers[row]), weights.map_or(1.0, |weights| weights[row])))
}

fn too_far(target: f32, baseline: f64, row: usize) -> Error {
    let rule = "numbers of which f32 holds the differences; divide them by a constant".to_string();
    Error::param("target", rule, format!("{target:e} in row {row}, {baseline:e} before the first tree"))
}
