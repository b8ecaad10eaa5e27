//! One Gaussian, and rows that are outliers under it.

use nalgebra::DMatrix;

use super::covariance::CovarianceType;
use super::gaussians::WeightedGaussians;
use super::pictures::density_picture;
use crate::error::Result;
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FittedWith, Model, Observer, PictureInput, Predict, Prediction, Rows, Save,
    ScoreSamples, parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::solvers::scatter::Scatter;

parameters! {
    /// A Gaussian by maximum likelihood; rows whose density is low are outliers.
    ///
    /// The mean is Σx/n, the covariance Σ(x − mean)(x − mean)ᵀ/n; of a ball (`spherical`) the variance is
    /// Σ‖x − mean‖²/(n·d).
    ///
    /// ```
    /// use gristmill::mixture::GaussianDensity;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [2.0], [1.0], [1.0]])?;
    /// let model = GaussianDensity::default().fit(&x)?;
    /// assert!((model.mean()[0] - 1.0).abs() < 1e-12 && (model.covariance()[0] - 0.5).abs() < 1e-5);
    /// assert_eq!(model.predict(&Matrix::from_rows(&[[1.0], [9.0]])?)?, [1, -1]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A row is an outlier if its log-density is at most `threshold`; without one, if it is below that of the share
    ///   `contamination` of the fitted rows.
    /// - `reg_covar` is added to the variances; with 0, rows that lie in a plane are an error.
    pub struct GaussianDensity: density("gaussian-density") -> GaussianDensityModel;
    about "one Gaussian by maximum likelihood; rows of low density are outliers";
    {
        /// The covariance: full, diag or spherical; tied is full.
        covariance_type: CovarianceType = CovarianceType::Full;
        /// Added to the variances.
        reg_covar: f64 = 1e-6, at_least(0.0);
        /// Rows whose log-density is at most this are outliers; none: by contamination.
        threshold: Option<f64> = None;
        /// The share of the fitted rows below whose density rows are outliers.
        contamination: f64 = 0.05, from_to(0.0, 0.5);
    }
}

impl Estimator for GaussianDensity {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<GaussianDensityModel> {
        let weights = options.weights(Self::TYPE, x.rows())?;
        let x = x.complete(Self::TYPE)?;
        let scatter = Scatter::of(&mut x.device().stream(), &x, weights)?;
        let mut covariance = scatter.matrix / scatter.weight;
        (0..x.columns()).for_each(|i| covariance[(i, i)] += self.reg_covar);
        let found = WeightedGaussians {
            kind: self.covariance_type,
            weights: vec![1.0],
            covariances: self.covariance_type.of(&covariance),
            means: scatter.mean.clone(),
            center: scatter.mean,
        };
        let threshold = match self.threshold {
            Some(threshold) => threshold,
            None => {
                let mut logs = found.ready()?.densities(&x, false)?.0;
                logs.sort_unstable_by(f64::total_cmp);
                let at = (self.contamination * logs.len() as f64) as usize;
                // The rows before it are outliers, so it lies just below the first that is none.
                logs[at.min(logs.len() - 1)].next_down()
            }
        };
        Ok(GaussianDensityModel { params: self.clone().into(), found, threshold })
    }
}

/// The Gaussian that [`GaussianDensity`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianDensityModel {
    params: FittedWith<GaussianDensity>,
    found: WeightedGaussians,
    threshold: f64,
}

impl GaussianDensityModel {
    /// The mean, d numbers.
    pub fn mean(&self) -> &[f64] {
        &self.found.means
    }

    /// The covariance, d×d.
    pub fn covariance(&self) -> DMatrix<f64> {
        self.found.covariance(0)
    }

    /// Rows whose log-density is at most this are outliers.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// So many random rows, n×d.
    pub fn sample(&self, count: usize, seed: u64) -> Result<crate::array::Matrix> {
        Ok(self.found.sample(count, seed)?.0)
    }

    fn log_densities(&self, x: Rows<'_>) -> Result<Vec<f64>> {
        let x = x.queries(GaussianDensity::TYPE, self.found.columns())?;
        Ok(self.found.ready()?.densities(&x, false)?.0)
    }
}

impl Predict for GaussianDensityModel {
    type Output = Vec<i32>;
}

impl ScoreSamples for GaussianDensityModel {}

impl Model for GaussianDensityModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let outlier = |log: f64| if log <= self.threshold { -1 } else { 1 };
        Ok(Prediction::Outliers(self.log_densities(x)?.into_iter().map(outlier).collect()))
    }

    fn score_samples_rows(&self, x: Rows<'_>) -> Result<Option<Vec<f64>>> {
        self.log_densities(x).map(Some)
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_number("threshold", self.threshold).with_row("mean", self.found.means.clone())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let components = [(self.found.means.clone(), self.found.covariance(0))];
        density_picture(input, &components, |x| self.log_densities(Rows::Host(x)))
    }
}

impl Save for GaussianDensityModel {
    type Estimator = GaussianDensity;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_list("threshold", &[self.threshold])?;
        self.found.store(container)
    }

    fn load_fitted(params: FittedWith<GaussianDensity>, container: &mut Container) -> Result<GaussianDensityModel> {
        let threshold: Vec<f64> = container.take("threshold", &[1])?;
        let found = WeightedGaussians::restore(params.covariance_type, container)?;
        if found.count() != 1 {
            return Err(container.refuse("more than one Gaussian"));
        }
        Ok(GaussianDensityModel { params, found, threshold: threshold[0] })
    }
}
