//! Mixtures of Gaussians by expectation and maximisation.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::covariance::CovarianceType;
use super::gaussians::WeightedGaussians;
use crate::array::Matrix;
use crate::cluster::{Init, KMeans};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, Estimator, Fit, FitReport, FittedWith, Model, Observer, PictureInput, Predict, PredictProba, Prediction,
    Reporter, Rows, Save, ScoreSamples, parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::solvers::scatter::Scatter;

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
    /// - `reg_covar` is added to the variances, so columns that do not vary still have a density; with 0 they are an error.
    /// - It ends when a step adds less than `tol` to the mean log-likelihood. Rows of weight 2 count as two rows.
    /// - Rows on a GPU come to the host.
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
        /// Seed of the starts.
        seed: u64 = 0;
    }
}

impl Estimator for GaussianMixture {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<GaussianMixtureModel> {
        let weights = options.weights(Self::TYPE, x.rows())?;
        let x = x.complete(Self::TYPE)?;
        let x = x.to_matrix(&mut x.device().stream())?;
        if self.n_components > x.rows() {
            let rule = format!("at most the number of rows, {}", x.rows());
            return Err(Error::param("n_components", rule, self.n_components));
        }
        options.watched("mixture", |reporter| self.search(&x, weights, reporter))
    }
}

/// A search: its Gaussians, and the mean log-likelihood before each step and after the last.
struct Search {
    found: WeightedGaussians,
    curve: Vec<f64>,
    converged: bool,
    stopped: bool,
}

impl GaussianMixture {
    fn search(&self, x: &Matrix, weights: Option<&[f32]>, reporter: &mut Reporter<'_>) -> Result<GaussianMixtureModel> {
        let on_cpu = x.to(&Device::Cpu)?;
        let total = Scatter::of(&mut Device::Cpu.stream(), &on_cpu, weights)?;
        let mut best: Option<Search> = None;
        for number in 0..self.n_init {
            let start = self.start(x, weights, &total, number)?;
            let search = self.climb(x, weights, &total, start, number, reporter)?;
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

    /// Gaussians of the rows that are nearest to each of k centres.
    fn start(&self, x: &Matrix, weights: Option<&[f32]>, total: &Scatter, number: usize) -> Result<WeightedGaussians> {
        let (k, d) = (self.n_components, x.columns());
        let seed = self.seed.wrapping_add(number as u64);
        let (init, steps) = match self.init_params {
            MixtureStart::KMeans => (Init::KMeansPlusPlus, 300),
            MixtureStart::KMeansPlusPlus => (Init::KMeansPlusPlus, 1),
            MixtureStart::RandomRows => (Init::Random, 1),
        };
        let options = weights.map_or(Fit::default(), |weights| Fit::default().sample_weight(weights));
        let clusters = KMeans::new(k).init(init).max_iter(steps).n_init(1).seed(seed).fit_with(x, options)?;
        let mut found = WeightedGaussians {
            kind: self.covariance_type,
            weights: vec![0.0; k],
            means: vec![0.0; k * d],
            covariances: vec![],
            center: total.mean.clone(),
        };
        let mut pooled = DMatrix::zeros(d, d);
        for at in 0..k {
            let rows: Vec<usize> = (0..x.rows()).filter(|row| clusters.labels()[*row] == at as u32).collect();
            let own: Option<Vec<f32>> = weights.map(|weights| rows.iter().map(|row| weights[*row]).collect());
            let counts = own.as_ref().map_or(rows.len() as f64, |own| own.iter().copied().map(f64::from).sum());
            // A cluster without weight starts as all rows together.
            let scatter = match counts > 0.0 {
                true => Scatter::of(&mut Device::Cpu.stream(), &x.select(&rows)?.to(&Device::Cpu)?, own.as_deref())?,
                false => Scatter { weight: 0.0, ..total.clone() },
            };
            found.weights[at] = (scatter.weight / total.weight).max(10.0 * f64::EPSILON);
            found.means[at * d..(at + 1) * d].copy_from_slice(&scatter.mean);
            let over = if scatter.weight > 0.0 { scatter.weight } else { total.weight };
            if self.covariance_type == CovarianceType::Tied {
                pooled += &scatter.matrix * (scatter.weight / over);
            } else {
                let mut covariance = &scatter.matrix / over;
                (0..d).for_each(|i| covariance[(i, i)] += self.reg_covar);
                found.covariances.extend(self.covariance_type.of(&covariance));
            }
        }
        if self.covariance_type == CovarianceType::Tied {
            pooled /= total.weight;
            (0..d).for_each(|i| pooled[(i, i)] += self.reg_covar);
            found.covariances = self.covariance_type.of(&pooled);
        }
        let sum: f64 = found.weights.iter().sum();
        found.weights.iter_mut().for_each(|weight| *weight /= sum);
        Ok(found)
    }

    fn climb(
        &self,
        x: &Matrix,
        weights: Option<&[f32]>,
        total: &Scatter,
        start: WeightedGaussians,
        number: usize,
        reporter: &mut Reporter<'_>,
    ) -> Result<Search> {
        let mut search = Search { found: start, curve: vec![], converged: false, stopped: false };
        for step in 0..=self.max_iter {
            let ready = search.found.ready()?;
            let moments = ready.moments(x, weights);
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

/// The mixture that [`GaussianMixture`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianMixtureModel {
    params: FittedWith<GaussianMixture>,
    found: WeightedGaussians,
    curve: Vec<f64>,
    converged: bool,
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

    fn figures(&self, _: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let curve = self.curve.iter().enumerate().map(|(step, value)| (step as f64, *value));
        let figure = Figure::new().title("Mean log-likelihood of the fitted rows").x_label("step");
        Ok(vec![figure.y_label("log-likelihood").line("", curve)])
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
