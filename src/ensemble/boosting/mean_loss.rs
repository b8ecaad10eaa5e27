//! The mean loss of rows, for validation curves; rows of weight 0 have no part in it, whatever they hold.

use super::loss::{ClassificationLoss, RegressionLoss};
use super::truths::{NumberLoss, Truths, blocks};
use crate::error::{Error, Result};

impl Truths<'_> {
    /// Refuses a loss of the user's without values, where a validation curve needs them.
    pub fn check_losses(&self, scores: &[Vec<f32>]) -> Result<()> {
        match self {
            Truths::Own { columns, loss } if loss.loss(scores[0][0], columns[0][0]).is_none() => {
                let rule = "one that knows BoostingLoss::loss, which validation and early stopping need".to_string();
                Err(Error::Param { name: "loss", rule, got: "one without".to_string() })
            }
            _ => Ok(()),
        }
    }

    /// The mean loss of the rows, over the outputs too. NaN where a loss of the user's does not know it.
    pub fn loss(&self, scores: &[Vec<f32>], weights: Option<&[f32]>) -> f64 {
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let mean = |error: &(dyn Fn(usize) -> f64 + Sync)| {
            let counted = |row: usize| if weight(row) > 0.0 { weight(row) * error(row) } else { 0.0 };
            blocks(self.rows(), counted) / blocks(self.rows(), weight)
        };
        let score = |output: usize, row: usize| f64::from(scores[output][row]);
        match self {
            Truths::Numbers { columns, loss } => {
                let error = |row: usize| {
                    let columns = columns.iter().enumerate();
                    columns.map(|(at, column)| loss.value(at, f64::from(column[row]), score(at, row))).sum::<f64>()
                };
                mean(&error) / columns.len() as f64
            }
            Truths::Own { columns, loss } => {
                let error = |row: usize| {
                    let columns = columns.iter().zip(scores);
                    columns.map(|(column, scores)| loss.loss(scores[row], column[row]).unwrap_or(f64::NAN)).sum::<f64>()
                };
                mean(&error) / columns.len() as f64
            }
            Truths::Binary { targets, loss } => {
                let against = |row: usize| if targets[row] > 0.5 { -score(0, row) } else { score(0, row) };
                let error = |row: usize| match loss {
                    // ln(1 + eˣ) without overflow.
                    ClassificationLoss::LogLoss => against(row).max(0.0) + (-against(row).abs()).exp().ln_1p(),
                    ClassificationLoss::Exponential => against(row).exp(),
                };
                mean(&error)
            }
            Truths::Classes { classes, count } => {
                let loss = |row: usize| {
                    let highest = (0..*count).map(|class| score(class, row)).fold(f64::NEG_INFINITY, f64::max);
                    let sum: f64 = (0..*count).map(|class| (score(class, row) - highest).exp()).sum();
                    sum.ln() + highest - score(classes[row] as usize, row)
                };
                mean(&loss)
            }
        }
    }
}

impl NumberLoss {
    /// The loss of one number: r², |r|, Huber's, α·r or (α − 1)·r, the Poisson deviance.
    fn value(&self, output: usize, target: f64, score: f64) -> f64 {
        let error = target - score;
        match self.kind {
            RegressionLoss::SquaredError => error.powi(2),
            RegressionLoss::AbsoluteError => error.abs(),
            RegressionLoss::Quantile => (self.alpha * error).max((self.alpha - 1.0) * error),
            RegressionLoss::Huber => {
                let (error, delta) = (error.abs(), self.deltas[output]);
                if error <= delta { 0.5 * error * error } else { delta * (error - 0.5 * delta) }
            }
            RegressionLoss::Poisson => {
                let known = if target > 0.0 { target * (target.ln() - score) } else { 0.0 };
                2.0 * (known - target + score.exp())
            }
        }
    }
}
