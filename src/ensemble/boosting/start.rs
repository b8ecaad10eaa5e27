//! Where a fit begins: the score that every row has before the first tree.

use super::loss::{ClassificationLoss, RegressionLoss};
use super::robust::{huber_delta, huber_mean, quantile};
use super::truths::{NumberLoss, Start, Truths, blocks};
use crate::error::{Error, Result};

/// Chances, and means of counts, are kept this far from 0.
const LEAST_CHANCE: f64 = 1e-7;

impl Truths<'_> {
    /// The scores that minimise the loss without a tree: the mean, a quantile, the log-odds, the logarithms of the
    /// shares. Huber's is that for the δ of the errors of the median.
    pub fn start(&self, weights: Option<&[f32]>) -> Result<Start> {
        let rows = self.rows();
        let baseline = match self {
            Truths::Numbers { columns, loss } => return Ok(of_numbers(columns, loss, weights)),
            Truths::Own { columns, loss } => {
                // The loss sees the rows that count, and no others.
                let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
                let of = |values: &[f32]| {
                    let values = (0..rows).filter(counts).map(|row| values[row]);
                    values.collect::<Vec<f32>>()
                };
                let weights = weights.map(of);
                let own = |column: &Vec<f32>| {
                    let score = loss.base_score(&of(column), weights.as_deref());
                    if (score as f32).is_finite() {
                        return Ok(score);
                    }
                    let rule = "one whose base_score is a finite number of f32".to_string();
                    Err(Error::Param { name: "loss", rule, got: score.to_string() })
                };
                columns.iter().map(own).collect::<Result<_>>()?
            }
            Truths::Binary { targets, loss } => {
                let chance = mean(rows, weights, |row| f64::from(targets[row])).clamp(LEAST_CHANCE, 1.0 - LEAST_CHANCE);
                let log_odds = (chance / (1.0 - chance)).ln();
                vec![match loss {
                    ClassificationLoss::LogLoss => log_odds,
                    ClassificationLoss::Exponential => 0.5 * log_odds,
                }]
            }
            Truths::Classes { classes, count } => {
                let share =
                    |class: usize| mean(rows, weights, |row| f64::from(u8::from(classes[row] as usize == class)));
                (0..*count).map(|class| share(class).max(LEAST_CHANCE).ln()).collect()
            }
        };
        Ok(Start { baseline, deltas: vec![] })
    }
}

/// The weighted mean of a number for each row.
fn mean(rows: usize, weights: Option<&[f32]>, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    blocks(rows, |row| weight(row) * value(row)) / blocks(rows, weight)
}

fn of_numbers(columns: &[Vec<f32>], loss: &NumberLoss, weights: Option<&[f32]>) -> Start {
    let mut start = Start { baseline: vec![], deltas: vec![] };
    for column in columns {
        let mean = || mean(column.len(), weights, |row| f64::from(column[row]));
        let numbers = || (0..column.len()).map(|row| (f64::from(column[row]), weights.map_or(1.0, |own| own[row])));
        start.baseline.push(match loss.kind {
            RegressionLoss::SquaredError => mean(),
            RegressionLoss::AbsoluteError => quantile(numbers(), 0.5),
            RegressionLoss::Quantile => quantile(numbers(), loss.alpha),
            RegressionLoss::Poisson => mean().max(LEAST_CHANCE).ln(),
            RegressionLoss::Huber => {
                let median = quantile(numbers(), 0.5);
                let delta = huber_delta(numbers().map(|(number, own)| ((number - median).abs(), own)), loss.alpha);
                start.deltas.push(delta);
                huber_mean(numbers(), delta)
            }
        });
    }
    start
}
