//! The nearest rows themselves.

use super::Neighborhoods;
use super::reference::{Neighbors, Reference, search_cost};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitShape, FittedWith, InputColumns, Model, Observer, OwnedRows, Queries, Rows, Save, Transform,
    parameters,
};
use crate::model_file::Container;

const OP: &str = "NearestNeighbors";

parameters! {
    /// Finds the k nearest of the fitted rows, or those within a radius. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [5.0, 5.0]])?;
    /// let model = NearestNeighbors::new(2).fit(&x)?;
    /// let found = model.kneighbors(&Matrix::from_rows(&[[0.9, 0.0]])?)?;
    /// assert_eq!(found.indices(0), [1, 0]);
    /// let near = model.radius_neighbors(&x, 2.0)?;
    /// assert_eq!(near.get(0).0, [0, 1, 2]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct NearestNeighbors: transformer("nearest-neighbors") -> NearestNeighborsModel;
    about "distances to the k nearest fitted rows";
    new(n_neighbors: usize);
    {
        /// Number of neighbours of each row, k; from 1 to the number of fitted rows.
        n_neighbors: usize = 5, at_least(1.0);
        /// The distance: euclidean, manhattan, chebyshev, cosine or minkowski:P.
        metric: Metric = Metric::Euclidean;
    }
}

impl Estimator for NearestNeighbors {
    /// A fit keeps the rows; the predictions are the work.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        Some(search_cost(shape.rows, shape.columns, shape.queries))
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<NearestNeighborsModel> {
        options.refuse_weights(OP)?;
        let reference = Reference::fit(OP, x, self.metric)?;
        reference.check_neighbors(self.n_neighbors)?;
        Ok(NearestNeighborsModel { params: self.clone().into(), reference })
    }
}

/// Fitted rows that can be searched for neighbours.
#[derive(Debug)]
pub struct NearestNeighborsModel {
    params: FittedWith<NearestNeighbors>,
    reference: Reference,
}

impl NearestNeighborsModel {
    /// The k nearest fitted rows of each row of `x` (n×d), nearest first, where `x` lives.
    pub fn kneighbors<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Neighbors> {
        self.reference.k_nearest(self.params.align(x)?.rows(), self.params.n_neighbors, Fit::default())
    }

    /// The same, reported to an observer.
    pub fn kneighbors_with<'a>(&self, x: impl Into<Queries<'a>>, observer: &mut dyn Observer) -> Result<Neighbors> {
        self.reference.k_nearest(
            self.params.align(x)?.rows(),
            self.params.n_neighbors,
            Fit::default().observer(observer),
        )
    }

    /// The fitted rows within `radius` of each row of `x`, the radius included, in the order of their numbers.
    pub fn radius_neighbors<'a>(&self, x: impl Into<Queries<'a>>, radius: f32) -> Result<Neighborhoods> {
        self.reference.radius_neighbors(self.params.align(x)?.rows(), radius)
    }

    /// The fitted rows, n×d; those that only a GPU has are copied back.
    pub fn rows(&self) -> Result<&Matrix> {
        self.reference.rows()
    }
}

impl Transform for NearestNeighborsModel {}

impl Model for NearestNeighborsModel {
    fn predict_cost(&self, rows: usize) -> Option<Cost> {
        Some(self.reference.cost(rows))
    }

    /// The distances to the k nearest fitted rows, nearest first, n×k.
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let found = self.kneighbors(x)?;
        let distances = (0..found.len()).flat_map(|row| found.distances(row)).copied().collect();
        OwnedRows::beside(x, Matrix::from_vec(found.len(), self.params.n_neighbors, distances)?)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        let names: Vec<String> = (0..self.params.n_neighbors).map(|place| format!("distance_{place}")).collect();
        Some(InputColumns::named(&names))
    }
}

impl Save for NearestNeighborsModel {
    type Estimator = NearestNeighbors;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.reference.store(container)
    }

    fn load_fitted(params: FittedWith<NearestNeighbors>, container: &mut Container) -> Result<NearestNeighborsModel> {
        let reference = Reference::restore(container, params.metric)?;
        reference.check_neighbors(params.n_neighbors).map_err(|error: Error| container.refuse(error.to_string()))?;
        Ok(NearestNeighborsModel { params, reference })
    }
}
