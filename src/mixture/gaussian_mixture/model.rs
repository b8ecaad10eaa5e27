//! A fitted mixture.

use nalgebra::DMatrix;

use super::super::gaussians::WeightedGaussians;
use super::super::pictures::{Component, density_picture};
use super::GaussianMixture;
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, FitReport, FittedWith, Model, Observer, PictureInput, Predict, PredictProba, Prediction, Rows, Save,
    ScoreSamples,
};
use crate::model_file::Container;
use crate::plot::Figure;

/// The mixture that [`GaussianMixture`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianMixtureModel {
    pub(super) params: FittedWith<GaussianMixture>,
    pub(super) found: WeightedGaussians,
    pub(super) curve: Vec<f64>,
    pub(super) converged: bool,
}

impl GaussianMixtureModel {
    /// The weight of each Gaussian, k numbers that add up to 1.
    pub fn weights(&self) -> &[f64] {
        &self.found.weights
    }

    /// The means, k×d.
    pub fn means(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.found.count(), self.found.columns(), &self.found.means)
    }

    /// The covariance of a Gaussian, d×d, whatever the type.
    pub fn covariance(&self, component: usize) -> Result<DMatrix<f64>> {
        match component < self.found.count() {
            true => Ok(self.found.covariance(component)),
            false => Err(Error::param("component", format!("below {}", self.found.count()), component)),
        }
    }

    /// The mean log-likelihood of the fitted rows at the start and after each step.
    pub fn log_likelihoods(&self) -> &[f64] {
        &self.curve
    }

    /// Steps of the search that was kept.
    pub fn iterations(&self) -> usize {
        self.curve.len() - 1
    }

    /// Whether the last step added less than `tol`.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// So many random rows of the mixture, n×d, and which Gaussian each is of.
    pub fn sample(&self, count: usize, seed: u64) -> Result<(Matrix, Vec<u32>)> {
        self.found.sample(count, seed)
    }

    /// The Bayesian information criterion of rows, −2·ln L + ln n·(free numbers): lower is better.
    pub fn bic<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
        let x = x.into();
        Ok(self.found.free() as f64 * (x.rows() as f64).ln() - 2.0 * self.log_likelihood(x)?)
    }

    /// Akaike's information criterion of rows, −2·ln L + 2·(free numbers): lower is better.
    pub fn aic<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
        Ok(2.0 * self.found.free() as f64 - 2.0 * self.log_likelihood(x.into())?)
    }

    fn log_likelihood(&self, x: Rows<'_>) -> Result<f64> {
        Ok(self.densities(x, false)?.0.iter().sum())
    }

    fn densities(&self, x: Rows<'_>, shares: bool) -> Result<(Vec<f64>, Option<Matrix>)> {
        let x = x.queries(GaussianMixture::TYPE, self.found.columns())?;
        self.found.ready()?.densities(&x, shares)
    }
}

impl Predict for GaussianMixtureModel {
    type Output = Vec<u32>;
}

impl PredictProba for GaussianMixtureModel {}

impl ScoreSamples for GaussianMixtureModel {}

impl Model for GaussianMixtureModel {
    /// The Gaussian that is most likely to have made each row; of equal ones the first.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let shares = self.densities(x, true)?.1.map_or_else(|| Matrix::zeros(0, 0), Ok)?;
        let best = |row: usize| {
            let shares = shares.row(row);
            (1..shares.len()).fold(0, |best, at| if shares[at] > shares[best] { at } else { best }) as u32
        };
        Ok(Prediction::Clusters((0..shares.rows()).map(best).collect()))
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        Ok(self.densities(x, true)?.1)
    }

    fn score_samples_rows(&self, x: Rows<'_>) -> Result<Option<Vec<f64>>> {
        Ok(Some(self.densities(x, false)?.0))
    }

    fn report(&self) -> FitReport {
        let means: Vec<f32> = self.found.means.iter().map(|mean| *mean as f32).collect();
        let report = FitReport::default()
            .iterations(self.iterations(), self.converged)
            .with_number("log_likelihood", self.curve.last().copied())
            .with_curve("log_likelihood", &self.curve)
            .with_row("weights", self.found.weights.clone());
        match Matrix::from_vec(self.found.count(), self.found.columns(), means) {
            Ok(means) => report.with_matrix("means", &means),
            Err(_) => report,
        }
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let component = |at: usize| {
            let d = self.found.columns();
            (self.found.means[at * d..(at + 1) * d].to_vec(), self.found.covariance(at))
        };
        let components: Vec<Component> = (0..self.found.count()).map(component).collect();
        let mut figures = density_picture(input, &components, |x| Ok(self.densities(Rows::Host(x), false)?.0))?;
        let curve = self.curve.iter().enumerate().map(|(step, value)| (step as f64, *value));
        let figure = Figure::new().title("Mean log-likelihood of the fitted rows").x_label("step");
        figures.push(figure.y_label("log-likelihood").line("", curve));
        Ok(figures)
    }
}

impl Save for GaussianMixtureModel {
    type Estimator = GaussianMixture;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&self.converged)?;
        container.insert_list("log_likelihoods", &self.curve)?;
        self.found.store(container)
    }

    fn load_fitted(params: FittedWith<GaussianMixture>, container: &mut Container) -> Result<GaussianMixtureModel> {
        let converged = container.fitted()?;
        let curve: Vec<f64> = container.take_list("log_likelihoods")?;
        let found = WeightedGaussians::restore(params.covariance_type, container)?;
        if curve.is_empty() {
            return Err(container.refuse("no log-likelihood"));
        }
        Ok(GaussianMixtureModel { params, found, curve, converged })
    }
}
