//! Densities from the distance to the k-th nearest row.

use std::f64::consts::PI;

use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::estimator::{Declared, Estimator, Fit, FitReport, FittedWith, Model, Rows, Save, ScoreSamples, parameters};
use crate::model_file::Container;
use crate::neighbors::{NearestNeighbors, NearestNeighborsModel};

parameters! {
    /// Density by nearest neighbours: k rows in the ball around x that just holds them, f(x) = k/(n·volume of the ball).
    ///
    /// ```
    /// use gristmill::mixture::NeighborDensity;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let model = NeighborDensity::new(2).fit(&x)?;
    /// // The second nearest row of 0.5 is 0.5 away: two of four rows in a length of 1.
    /// assert!((model.score_samples(&Matrix::from_rows(&[[0.5]])?)?[0].exp() - 0.5).abs() < 1e-6);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - It falls off so slowly that it does not integrate to 1; as the density of a class it is good.
    /// - Where k rows or more coincide the ball has no volume: its radius counts as the smallest positive f32, so the density is large and finite.
    /// - The search is that of `NearestNeighbors`, where the rows live. A fitted row is its own nearest neighbour.
    pub struct NeighborDensity: density("neighbor-density") -> NeighborDensityModel;
    about "density by the distance to the k-th nearest row";
    new(n_neighbors: usize);
    {
        /// Number of neighbours in the ball, k; from 1 to the number of fitted rows.
        n_neighbors: usize = 5, at_least(1.0);
    }
}

impl Estimator for NeighborDensity {
    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<NeighborDensityModel> {
        options.refuse_weights(Self::TYPE)?;
        let (rows, columns) = (x.rows(), x.column_info().1);
        let search = NearestNeighbors::new(self.n_neighbors).metric(Metric::Euclidean).fit(x)?;
        Ok(NeighborDensityModel { params: self.clone().into(), search, rows, columns })
    }
}

/// The rows that [`NeighborDensity`] was fitted on.
#[derive(Debug)]
pub struct NeighborDensityModel {
    params: FittedWith<NeighborDensity>,
    search: NearestNeighborsModel,
    rows: usize,
    columns: usize,
}

/// ln of the volume of the ball of radius 1 in d dimensions: π^(d/2)/Γ(d/2 + 1).
fn log_unit_ball(d: usize) -> f64 {
    // V(d) = V(d − 2)·2π/d, from V(0) = 1 and V(1) = 2.
    let start = if d.is_multiple_of(2) { 0.0 } else { 2.0_f64.ln() };
    let first = if d.is_multiple_of(2) { 2 } else { 3 };
    start + (first..=d).step_by(2).map(|at| (2.0 * PI / at as f64).ln()).sum::<f64>()
}

impl ScoreSamples for NeighborDensityModel {}

impl Model for NeighborDensityModel {
    fn score_samples_rows(&self, x: Rows<'_>) -> Result<Option<Vec<f64>>> {
        let found = self.search.kneighbors(x)?;
        let (k, d) = (self.params.n_neighbors, self.columns);
        let unit = (k as f64 / self.rows as f64).ln() - log_unit_ball(d);
        let log = |row: usize| {
            let radius = f64::from(found.distances(row)[k - 1].max(f32::MIN_POSITIVE));
            unit - d as f64 * radius.ln()
        };
        Ok(Some((0..found.len()).map(log).collect()))
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_number("n_neighbors", self.params.n_neighbors as f64)
    }
}

impl Save for NeighborDensityModel {
    type Estimator = NeighborDensity;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&[self.rows, self.columns])?;
        container.insert_model("search", &self.search)
    }

    fn load_fitted(params: FittedWith<NeighborDensity>, container: &mut Container) -> Result<NeighborDensityModel> {
        let [rows, columns]: [usize; 2] = container.fitted()?;
        let search: NearestNeighborsModel = container.take_model("search")?;
        if search.rows()?.rows() != rows || params.n_neighbors > rows || rows == 0 || columns == 0 {
            return Err(container.refuse(Error::shape("NeighborDensity", format!("{rows} rows"), "others").to_string()));
        }
        Ok(NeighborDensityModel { params, search, rows, columns })
    }
}
