//! Outliers by local density (Breunig et al. 2000).

use serde::{Deserialize, Serialize};

use super::reference::{Neighbors, Reference, search_cost};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::estimator::{
    Decision, Estimator, Fit, FitShape, FittedWith, Model, Observer, Predict, Prediction, Queries, Rows, Save,
    parameters,
};
use crate::model_file::Container;

const OP: &str = "LocalOutlierFactor";
/// Added to a mean distance before it is inverted, as scikit-learn does: equal rows have a density, not infinity.
const SMALLEST: f64 = 1e-10;

/// How many rows are taken to be outliers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Contamination {
    /// Those whose factor is above 1.5, as in the original paper.
    #[default]
    Auto,
    /// This share of the fitted rows, above 0 and at most ½.
    Share(f64),
}

/// Contamination as it is written: `auto`, or the share.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Share(f64),
    Name(String),
}

impl Contamination {
    fn is_sound(&self) -> bool {
        !matches!(self, Contamination::Share(share) if !(*share > 0.0 && *share <= 0.5))
    }
}

impl From<Contamination> for Written {
    fn from(contamination: Contamination) -> Written {
        match contamination {
            Contamination::Auto => Written::Name("auto".to_string()),
            Contamination::Share(share) => Written::Share(share),
        }
    }
}

impl TryFrom<Written> for Contamination {
    type Error = Error;

    fn try_from(written: Written) -> Result<Contamination> {
        match written {
            Written::Share(share) => Ok(Contamination::Share(share)),
            Written::Name(name) if name == "auto" => Ok(Contamination::Auto),
            Written::Name(got) => Err(Error::param("contamination", "auto, or a share above 0 and at most 0.5", got)),
        }
    }
}

parameters! {
    /// The local outlier factor: how much denser a row's neighbours lie than the row itself. About 1 inside a cluster,
    /// clearly above 1 for an outlier. Names and defaults are scikit-learn's.
    ///
    /// With k-distance(b) the distance from b to its k-th nearest neighbour, reach(a, b) = max{k-distance(b), d(a, b)};
    /// a's density lrd(a) = 1 / mean of reach(a, b) over its k nearest b; and LOF(a) = mean of lrd(b) / lrd(a).
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[-1.1], [0.2], [101.1], [0.3]])?;
    /// let model = LocalOutlierFactor::new(2).fit(&x)?;
    /// assert_eq!(model.labels(), [1, 1, -1, 1]);
    /// assert!((model.negative_outlier_factor()[2] + 73.3697).abs() < 1e-3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct LocalOutlierFactor: outliers("local-outlier-factor") -> LocalOutlierFactorModel;
    about "outliers: rows in less dense places than their neighbours";
    new(n_neighbors: usize);
    {
        /// Number of neighbours by which density is measured, k; more than the number of rows less 1 are cut to that.
        n_neighbors: usize = 20, at_least(1.0);
        /// Expected share of outliers, above 0 and at most 0.5; auto: rows with a factor above 1.5.
        contamination: Contamination = Contamination::Auto, holds(Contamination::is_sound, "above 0 and at most 0.5");
        /// Whether the model is for rows that were not fitted: only then can it predict.
        novelty: bool = false;
        /// The distance: euclidean, manhattan, chebyshev, cosine or minkowski:P.
        metric: Metric = Metric::Euclidean;
    }
}

impl LocalOutlierFactor {
    /// Fits `x` and labels its rows: 1 for an inlier, −1 for an outlier.
    pub fn fit_predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<i32>> {
        Ok(self.fit(x)?.labels())
    }
}

impl Estimator for LocalOutlierFactor {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(search_cost(shape.rows, shape.columns, shape.rows + shape.queries))
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<LocalOutlierFactorModel> {
        options.refuse_weights(OP)?;
        let reference = Reference::fit(OP, x, self.metric)?;
        let rows = reference.len();
        if rows < 2 {
            return Err(Error::shape(OP, "at least two rows", rows));
        }
        let k = self.n_neighbors.min(rows - 1);
        if k < self.n_neighbors {
            log::warn!("n_neighbors is {}, and a row has {k} others: {k} are used", self.n_neighbors);
        }
        let neighbors = reference.k_nearest_others(k, options)?;
        let reach: Vec<f64> = (0..rows).map(|row| f64::from(neighbors.distances(row)[k - 1])).collect();
        let density: Vec<f64> = (0..rows).map(|row| density(&neighbors, row, &reach)).collect();
        let factors: Vec<f64> = (0..rows).map(|row| -factor(&neighbors, row, density[row], &density)).collect();
        let offset = match self.contamination {
            Contamination::Auto => -1.5,
            Contamination::Share(share) => percentile(&factors, share),
        };
        Ok(LocalOutlierFactorModel { params: self.clone().into(), reference, k, reach, density, factors, offset })
    }
}

/// A fitted local outlier factor.
#[derive(Debug)]
pub struct LocalOutlierFactorModel {
    params: FittedWith<LocalOutlierFactor>,
    reference: Reference,
    k: usize,
    /// The k-distance of each fitted row.
    reach: Vec<f64>,
    /// The local reachability density of each.
    density: Vec<f64>,
    /// −LOF of each.
    factors: Vec<f64>,
    offset: f64,
}

impl LocalOutlierFactorModel {
    /// −LOF of each fitted row: about −1 inside a cluster, far below for an outlier.
    pub fn negative_outlier_factor(&self) -> &[f64] {
        &self.factors
    }

    /// What −LOF is compared with: rows below it are outliers.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Neighbours that were used.
    pub fn n_neighbors(&self) -> usize {
        self.k
    }

    /// 1 for each fitted row that is an inlier, −1 for each outlier.
    pub fn labels(&self) -> Vec<i32> {
        self.factors.iter().map(|factor| if *factor < self.offset { -1 } else { 1 }).collect()
    }

    /// −LOF of each row of `x` against the fitted rows, all of which may be its neighbours. Only with `novelty`.
    pub fn score_samples<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Vec<f64>> {
        if !self.params.novelty {
            let rule =
                "true to predict rows that were not fitted (fit --set novelty=true); labels() has those that were"
                    .to_string();
            return Err(Error::param("novelty", rule, "false"));
        }
        let neighbors = self.reference.k_nearest(self.params.align(x)?.rows(), self.k, Fit::default())?;
        let score = |row| -factor(&neighbors, row, density(&neighbors, row, &self.reach), &self.density);
        Ok((0..neighbors.len()).map(score).collect())
    }
}

impl LocalOutlierFactorModel {
    /// The decision function of the fitted rows, below 0 for outliers, if `x` has the same rows; nothing for others.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [90.0]])?;
    /// let model = LocalOutlierFactor::new(2).fit(&x)?;
    /// assert!(model.fitted_decision(&x)?.is_some_and(|decision| decision[3] < 0.0 && decision[1] > 0.0));
    /// assert_eq!(model.fitted_decision(&x.select(&[0, 1])?)?, None);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn fitted_decision(&self, x: &Matrix) -> Result<Option<Vec<f64>>> {
        let fitted = self.reference.rows()?;
        let same = (x.rows(), x.columns()) == (fitted.rows(), fitted.columns()) && x.as_slice() == fitted.as_slice();
        Ok(same.then(|| self.factors.iter().map(|factor| factor - self.offset).collect()))
    }
}

impl Predict for LocalOutlierFactorModel {
    type Output = Vec<i32>;
}

impl Decision for LocalOutlierFactorModel {}

/// The local reachability density of a query from the k-distances of the fitted rows.
fn density(neighbors: &Neighbors, query: usize, reach: &[f64]) -> f64 {
    let pairs = neighbors.indices(query).iter().zip(neighbors.distances(query));
    let sum: f64 = pairs.map(|(index, distance)| f64::from(*distance).max(reach[*index as usize])).sum();
    1.0 / (sum / neighbors.neighbors() as f64 + SMALLEST)
}

/// The mean of the neighbours' densities over one's own.
fn factor(neighbors: &Neighbors, query: usize, own: f64, density: &[f64]) -> f64 {
    let sum: f64 = neighbors.indices(query).iter().map(|index| density[*index as usize] / own).sum();
    sum / neighbors.neighbors() as f64
}

/// The value below which a share of the values lies, linear between neighbouring ones, as numpy's percentile.
fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let low = place.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

impl Model for LocalOutlierFactorModel {
    fn predict_cost(&self, rows: usize) -> Option<Cost> {
        Some(self.reference.cost(rows))
    }

    /// 1 for each row of `x` that is an inlier, −1 for each outlier. Only with `novelty`.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let scores = self.score_samples(x)?;
        let outlier = |score: &f64| if *score < self.offset { -1 } else { 1 };
        Ok(Prediction::Outliers(scores.iter().map(outlier).collect()))
    }

    /// How far each row is from being an outlier: −LOF less the offset, n×1. Only with `novelty`.
    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let scores = self.score_samples(x)?;
        let values = scores.iter().map(|score| (score - self.offset) as f32).collect();
        Matrix::from_vec(scores.len(), 1, values).map(Some)
    }

    fn fitted_prediction(&self) -> Option<Prediction> {
        Some(Prediction::Outliers(self.labels()))
    }
}

impl Save for LocalOutlierFactorModel {
    type Estimator = LocalOutlierFactor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let rows = self.factors.len();
        container.insert("reach", &[rows], self.reach.clone())?;
        container.insert("density", &[rows], self.density.clone())?;
        container.insert("factors", &[rows], self.factors.clone())?;
        container.insert("offset", &[1], vec![self.offset])?;
        self.reference.store(container)
    }

    fn load_fitted(
        params: FittedWith<LocalOutlierFactor>,
        container: &mut Container,
    ) -> Result<LocalOutlierFactorModel> {
        let reference = Reference::restore(container, params.metric)?;
        let rows = reference.len();
        if rows < 2 {
            return Err(container.refuse(format!("{rows} rows, and there must be two at least")));
        }
        let reach = container.take("reach", &[rows])?;
        let density = container.take("density", &[rows])?;
        let factors = container.take("factors", &[rows])?;
        let offset = container.take("offset", &[1])?[0];
        let k = params.n_neighbors.min(rows - 1);
        Ok(LocalOutlierFactorModel { params, reference, k, reach, density, factors, offset })
    }
}
