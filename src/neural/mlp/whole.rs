//! Learning from all rows at once: L-BFGS on their mean loss.

use super::fit::Problem;
use super::fitted::Fitted;
use super::{MlpSettings, Solver};
use crate::array::DeviceVec;
use crate::error::{Error, Result};
use crate::estimator::Reporter;
use crate::neural::learning::{TrainingOptions, TrainingRows};
use crate::neural::training::Learner;
use crate::solvers::lbfgs::minimize;

/// Rows that go through the network together, at least: slopes of all are added, so larger is only faster.
const ROWS: usize = 1024;
/// A step that lowers the loss by less than this share of it moved within its rounding.
const LEAST_GAIN: f64 = 1e-9;

impl MlpSettings {
    /// Goes on from `fitted` until so many iterations are done in all, the slope is below `tol`, or no step descends.
    pub(super) fn learn_whole(
        &self,
        mut fitted: Fitted,
        problem: &Problem<'_>,
        iterations: u64,
        reporter: &mut Reporter<'_>,
    ) -> Result<Fitted> {
        self.refuse_batches()?;
        let (n, device) = (problem.x.rows(), problem.x.device());
        let own = if problem.y.rows() > 0 { Some(problem.y.to(device)?) } else { None };
        let rows = TrainingRows { x: problem.x, y: own.as_ref().unwrap_or(problem.x), targets: problem.targets };
        let all: Vec<u32> = (0..n as u32).collect();
        let all = DeviceVec::from_slice(&all, device)?;
        let options = TrainingOptions { batch_size: self.batch_size.max(ROWS), ..self.options() };
        let network = fitted.network.clone();
        let mut learner = Learner::new(device, network, options, &fitted.state, (n, rows.y.columns()))?;
        let mut stream = device.stream();
        let start: Vec<f64> = fitted.state.parameters.iter().copied().map(f64::from).collect();
        let before = learner.epochs();
        let (mut last, mut converged, mut losses) = (f64::INFINITY, false, vec![]);
        let evaluate = |point: &[f64]| match learner.whole_slope(&mut stream, (rows, &all), point) {
            // A trial beyond all measure is one that does not descend.
            Err(Error::NotFinite { .. }) => Ok((f64::INFINITY, vec![0.0; point.len()])),
            found => found,
        };
        let (found, descends) = minimize(start, evaluate, |iteration, at| {
            if !at.value.is_finite() {
                return Ok(true);
            }
            if iteration > 0 {
                losses.push(at.value);
            }
            converged = at.steepness() <= self.tol || last - at.value <= LEAST_GAIN * at.value.abs();
            last = at.value;
            let done = before + iteration as u64;
            let share = done as f64 / iterations.max(1) as f64;
            let stopped = iteration > 0 && reporter.report(done as usize, Some(at.value), share)?;
            Ok(converged || stopped || done >= iterations)
        })?;
        fitted.progress.diverged = !found.value.is_finite();
        if fitted.progress.diverged {
            log::warn!("network: the loss of its start is no number; scale the columns");
            return Ok(fitted);
        }
        // Where no step descends in f32, this is the minimum as far as f32 can tell.
        fitted.progress.converged = converged || !descends;
        fitted.state.parameters = found.point.iter().map(|value| *value as f32).collect();
        fitted.state.epochs = before + losses.len() as u64;
        fitted.state.steps = fitted.state.epochs;
        fitted.progress.epochs = fitted.state.epochs;
        fitted.progress.steps = fitted.state.steps;
        fitted.gradient_norms = self.norms_by_layer(&fitted, &found.gradient);
        fitted.losses.append(&mut losses);
        if !fitted.progress.converged {
            log::info!("network: not converged after {} iterations", fitted.progress.epochs);
        }
        Ok(fitted)
    }

    /// What draws anew in each batch, stops by epochs or has a corner has no place here.
    fn refuse_batches(&self) -> Result<()> {
        let refused =
            |name, value: f64| Err(Error::param(name, "0 with solver lbfgs, which takes all rows at once", value));
        match () {
            () if self.dropout > 0.0 => refused("dropout", self.dropout),
            () if self.noise > 0.0 => refused("noise", self.noise),
            () if self.l1 > 0.0 => Err(Error::param("l1", "0 with solver lbfgs, which needs a smooth loss", self.l1)),
            () if self.early_stopping => Err(Error::param("early_stopping", "false with solver lbfgs", true)),
            () => Ok(()),
        }
    }

    fn norms_by_layer(&self, fitted: &Fitted, gradient: &[f64]) -> Vec<f64> {
        let mut squares = vec![0.0; fitted.network.layers().len()];
        for placed in fitted.network.blocks() {
            squares[placed.layer] += gradient[placed.range()].iter().map(|slope| slope * slope).sum::<f64>();
        }
        squares.into_iter().map(f64::sqrt).collect()
    }
}

/// Refuses the solver that takes all rows at once, where there are only some of them or layers draw at random.
pub(in crate::neural) fn refuse_lbfgs(solver: Solver, why: &str) -> Result<()> {
    if solver == Solver::Lbfgs { Err(Error::param("solver", why, "lbfgs")) } else { Ok(()) }
}
