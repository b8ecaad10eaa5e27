//! Steps of expectation and maximisation from a start.

use super::super::gaussians::WeightedGaussians;
use super::{GaussianMixture, GaussianMixtureModel};
use crate::array::DeviceMatrix;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{Declared, Reporter};
use crate::ops::mixture::expectation::MixtureRows;
use crate::solvers::scatter::Scatter;

/// A search: its Gaussians, and the mean log-likelihood before each step and after the last.
struct Search {
    found: WeightedGaussians,
    curve: Vec<f64>,
    converged: bool,
    stopped: bool,
}

impl GaussianMixture {
    pub(super) fn search(
        &self,
        x: &DeviceMatrix,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<GaussianMixtureModel> {
        let mut stream = x.device().stream();
        let total = Scatter::of(&mut stream, x, weights)?;
        // The centre as rows see it, the same for all Gaussians of the search.
        let center: Vec<f32> = total.mean.iter().map(|mean| *mean as f32).collect();
        let rows = MixtureRows::new(&mut stream, x, &center, weights)?;
        let mut best: Option<Search> = None;
        for number in 0..self.n_init {
            let start = self.start(x, weights, &total, number)?;
            let search = self.climb(&mut stream, &rows, &total, start, number, reporter)?;
            let stopped = search.stopped;
            if best.as_ref().is_none_or(|best| search.curve.last() > best.curve.last()) {
                best = Some(search);
            }
            if stopped {
                break;
            }
        }
        // There is at least one search.
        let Some(Search { found, curve, converged, .. }) = best else {
            return Err(Error::param("n_init", "at least 1", self.n_init));
        };
        if !converged {
            let (steps, last) = (self.max_iter, curve.last().copied().unwrap_or_default());
            log::warn!("{}: not converged after {steps} steps, mean log-likelihood {last:.6}", Self::TYPE);
        }
        Ok(GaussianMixtureModel { params: self.clone().into(), found, curve, converged })
    }

    fn climb(
        &self,
        stream: &mut Stream,
        rows: &MixtureRows<'_>,
        total: &Scatter,
        start: WeightedGaussians,
        number: usize,
        reporter: &mut Reporter<'_>,
    ) -> Result<Search> {
        let mut search = Search { found: start, curve: vec![], converged: false, stopped: false };
        for step in 0..=self.max_iter {
            let ready = search.found.ready()?;
            let moments = ready.moments(stream, rows)?;
            let mean = moments.log_likelihood / total.weight;
            let gain = search.curve.last().map_or(f64::INFINITY, |last| mean - last);
            search.curve.push(mean);
            search.converged = gain.abs() < self.tol;
            let share = (number as f64 + step as f64 / self.max_iter as f64) / self.n_init as f64;
            search.stopped = reporter.report(step, Some(-mean), share)?;
            if search.converged || search.stopped || step == self.max_iter {
                break;
            }
            search.found = search.found.next(&ready, &moments, total, self.reg_covar);
        }
        Ok(search)
    }
}
