//! Self-organising maps: units on a grid, neighbours of which lie close in the space of the rows.

mod grid;
mod model;

pub use grid::{MapTopology, Neighborhood, RadiusDecay};
pub use model::SelfOrganizingMapModel;

use serde::{Deserialize, Serialize};

use super::pca::Pca;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cost::Cost;
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{Declared, Estimator, Fit, FitShape, Reporter, Rows, parameters};
use crate::ops::decomposition::map_update::map_update;
use crate::ops::{self, Layout};
use grid::UnitGrid;

/// The stream of random numbers for the first units.
const STREAM: u32 = 0x736f_0000;

/// Where the units begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapInit {
    /// On the plane of the first two principal components; at random rows where there is no such plane.
    #[default]
    Pca,
    /// At rows drawn at random.
    Random,
}

parameters! {
    /// A self-organising map (Kohonen 1982), fitted in batches: each unit of a grid goes to the mean of the rows that are nearest
    /// to it and to its neighbours on the grid, while the neighbourhood shrinks.
    ///
    /// ```
    /// use gristmill::decomposition::SelfOrganizingMap;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let model = SelfOrganizingMap::new(6, 5).fit(&iris.x)?;
    /// assert_eq!(model.units().rows(), 30);
    /// let places = model.transform(&iris.x)?; // row and column on the grid
    /// assert!(model.topographic_error(&iris.x)? < 0.1 && places.columns() == 2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - An epoch is two products, of the rows with the units and of the neighbourhood with their sums, where the rows are; a GPU
    ///   is not waited for between epochs.
    /// - `predict` gives the unit of each row, counted row by row; `transform` its row and column on the grid.
    /// - More units than rows, equal rows and constant columns are no error: units between rows lie between them.
    pub struct SelfOrganizingMap: clustering("self-organizing-map") -> SelfOrganizingMapModel;
    about "a map: units on a grid, neighbours of which are like each other";
    new(grid_rows: usize, grid_columns: usize);
    {
        /// Rows of the grid.
        grid_rows: usize = 10, from_to(1.0, 256.0);
        /// Columns of the grid.
        grid_columns: usize = 10, from_to(1.0, 256.0);
        /// How units are neighbours: rectangular or hexagonal.
        topology: MapTopology = MapTopology::Rectangular;
        /// Whether opposite edges of the grid meet.
        toroidal: bool = false;
        /// How much of a row a unit at a distance takes: gaussian, bubble or triangle.
        neighborhood: Neighborhood = Neighborhood::Gaussian;
        /// The radius of the neighbourhood at first, in steps of the grid; none for half of the longer side.
        radius: Option<f64> = None, above(0.0);
        /// The radius in the last epoch.
        final_radius: f64 = 0.5, above(0.0);
        /// How the radius shrinks: linear or exponential.
        decay: RadiusDecay = RadiusDecay::Exponential;
        /// Epochs, each over all rows.
        max_iter: usize = 50, at_least(1.0);
        /// Where the units begin: pca or random.
        init: MapInit = MapInit::Pca;
        /// Seed of random units.
        seed: u64 = 0;
    }
}

impl SelfOrganizingMap {
    fn grid(&self) -> UnitGrid {
        let (rows, columns) = (self.grid_rows, self.grid_columns);
        UnitGrid { rows, columns, topology: self.topology, toroidal: self.toroidal }
    }

    fn first_radius(&self) -> f64 {
        self.radius.unwrap_or((self.grid_rows.max(self.grid_columns) as f64 / 2.0).max(self.final_radius))
    }

    /// Units on the plane of the first two components of rows about their mean, a deviation and a half to each side.
    fn first_units(&self, stream: &mut Stream, x: &DeviceMatrix) -> Result<Matrix> {
        let (n, d) = (x.rows(), x.columns());
        let units = self.grid_rows * self.grid_columns;
        // Rows that do not differ have no components; units begin at random ones of them.
        let differ = ops::column_moments(stream, x, None)?.variance.iter().any(|variance| *variance > 0.0);
        if self.init == MapInit::Pca && n > 2 && d >= 2 && differ {
            stream.flush()?;
            let found = Pca::default().n_components(2).seed(self.seed).fit_rows(Rows::Device(x), (), Fit::default())?;
            let components = found.components();
            let deviations: Vec<f64> = found.explained_variance().iter().map(|value| value.sqrt()).collect();
            let share = |at: usize, count: usize| 1.5 * (2.0 * (at as f64 + 0.5) / count as f64 - 1.0);
            // The longer side of the grid goes with the larger variance.
            let across = usize::from(self.grid_columns < self.grid_rows);
            let mut values = Vec::with_capacity(units * d);
            for unit in 0..units {
                let (row, column) = (unit / self.grid_columns, unit % self.grid_columns);
                let along = share(column, self.grid_columns) * deviations[across];
                let down = share(row, self.grid_rows) * deviations[1 - across];
                let place = |at: usize| along * components[(across, at)] + down * components[(1 - across, at)];
                values.extend((0..d).map(place));
            }
            return Matrix::from_f64(units, d, &values);
        }
        let mut rng = HostRng::new(self.seed, STREAM);
        let rows: Vec<usize> = (0..units).map(|_| rng.below(n)).collect();
        x.rows_at(stream, &rows)
    }

    fn search(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        weights: Option<&DeviceVec<f32>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(DeviceMatrix, usize)> {
        let grid = self.grid();
        let device = stream.device().clone();
        let mut units = self.first_units(stream, x)?.to(&device)?;
        let origin = Matrix::zeros(units.rows(), x.columns())?.to(&device)?;
        for epoch in 0..self.max_iter {
            let share = epoch as f64 / (self.max_iter - 1).max(1) as f64;
            let radius = self.decay.radius(self.first_radius(), self.final_radius, share);
            let near = grid.neighborhood(self.neighborhood, radius)?.to(&device)?;
            let (labels, _) = ops::assign(stream, x, &units)?;
            let (sums, counts) = ops::centroid_sum(stream, x, &labels, weights, &origin)?;
            let sums = ops::gemm(stream, Layout::NN, &near, &sums)?;
            let counts = ops::gemv(stream, &near, &counts)?;
            map_update(stream, &mut units, &sums, &counts)?;
            if reporter.report(epoch + 1, None, (epoch + 1) as f64 / self.max_iter as f64)? {
                return Ok((units, epoch + 1));
            }
        }
        Ok((units, self.max_iter))
    }
}

impl Estimator for SelfOrganizingMap {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, (self.grid_rows * self.grid_columns) as f64);
        let epochs = self.max_iter as f64;
        let operations = epochs * (2.0 * n * d * k + 2.0 * n * d + 2.0 * k * k * d);
        let uploading = Cost::uploading(shape.rows + shape.queries, shape.columns);
        Some(Cost { operations, syncs: 3.0, kernels: 8.0, ..uploading })
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<SelfOrganizingMapModel> {
        let x = x.complete(Self::TYPE)?;
        if x.rows() == 0 || x.columns() == 0 {
            let got = format!("{}×{}", x.rows(), x.columns());
            return Err(Error::shape(Self::TYPE, "at least one row and column", got));
        }
        let mut stream = x.device().stream();
        let weights = options.weights(Self::TYPE, x.rows())?;
        let weights = weights.map(|weights| DeviceVec::from_slice(weights, x.device())).transpose()?;
        // About the mean, so that sums of rows far off lose nothing.
        let mean = ops::column_moments(&mut stream, &x, None)?.mean;
        let centred = ops::affine(&mut stream, &x, &mean.iter().map(|mean| (*mean, 1.0, 0.0)).collect())?;
        let search = |reporter: &mut Reporter<'_>| self.search(&mut stream, &centred, weights.as_ref(), reporter);
        let (units, epochs) = options.watched("map", search)?;
        let (labels, distances) = ops::assign(&mut stream, &centred, &units)?;
        let (labels, distances) = (labels.to_vec(&mut stream)?, distances.to_vec(&mut stream)?);
        let lines = mean.iter().map(|mean| (0.0, 1.0, *mean)).collect();
        let units = ops::affine(&mut stream, &units, &lines)?.to_matrix(&mut stream)?;
        let units = Matrix::from_vec(units.rows(), units.columns(), units.into_vec())?;
        let error = distances.iter().map(|square| f64::from(*square).sqrt()).sum::<f64>() / x.rows() as f64;
        Ok(SelfOrganizingMapModel::new(self, units, labels, error, epochs))
    }
}
