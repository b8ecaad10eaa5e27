//! The nearest rows themselves.

use serde::{Deserialize, Serialize};

use super::Neighborhoods;
use super::reference::{Neighbors, Reference};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Observer, Rows};
use crate::metric::Metric;
use crate::model::{Container, Persist};

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NearestNeighbors {
    /// Neighbours of each row, k; from 1 to the number of fitted rows. Default 5.
    pub n_neighbors: usize,
    /// What nearness is. Default [`Metric::Euclidean`].
    pub metric: Metric,
}

impl Default for NearestNeighbors {
    fn default() -> NearestNeighbors {
        NearestNeighbors { n_neighbors: 5, metric: Metric::Euclidean }
    }
}

impl NearestNeighbors {
    /// The k nearest rows.
    pub fn new(n_neighbors: usize) -> NearestNeighbors {
        NearestNeighbors { n_neighbors, ..NearestNeighbors::default() }
    }

    /// Sets what nearness is.
    pub fn metric(mut self, metric: Metric) -> NearestNeighbors {
        self.metric = metric;
        self
    }

    /// Keeps the rows of `x` (n×d) and prepares the search.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>) -> Result<NearestNeighborsModel> {
        let reference = Reference::fit("NearestNeighbors", x.into(), self.metric)?;
        reference.check_neighbors(self.n_neighbors)?;
        Ok(NearestNeighborsModel { n_neighbors: self.n_neighbors, reference })
    }
}

/// Rows that can be searched.
#[derive(Debug)]
pub struct NearestNeighborsModel {
    n_neighbors: usize,
    reference: Reference,
}

impl NearestNeighborsModel {
    /// The k nearest fitted rows of each row of `x` (n×d), nearest first, where `x` lives.
    pub fn kneighbors<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Neighbors> {
        self.reference.k_nearest(x.into(), self.n_neighbors, Fit::default())
    }

    /// The same, told to an observer.
    pub fn kneighbors_with<'a>(&self, x: impl Into<Rows<'a>>, observer: &mut dyn Observer) -> Result<Neighbors> {
        self.reference.k_nearest(x.into(), self.n_neighbors, Fit::default().observer(observer))
    }

    /// The fitted rows within `radius` of each row of `x`, the radius included, in the order of their numbers.
    pub fn radius_neighbors<'a>(&self, x: impl Into<Rows<'a>>, radius: f32) -> Result<Neighborhoods> {
        self.reference.radius_neighbors(x.into(), radius)
    }

    /// The fitted rows, n×d.
    pub fn rows(&self) -> &Matrix {
        self.reference.rows()
    }
}

impl Persist for NearestNeighborsModel {
    const KIND: &'static str = "nearest-neighbors";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (n_neighbors, metric) = (self.n_neighbors, self.reference.metric());
        container.set_parameters(&NearestNeighbors { n_neighbors, metric })?;
        self.reference.store(container)
    }

    fn restore(container: &mut Container) -> Result<NearestNeighborsModel> {
        let NearestNeighbors { n_neighbors, metric } = container.parameters()?;
        let reference = Reference::restore(container, metric)?;
        reference.check_neighbors(n_neighbors).map_err(|error: Error| container.refuse(error.to_string()))?;
        Ok(NearestNeighborsModel { n_neighbors, reference })
    }
}
