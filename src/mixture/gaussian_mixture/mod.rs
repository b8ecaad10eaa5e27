//! Mixtures of Gaussians by expectation and maximisation.

mod model;
mod search;
mod start;

use serde::{Deserialize, Serialize};

pub use model::GaussianMixtureModel;

use super::covariance::CovarianceType;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{Declared, Estimator, Fit, FitShape, Rows, parameters};

/// Where a search starts: rows belong to the nearest of k centres.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MixtureStart {
    /// The centres of k-means.
    #[default]
    #[serde(rename = "kmeans")]
    KMeans,
    /// Rows far from each other, by k-means++.
    #[serde(rename = "k-means++")]
    KMeansPlusPlus,
    /// Random rows.
    #[serde(rename = "random_from_data")]
    RandomRows,
}

/// Steps that a search is expected to take.
const EXPECTED_STEPS: usize = 30;

parameters! {
    /// A mixture of Gaussians, fitted by expectation and maximisation. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::mixture::GaussianMixture;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = GaussianMixture::new(3).fit(&iris.x)?;
    /// let log_densities = model.score_samples(&iris.x)?;
    /// assert!((log_densities.iter().sum::<f64>() + 180.19).abs() < 0.5);
    /// let (rows, _) = model.sample(10, 42)?; // ten new rows
    /// assert_eq!((rows.rows(), rows.columns()), (10, 4));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A step makes densities and sums in one pass: products in f32 about the present means and in their units, added in f64
    ///   in a fixed order; covariances are factored in f64. The log-likelihood does not fall, but for `reg_covar` and rounding.
    /// - `reg_covar` is added to the variances, so columns that do not vary still have a density; with 0 they are an error. A new row
    ///   that differs by 1 where the rows of its Gaussian do not vary loses 1/(2·`reg_covar`), half a million: a few such rows are the
    ///   mean of all. Compare medians, or raise `reg_covar`.
    /// - It ends when a step adds less than `tol` to the mean log-likelihood. Rows of weight 2 count as two rows.
    /// - `weights_init`, `means_init` and `precisions_init` replace what the start would be; with all three nothing else is made.
    /// - Rows on a GPU stay there; a step waits for it once. Covariances are factored on the host.
    pub struct GaussianMixture: density("gaussian-mixture") -> GaussianMixtureModel;
    about "a mixture of Gaussians, by expectation and maximisation";
    new(n_components: usize);
    {
        /// Number of Gaussians, k; at most the number of rows.
        n_components: usize = 1, at_least(1.0);
        /// Covariances: full, tied (one for all), diag or spherical.
        covariance_type: CovarianceType = CovarianceType::Full;
        /// A search ends when a step adds less than this to the mean log-likelihood.
        tol: f64 = 1e-3, at_least(0.0);
        /// Added to the variances.
        reg_covar: f64 = 1e-6, at_least(0.0);
        /// Maximum number of steps of a search.
        max_iter: usize = 100, at_least(1.0);
        /// Number of searches from different starts, of which the best is kept.
        n_init: usize = 1, at_least(1.0);
        /// Where a search starts: kmeans, k-means++ or random_from_data.
        init_params: MixtureStart = MixtureStart::KMeans;
        /// Weights to start with, k numbers that add up to 1.
        weights_init: Option<Vec<f64>> = None;
        /// Means to start with, k rows.
        means_init: Option<Vec<Vec<f64>>> = None;
        /// Inverse covariances to start with, a row each: d·d numbers (full, and one row if tied), d (diag) or 1 (spherical).
        precisions_init: Option<Vec<Vec<f64>>> = None;
        /// Seed of the starts.
        seed: u64 = 0;
    }
}

impl Estimator for GaussianMixture {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let width = (shape.columns * shape.columns * self.n_components) as f64;
        let steps = self.max_iter.min(EXPECTED_STEPS) as f64 * self.n_init as f64;
        let operations = 4.0 * shape.rows as f64 * width * steps;
        Some(Cost { operations, syncs: steps, kernels: 4.0, ..Cost::uploading(shape.rows, shape.columns) })
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<GaussianMixtureModel> {
        let weights = options.weights(Self::TYPE, x.rows())?;
        let x = x.complete(Self::TYPE)?;
        if self.n_components > x.rows() {
            let rule = format!("at most the number of rows, {}", x.rows());
            return Err(Error::param("n_components", rule, self.n_components));
        }
        options.watched("mixture", |reporter| self.search(&x, weights, reporter))
    }
}
