//! Regression by the mean of the nearest rows.

use rayon::prelude::*;

use super::reference::{Neighbors, Reference, search_cost};
use super::votes::Weights;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::distance::Metric;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, FitShape, FittedWith, Model, Observer, Predict, Prediction, Queries, Rows, Save, Targets,
    parameters,
};
use crate::model_file::Container;

const OP: &str = "KNeighborsRegressor";

parameters! {
    /// Regression by the mean of the targets of the k nearest rows. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let model = KNeighborsRegressor::new(2).fit(&x, &[0.0, 1.0, 4.0, 9.0])?;
    /// assert_eq!(model.predict(&Matrix::from_rows(&[[1.4]])?)?.as_slice(), [2.5]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct KNeighborsRegressor: regressor("kneighbors-regressor") -> KNeighborsRegressorModel;
    about "the mean of the targets of the k nearest rows";
    new(n_neighbors: usize);
    {
        /// Number of neighbours that are averaged, k; from 1 to the number of fitted rows.
        n_neighbors: usize = 5, at_least(1.0);
        /// How much each neighbour counts: uniform, or distance (by 1 / distance).
        weights: Weights = Weights::Uniform;
        /// The distance: euclidean, manhattan, chebyshev, cosine or minkowski:P.
        metric: Metric = Metric::Euclidean;
    }
}

impl Estimator for KNeighborsRegressor {
    /// A fit keeps the rows; the predictions are the work.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(search_cost(shape.rows, shape.columns, shape.queries))
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<KNeighborsRegressorModel> {
        options.refuse_weights(OP)?;
        let reference = Reference::fit(OP, x, self.metric)?;
        reference.check_neighbors(self.n_neighbors)?;
        let y = y.complete(OP, reference.len())?;
        Ok(KNeighborsRegressorModel { params: self.clone().into(), reference, y })
    }
}

/// A fitted k-nearest-neighbours regressor: rows whose targets are averaged.
#[derive(Debug)]
pub struct KNeighborsRegressorModel {
    params: FittedWith<KNeighborsRegressor>,
    reference: Reference,
    y: Matrix,
}

impl KNeighborsRegressorModel {
    /// The neighbours that are averaged for each row of `x`.
    pub fn kneighbors<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Neighbors> {
        self.reference.k_nearest(self.params.align(x)?.rows(), self.params.n_neighbors, Fit::default())
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
}

impl Model for KNeighborsRegressorModel {
    fn predict_cost(&self, rows: usize) -> Option<Cost> {
        Some(self.reference.cost(rows))
    }

    fn predict_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        let options = Fit::default().observer(observer);
        Ok(self.means(&self.reference.k_nearest(x, self.params.n_neighbors, options)?)?.into())
    }
}

impl Save for KNeighborsRegressorModel {
    type Estimator = KNeighborsRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("targets", &[self.y.rows(), self.y.columns()], self.y.as_slice().to_vec())?;
        self.reference.store(container)
    }

    fn load_fitted(
        params: FittedWith<KNeighborsRegressor>,
        container: &mut Container,
    ) -> Result<KNeighborsRegressorModel> {
        let reference = Reference::restore(container, params.metric)?;
        reference.check_neighbors(params.n_neighbors).map_err(|error| container.refuse(error.to_string()))?;
        let [rows, outputs] = container.shape("targets")?;
        if rows != reference.len() || outputs == 0 {
            return Err(container.refuse(format!("{rows}×{outputs} targets for {} rows", reference.len())));
        }
        let y = Matrix::from_vec(rows, outputs, container.take("targets", &[rows, outputs])?)?;
        Ok(KNeighborsRegressorModel { params, reference, y })
    }
}
