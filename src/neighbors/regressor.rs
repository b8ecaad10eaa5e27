//! Numbers by the mean of the nearest rows.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::reference::{Neighbors, Reference};
use super::votes::{PARAMETERS, Weights};
use crate::array::Matrix;
use crate::data::Target;
use crate::error::Result;
use crate::estimator::{Estimator, Fit, Fitted, Observer, Predict, Prediction, Rows, Score, Targets, Task};
use crate::metric::Metric;
use crate::model::{Container, Persist};

/// The mean of the targets of the k nearest rows. Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = KNeighborsRegressor::new(2).fit(&x, &[0.0, 1.0, 4.0, 9.0])?;
/// assert_eq!(model.predict(&Matrix::from_rows(&[[1.4]])?)?.as_slice(), [2.5]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KNeighborsRegressor {
    /// Neighbours that are averaged, k; from 1 to the number of fitted rows. Default 5.
    pub n_neighbors: usize,
    /// How much each counts. Default [`Weights::Uniform`].
    pub weights: Weights,
    /// What nearness is. Default [`Metric::Euclidean`].
    pub metric: Metric,
}

impl Default for KNeighborsRegressor {
    fn default() -> KNeighborsRegressor {
        KNeighborsRegressor { n_neighbors: 5, weights: Weights::Uniform, metric: Metric::Euclidean }
    }
}

impl KNeighborsRegressor {
    /// The mean of the k nearest rows.
    pub fn new(n_neighbors: usize) -> KNeighborsRegressor {
        KNeighborsRegressor { n_neighbors, ..KNeighborsRegressor::default() }
    }

    /// Sets how much each neighbour counts.
    pub fn weights(mut self, weights: Weights) -> KNeighborsRegressor {
        self.weights = weights;
        self
    }

    /// Sets what nearness is.
    pub fn metric(mut self, metric: Metric) -> KNeighborsRegressor {
        self.metric = metric;
        self
    }

    /// Keeps the rows of `x` (n×d) with their targets (n numbers, or n×p) and prepares the search.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<KNeighborsRegressorModel> {
        let reference = Reference::fit("KNeighborsRegressor", x.into(), self.metric)?;
        reference.check_neighbors(self.n_neighbors)?;
        let y = y.into().complete("KNeighborsRegressor", reference.rows().rows())?;
        Ok(KNeighborsRegressorModel { params: self.clone(), reference, y })
    }
}

/// Rows whose targets are averaged.
#[derive(Debug)]
pub struct KNeighborsRegressorModel {
    params: KNeighborsRegressor,
    reference: Reference,
    y: Matrix,
}

impl KNeighborsRegressorModel {
    /// The neighbours that are averaged for each row of `x`.
    pub fn kneighbors<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Neighbors> {
        self.reference.k_nearest(x.into(), self.params.n_neighbors, Fit::default())
    }

    /// The mean for each row of `x`, told to an observer.
    pub fn predict_with<'a>(&self, x: impl Into<Rows<'a>>, observer: &mut dyn Observer) -> Result<Matrix> {
        let options = Fit::default().observer(observer);
        self.means(&self.reference.k_nearest(x.into(), self.params.n_neighbors, options)?)
    }

    fn means(&self, neighbors: &Neighbors) -> Result<Matrix> {
        let outputs = self.y.columns();
        let mut means = Matrix::zeros(neighbors.len(), outputs)?;
        means.as_mut_slice().par_chunks_mut(outputs).enumerate().for_each_init(Vec::new, |weights, (row, means)| {
            self.params.weights.of(neighbors.distances(row), weights);
            let total: f64 = weights.iter().sum();
            for (output, mean) in means.iter_mut().enumerate() {
                let terms = neighbors.indices(row).iter().zip(&*weights);
                let sum: f64 =
                    terms.map(|(index, weight)| weight * f64::from(self.y.get(*index as usize, output))).sum();
                *mean = (sum / total) as f32;
            }
        });
        Ok(means)
    }
}

impl Predict for KNeighborsRegressorModel {
    type Output = Matrix;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.means(&self.kneighbors(x)?)
    }
}

impl Score for KNeighborsRegressorModel {
    type Target = Matrix;

    /// R², the mean over the outputs.
    fn score<'a>(&self, x: impl Into<Rows<'a>>, target: &Matrix) -> Result<f64> {
        crate::metrics::r2_score_columns(target, &self.predict(x)?)
    }
}

impl Persist for KNeighborsRegressorModel {
    const KIND: &'static str = "kneighbors-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&self.params)?;
        container.insert("targets", &[self.y.rows(), self.y.columns()], self.y.as_slice().to_vec())?;
        self.reference.store(container)
    }

    fn restore(container: &mut Container) -> Result<KNeighborsRegressorModel> {
        let params: KNeighborsRegressor = container.parameters()?;
        let reference = Reference::restore(container, params.metric)?;
        reference.check_neighbors(params.n_neighbors).map_err(|error| container.refuse(error.to_string()))?;
        let [rows, outputs] = container.shape("targets")?;
        if rows != reference.rows().rows() || outputs == 0 {
            return Err(container.refuse(format!("{rows}×{outputs} targets for {} rows", reference.rows().rows())));
        }
        let y = Matrix::from_vec(rows, outputs, container.take("targets", &[rows, outputs])?)?;
        Ok(KNeighborsRegressorModel { params, reference, y })
    }
}

impl Estimator for KNeighborsRegressor {
    type Model = KNeighborsRegressorModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "the mean of the targets of the k nearest rows";
    const PARAMETERS: &'static [(&'static str, &'static str)] = PARAMETERS;

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<KNeighborsRegressorModel> {
        options.refuse_weights("KNeighborsRegressor")?;
        self.fit(x, target.values()?)
    }
}

impl Fitted for KNeighborsRegressorModel {
    fn predict_any(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict_with(x, observer)?))
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
