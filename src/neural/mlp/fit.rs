//! Epochs until the loss or the validation score no longer moves.

use super::fitted::Fitted;
use super::{LearningRate, MlpSettings, Solver};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::Reporter;
use crate::neural::learning::TrainingRows;
use crate::neural::training::Learner;
use crate::ops::neural::TargetLayout;
use crate::splits::{stratified_train_test_split, train_test_split};

/// A rate below this is not lowered further.
const LEAST_RATE: f64 = 1e-6;
/// What an adaptive rate is divided by.
const ADAPTIVE_FACTOR: f64 = 5.0;

/// Rows with their targets, on the device of the rows.
pub(in crate::neural) struct Problem<'a> {
    pub(in crate::neural) x: &'a DeviceMatrix,
    /// Empty if the rows are their own targets.
    pub(in crate::neural) y: Matrix,
    pub(in crate::neural) targets: TargetLayout,
    /// The classes, for a held out share like the whole.
    pub(in crate::neural) labels: Option<&'a Labels>,
    /// Validation rows that were given.
    pub(in crate::neural) validation: Option<(DeviceMatrix, Matrix)>,
}

/// Targets and, where rows count differently, a column of weights of mean 1.
pub(super) fn with_weights(y: &Matrix, weights: Option<&[f64]>) -> Result<Matrix> {
    let Some(weights) = weights else { return Ok(y.clone()) };
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    let mut values = Vec::with_capacity(y.rows() * (y.columns() + 1));
    for (row, weight) in weights.iter().enumerate() {
        values.extend_from_slice(y.row(row));
        values.push((weight / mean) as f32);
    }
    Matrix::from_vec(y.rows(), y.columns() + 1, values)
}

impl Problem<'_> {
    /// Σ weight·(target − mean)² over rows, for R².
    fn spread(&self, y: &Matrix, rows: &[u32]) -> f64 {
        let columns = self.targets.weight.unwrap_or(y.columns());
        let value = |row: u32, column: usize| f64::from(y.get(row as usize, column));
        let of_column = |column: usize| {
            let mean = rows.iter().map(|row| value(*row, column)).sum::<f64>() / rows.len().max(1) as f64;
            rows.iter().map(|row| (value(*row, column) - mean).powi(2)).sum::<f64>()
        };
        (0..columns).map(of_column).sum::<f64>() / rows.len().max(1) as f64
    }
}

impl MlpSettings {
    /// Goes on from `fitted` until so many epochs are done in all, or nothing moves any more.
    pub(in crate::neural) fn learn(
        &self,
        mut fitted: Fitted,
        problem: Problem<'_>,
        epochs: u64,
        reporter: &mut Reporter<'_>,
    ) -> Result<Fitted> {
        if self.solver == Solver::Lbfgs {
            return self.learn_whole(fitted, &problem, epochs, reporter);
        }
        let (n, device) = (problem.x.rows(), problem.x.device());
        let (learnt, held) = self.held_out(&problem)?;
        let own = if problem.y.rows() > 0 { Some(problem.y.to(device)?) } else { None };
        let y = own.as_ref().unwrap_or(problem.x);
        let rows = TrainingRows { x: problem.x, y, targets: problem.targets };
        let indices = DeviceVec::from_slice(&learnt, device)?;
        let held_indices = DeviceVec::from_slice(&held, device)?;
        let given = match &problem.validation {
            Some((x, y)) => {
                let all: Vec<u32> = (0..x.rows() as u32).collect();
                Some((x, y.to(device)?, DeviceVec::from_slice(&all, device)?, problem.spread(y, &all)))
            }
            None => None,
        };
        let validation = match &given {
            Some((x, y, all, _)) => Some((TrainingRows { x, y, targets: problem.targets }, all)),
            None => (!held.is_empty()).then_some((rows, &held_indices)),
        };
        let spread = given.as_ref().map_or_else(|| problem.spread(&problem.y, &held), |(.., spread)| *spread);
        let columns = y.columns();
        let mut learner = Learner::new(
            device,
            fitted.network.clone(),
            self.options(),
            &fitted.state,
            (n.min(learnt.len()), columns),
        )?;
        let mut stream = device.stream();
        let progress = &mut fitted.progress;
        progress.converged = false;
        while learner.epochs() < epochs {
            let told = match learner.epoch(&mut stream, (rows, &indices), validation) {
                Ok(told) => told,
                Err(Error::NotFinite { .. }) => {
                    let epoch = learner.epochs() + 1;
                    log::warn!(
                        "network: epoch {epoch} diverges; its steps are undone. Lower learning_rate_init, or scale the columns"
                    );
                    progress.diverged = true;
                    break;
                }
                Err(other) => return Err(other),
            };
            fitted.losses.push(told.loss);
            fitted.gradient_norms = told.gradient_norms;
            let cost = match told.validation {
                Some([_, score]) => {
                    let score = match problem.labels {
                        Some(_) => score,
                        None if spread > 0.0 => 1.0 - score / spread,
                        None => 0.0,
                    };
                    fitted.scores.push(score);
                    -score
                }
                None => told.loss,
            };
            let improved = progress.best.is_none_or(|best| cost <= best - self.tol);
            progress.stale = if improved { 0 } else { progress.stale + 1 };
            if progress.best.is_none_or(|best| cost < best) {
                progress.best = Some(cost);
                if validation.is_some() && self.early_stopping {
                    learner.keep_best(&mut stream)?;
                }
            }
            let done = learner.epochs();
            if reporter.report(done as usize, Some(told.loss), done as f64 / epochs as f64)? {
                break;
            }
            if progress.stale > self.n_iter_no_change {
                let rate = self.learning_rate_init * learner.rate_factor();
                let adapts = self.solver == Solver::Sgd && self.learning_rate == LearningRate::Adaptive;
                if !adapts || rate <= LEAST_RATE {
                    progress.converged = true;
                    break;
                }
                learner.scale_rate(1.0 / ADAPTIVE_FACTOR);
                progress.stale = 0;
            }
        }
        learner.restore_best(&mut stream)?;
        fitted.state = learner.state(&mut stream)?;
        progress.steps = fitted.state.steps;
        progress.epochs = fitted.state.epochs;
        progress.rate_factor = fitted.state.rate_factor;
        if !progress.converged && !progress.diverged && epochs > 1 {
            log::info!("network: not converged after {} epochs", progress.epochs);
        }
        Ok(fitted)
    }

    /// Rows to learn from, and those that early stopping holds out.
    fn held_out(&self, problem: &Problem<'_>) -> Result<(Vec<u32>, Vec<u32>)> {
        let n = problem.x.rows();
        if !self.early_stopping || problem.validation.is_some() {
            return Ok(((0..n as u32).collect(), vec![]));
        }
        let share = 1.0 - self.validation_fraction;
        let (learnt, held) = match problem.labels {
            Some(labels) => stratified_train_test_split(labels, share, self.seed)?,
            None => train_test_split(n, share, self.seed)?,
        };
        let words = |rows: Vec<usize>| rows.into_iter().map(|row| row as u32).collect();
        Ok((words(learnt), words(held)))
    }
}
