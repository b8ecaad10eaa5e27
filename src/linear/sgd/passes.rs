//! Passes over the rows until the loss no longer falls.

use rayon::prelude::*;

use super::learner::{Pass, Plane, Rules};
use super::{LearningRate, SgdSettings};
use crate::cpu::random::permutation::permutation;
use crate::error::{Error, Result};
use crate::estimator::Reporter;
use crate::linear::classifier::FitOutcome;
use crate::linear::host_rows::{HostRows, each_row};

/// The random numbers of orders; each pass has the next stream.
const STREAM: u32 = 0x5347_0000;
const STREAM_HELD_OUT: u32 = 0x5348_0000;
/// What an adaptive rate is divided by, and where it ends.
const ADAPTIVE_FACTOR: f64 = 5.0;
const LEAST_RATE: f64 = 1e-6;
/// A mean loss of so many times that of planes of zeros is a rate that diverges.
const DIVERGED: f64 = 1e12;

/// The score of planes on rows that are held out.
pub(super) type Scored<'a> = &'a dyn Fn(&[Plane]) -> Result<f64>;

/// How the passes went.
pub(super) struct Passed {
    pub(super) passes: usize,
    pub(super) converged: bool,
    pub(super) losses: Vec<f64>,
    pub(super) scores: Vec<f64>,
}

/// Rows and what each plane learns of them.
pub(super) struct Lesson<'a> {
    pub(super) rows: &'a HostRows<'a>,
    pub(super) rules: &'a Rules,
    /// The target of a row for a plane.
    pub(super) target: &'a (dyn Fn(usize, usize) -> f64 + Sync),
    pub(super) weights: Option<&'a [f64]>,
}

impl Lesson<'_> {
    /// Whether the last pass lost far more than planes of zeros would: the first passes of a fit may, on their way.
    fn has_diverged(&self, planes: &[Plane], order: &[u32], loss: f64) -> bool {
        let of_zero = |plane: usize| -> f64 {
            order.iter().map(|row| self.rules.loss.value(0.0, (self.target)(plane, *row as usize))).sum()
        };
        let zero = (0..planes.len()).map(of_zero).sum::<f64>() / (order.len() * planes.len()) as f64;
        loss > DIVERGED * (1.0 + zero)
    }

    /// One step of every plane for each row in this order; Σ of the losses.
    pub(super) fn pass(&self, planes: &mut [Plane], order: &[u32]) -> f64 {
        let of_plane = |(plane, state): (usize, &mut Plane)| {
            let pass = Pass {
                order,
                target: |row: usize| (self.target)(plane, row),
                weight: |row: usize| self.weights.map_or(1.0, |weights| weights[row]),
            };
            let loss = each_row!(self.rows, x => state.learn(x, self.rules, &pass));
            state.settle();
            loss
        };
        let losses: Vec<f64> = planes.par_iter_mut().enumerate().map(of_plane).collect();
        losses.into_iter().sum()
    }
}

impl SgdSettings {
    /// The rows that are learnt from and, with early stopping, those that are held out.
    pub(super) fn held_out(&self, rows: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let all: Vec<u32> = (0..rows as u32).collect();
        if !self.early_stopping {
            return Ok((all, vec![]));
        }
        let count = ((self.validation_fraction * rows as f64).round() as usize).max(1);
        if count >= rows {
            let rule = format!("small enough to leave some of the {rows} rows to learn from");
            return Err(Error::param("validation_fraction", rule, self.validation_fraction));
        }
        let mut order = permutation(self.seed, STREAM_HELD_OUT, rows as u32);
        let mut learnt = order.split_off(count);
        learnt.sort_unstable();
        Ok((learnt, order))
    }

    /// Passes over rows until the loss, or the score of `score`, no longer gets better.
    pub(super) fn passes(
        &self,
        lesson: &Lesson<'_>,
        planes: &mut [Plane],
        rows: &[u32],
        score: Option<Scored<'_>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<Passed> {
        let mut passed = Passed { passes: 0, converged: false, losses: vec![], scores: vec![] };
        let (mut best, mut stale) = (f64::INFINITY, 0);
        for pass in 0..self.max_iter {
            let order: Vec<u32> = match self.shuffle {
                true => {
                    let places = permutation(self.seed, STREAM.wrapping_add(pass as u32), rows.len() as u32);
                    places.into_iter().map(|place| rows[place as usize]).collect()
                }
                false => rows.to_vec(),
            };
            let loss = lesson.pass(planes, &order) / (rows.len() * planes.len()) as f64;
            passed.passes = pass + 1;
            if !loss.is_finite() || planes.iter().any(|plane| !plane.is_finite()) {
                return Err(self.diverged(pass + 1));
            }
            passed.losses.push(loss);
            let cost = match score {
                Some(score) => {
                    passed.scores.push(score(planes)?);
                    -passed.scores[pass]
                }
                None => loss,
            };
            if reporter.report(pass + 1, Some(loss), (pass + 1) as f64 / self.max_iter as f64)? {
                break;
            }
            let Some(tol) = self.tol else { continue };
            stale = if cost > best - tol { stale + 1 } else { 0 };
            best = best.min(cost);
            if stale >= self.n_iter_no_change {
                if self.learning_rate == LearningRate::Adaptive && planes[0].rate > LEAST_RATE {
                    planes.iter_mut().for_each(|plane| plane.rate /= ADAPTIVE_FACTOR);
                    stale = 0;
                } else {
                    passed.converged = true;
                    break;
                }
            }
        }
        if passed.losses.last().is_some_and(|loss| lesson.has_diverged(planes, rows, *loss)) {
            return Err(self.diverged(passed.passes));
        }
        if !passed.converged && self.tol.is_some() {
            log::warn!("stochastic gradient descent: not converged after {} passes", passed.passes);
        }
        Ok(passed)
    }

    /// One pass over a chunk, in its order, after those that `before` tells of.
    pub(super) fn chunk(
        &self,
        lesson: &Lesson<'_>,
        planes: &mut [Plane],
        before: Option<&FitOutcome>,
    ) -> Result<FitOutcome> {
        let order: Vec<u32> = (0..lesson.rows.rows() as u32).collect();
        let loss = lesson.pass(planes, &order) / (order.len() * planes.len()) as f64;
        let passes = before.map_or(0, |before| before.iterations) + 1;
        if !loss.is_finite() || planes.iter().any(|plane| !plane.is_finite()) {
            return Err(self.diverged(passes));
        }
        let mut losses = before.and_then(|before| before.extra("train_loss")).unwrap_or_default().to_vec();
        losses.push(loss);
        let fit = FitOutcome { iterations: passes, converged: true, extras: vec![] };
        Ok(fit.with("train_loss", losses))
    }

    /// The planes of a model that goes on learning.
    pub(super) fn planes_before(
        &self,
        op: &'static str,
        before: &FitOutcome,
        count: usize,
        columns: usize,
    ) -> Result<Vec<Plane>> {
        let stored = before.extra("state").unwrap_or_default();
        Plane::all_from_numbers(stored, count, columns, &self.rules()?).ok_or_else(|| {
            let expected = "a model of these columns and outputs, with the same penalty and average";
            Error::shape(op, expected.to_string(), "another one")
        })
    }

    /// The error of weights that left the range of numbers.
    pub(super) fn diverged(&self, pass: usize) -> Error {
        let rule = format!(
            "smaller, or the columns scaled (StandardScaler): the steps diverge, as the loss of pass {pass} shows"
        );
        match self.learning_rate {
            LearningRate::Optimal => Error::param("learning_rate", format!("with an eta0 that is {rule}"), "optimal"),
            _ => Error::param("eta0", rule, self.eta0),
        }
    }
}
