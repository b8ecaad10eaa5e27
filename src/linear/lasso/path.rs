//! Coefficients over a path of penalties.

use nalgebra::DMatrix;

use super::prepare::{Prepared, Settings};
use crate::error::{Error, Result};
use crate::estimator::{Fit, Rows, Targets};
use crate::linear::predict::Linear;
use crate::solvers::coordinate::Outcome;

/// The coefficients of [`Lasso`](super::Lasso) or [`ElasticNet`](super::ElasticNet) for several penalties.
#[derive(Debug, Clone, PartialEq)]
pub struct LassoPath {
    pub(super) alphas: Vec<f64>,
    pub(super) planes: Vec<Linear>,
    pub(super) outcomes: Vec<Outcome>,
}

impl LassoPath {
    /// The penalties, from the largest on.
    pub fn alphas(&self) -> &[f64] {
        &self.alphas
    }

    /// The coefficients for one of the penalties, p×d.
    pub fn coef(&self, at: usize) -> &DMatrix<f64> {
        self.planes[at].coef()
    }

    /// The intercepts for one of the penalties, p numbers.
    pub fn intercept(&self, at: usize) -> &[f64] {
        self.planes[at].intercept()
    }

    /// The duality gap for one of the penalties: the objective is above its minimum by no more.
    pub fn dual_gap(&self, at: usize) -> f64 {
        self.outcomes[at].gap
    }

    /// The objective for one of the penalties, summed over the outputs.
    pub fn objective(&self, at: usize) -> f64 {
        self.outcomes[at].objective
    }

    /// Passes over the coordinates for one of the penalties.
    pub fn iterations(&self, at: usize) -> usize {
        self.outcomes[at].iterations
    }

    /// Whether the gap was reached for every penalty.
    pub fn converged(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.converged)
    }
}

/// Where the penalties of a path come from.
pub(super) enum Grid<'a> {
    Given(&'a [f64]),
    /// So many, from where all coefficients are 0 down to a share of that.
    Made {
        count: usize,
        eps: f64,
    },
}

impl Grid<'_> {
    /// The penalties, descending.
    pub(super) fn alphas(&self, prepared: &Prepared, settings: &Settings) -> Result<Vec<f64>> {
        match self {
            Grid::Given(alphas) => {
                if alphas.is_empty() || alphas.iter().any(|alpha| !alpha.is_finite() || *alpha <= 0.0) {
                    return Err(Error::param("alphas", "one or more finite numbers above 0", format!("{alphas:?}")));
                }
                let mut alphas = alphas.to_vec();
                alphas.sort_by(|a, b| b.total_cmp(a));
                Ok(alphas)
            }
            Grid::Made { count, eps } => {
                // Targets without a pull have no largest penalty; any will do.
                let most = Some(prepared.largest_alpha(settings)).filter(|most| *most > 0.0).unwrap_or(1.0);
                let share = |at: usize| at as f64 / (count.max(&2) - 1) as f64;
                Ok((0..*count).map(|at| most * eps.powf(share(at))).collect())
            }
        }
    }
}

/// The path of rows.
pub(super) fn path(
    op: &'static str,
    (x, y): (Rows<'_>, Targets<'_>),
    settings: &Settings,
    grid: Grid<'_>,
    options: Fit<'_>,
) -> Result<LassoPath> {
    if settings.l1_ratio <= 0.0 {
        return Err(Error::param("l1_ratio", "above 0 for a path; Ridge::path is for 0", settings.l1_ratio));
    }
    let prepared = Prepared::new(op, x, y, (settings.fit_intercept, true), &options)?;
    let alphas = grid.alphas(&prepared, settings)?;
    options.watched("path of penalties", |reporter| prepared.path(settings, &alphas, reporter))
}
