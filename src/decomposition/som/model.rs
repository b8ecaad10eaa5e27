//! A map that was found, and rows on it.

use super::SelfOrganizingMap;
use crate::array::Matrix;
use crate::decomposition::pictures;
use crate::error::Result;
use crate::estimator::{
    Declared, FitReport, FittedWith, InputColumns, Model, Observer, OwnedRows, PictureInput, Predict, Prediction, Rows,
    Save, Transform,
};
use crate::model_file::Container;
use crate::ops;
use crate::plot::Figure;

/// Cells of a picture at most.
const MOST_CELLS: usize = 10_000;

/// The map that [`SelfOrganizingMap`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct SelfOrganizingMapModel {
    pub(super) params: FittedWith<SelfOrganizingMap>,
    units: Matrix,
    labels: Vec<u32>,
    error: f64,
    epochs: usize,
}

impl SelfOrganizingMapModel {
    pub(super) fn new(
        map: &SelfOrganizingMap,
        units: Matrix,
        labels: Vec<u32>,
        error: f64,
        epochs: usize,
    ) -> SelfOrganizingMapModel {
        SelfOrganizingMapModel { params: map.clone().into(), units, labels, error, epochs }
    }

    /// The units, k×d: those of the first row of the grid first.
    pub fn units(&self) -> &Matrix {
        &self.units
    }

    /// The unit of each row given to `fit`.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Epochs that were made.
    pub fn iterations(&self) -> usize {
        self.epochs
    }

    /// The mean distance of rows from their units.
    pub fn quantization_error<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
        let (_, squares) = self.nearest(x.into())?;
        Ok(squares.iter().map(|square| f64::from(*square).sqrt()).sum::<f64>() / squares.len().max(1) as f64)
    }

    /// The share of rows whose two nearest units are not neighbours on the grid; 0 for a grid of one unit.
    pub fn topographic_error<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
        let x = x.into().queries(SelfOrganizingMap::TYPE, self.units.columns())?;
        if self.units.rows() < 2 || x.rows() == 0 {
            return Ok(0.0);
        }
        let mut stream = x.device().stream();
        let squares = ops::sq_euclidean(&mut stream, &x, &self.units.to(x.device())?)?.to_matrix(&mut stream)?;
        let grid = self.params.grid();
        let apart = (0..squares.rows()).filter(|row| {
            let (mut first, mut second) = ((f32::INFINITY, 0), (f32::INFINITY, 0));
            for (unit, square) in squares.row(*row).iter().enumerate() {
                if *square < first.0 {
                    (first, second) = ((*square, unit), first);
                } else if *square < second.0 {
                    second = (*square, unit);
                }
            }
            !grid.neighbors(first.1, true).contains(&second.1)
        });
        Ok(apart.count() as f64 / squares.rows() as f64)
    }

    /// The U-matrix: for each unit, in the order of the grid, the mean distance to its neighbours. Ridges part clusters.
    pub fn u_matrix(&self) -> Vec<f64> {
        let grid = self.params.grid();
        let distance = |a: usize, b: usize| {
            let differences = self.units.row(a).iter().zip(self.units.row(b));
            differences.map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt()
        };
        let mean = |unit: usize| {
            let near = grid.neighbors(unit, false);
            near.iter().map(|other| distance(unit, *other)).sum::<f64>() / near.len().max(1) as f64
        };
        (0..self.units.rows()).map(mean).collect()
    }

    /// Rows of `fit` on each unit.
    pub fn hits(&self) -> Vec<usize> {
        let mut hits = vec![0; self.units.rows()];
        self.labels.iter().for_each(|label| hits[*label as usize] += 1);
        hits
    }

    fn nearest(&self, x: Rows<'_>) -> Result<(Vec<u32>, Vec<f32>)> {
        let x = x.queries(SelfOrganizingMap::TYPE, self.units.columns())?;
        let mut stream = x.device().stream();
        let (labels, squares) = ops::assign(&mut stream, &x, &self.units.to(x.device())?)?;
        Ok((labels.to_vec(&mut stream)?, squares.to_vec(&mut stream)?))
    }

    /// A number for each unit as a picture of the grid.
    fn picture(&self, title: &str, values: &[f64]) -> Result<Option<Figure>> {
        let (rows, columns) = (self.params.grid_rows, self.params.grid_columns);
        if rows * columns > MOST_CELLS {
            return Ok(None);
        }
        let names = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
        let figure = Figure::new().title(title).x_label("column").y_label("row");
        figure.heatmap(&names(rows), &names(columns), values).map(Some)
    }
}

impl Predict for SelfOrganizingMapModel {
    type Output = Vec<u32>;
}

impl Transform for SelfOrganizingMapModel {}

impl Model for SelfOrganizingMapModel {
    /// The unit of each row: the nearest one, the first of equally near ones.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.nearest(x)?.0.into())
    }

    /// The row and column of each row's unit on the grid, n×2.
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let labels = self.nearest(x)?.0;
        let columns = self.params.grid_columns as u32;
        let places = labels.iter().flat_map(|label| [(label / columns) as f32, (label % columns) as f32]);
        OwnedRows::beside(x, Matrix::from_vec(labels.len(), 2, places.collect())?)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(InputColumns::named(&["map_row".to_string(), "map_column".to_string()]))
    }

    fn inertia_rows(&self, x: Rows<'_>) -> Result<Option<f64>> {
        Ok(Some(self.nearest(x)?.1.iter().map(|square| f64::from(*square)).sum()))
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.epochs, true);
        report.with_number("quantization_error", self.error).with_matrix("units", &self.units)
    }

    fn fitted_prediction(&self) -> Option<Prediction> {
        Some(Prediction::Clusters(self.labels.clone()))
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let hits: Vec<f64> = self.hits().into_iter().map(|count| count as f64).collect();
        let mut figures = vec![];
        figures.extend(self.picture("Distance to the neighbours on the map", &self.u_matrix())?);
        figures.extend(self.picture("Rows on each unit", &hits)?);
        if let Some(rows) = input.rows {
            let (x, target) = rows.sample(pictures::MOST_POINTS)?;
            if let Ok(labels) = target.labels() {
                let places = self.transform_rows(Rows::Host(&x))?.into_host()?;
                // Rows of one unit side by side: a spiral of small steps about its place.
                let mut seen = vec![0_u32; self.units.rows()];
                let moved = (0..places.rows()).flat_map(|row| {
                    let (down, across) = (places.get(row, 0), places.get(row, 1));
                    let unit = &mut seen[down as usize * self.params.grid_columns + across as usize];
                    let turn = 2.4 * *unit as f32;
                    let away = (0.11 * (*unit as f32).sqrt()).min(0.42);
                    *unit += 1;
                    [across + away * turn.cos(), -down + away * turn.sin()]
                });
                let moved = Matrix::from_vec(places.rows(), 2, moved.collect())?;
                let figure = Figure::new().title("Rows on the map").x_label("column").y_label("− row").equal_axes();
                figures.push(figure.scatter_classes(&moved, [0, 1], labels)?);
            }
        }
        if pictures::image_side(self.units.columns()).is_some() {
            figures.push(pictures::atoms("Units", &self.units, &input.columns.names)?);
        }
        Ok(figures)
    }
}

impl Save for SelfOrganizingMapModel {
    type Estimator = SelfOrganizingMap;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&(self.error, self.epochs as u64))?;
        let shape = [self.units.rows(), self.units.columns()];
        container.insert("units", &shape, self.units.as_slice().to_vec())?;
        container.insert("labels", &[self.labels.len()], self.labels.clone())
    }

    fn load_fitted(params: FittedWith<SelfOrganizingMap>, container: &mut Container) -> Result<SelfOrganizingMapModel> {
        let (error, epochs): (f64, u64) = container.fitted()?;
        let [k, d] = container.shape("units")?;
        let [n] = container.shape("labels")?;
        let units = Matrix::from_vec(k, d, container.take("units", &[k, d])?)?;
        let labels: Vec<u32> = container.take("labels", &[n])?;
        if params.grid_rows.checked_mul(params.grid_columns) != Some(k) || d == 0 || k == 0 {
            return Err(container.refuse("units that do not fit the grid"));
        }
        if labels.iter().any(|label| *label as usize >= k) {
            return Err(container.refuse("a row on a unit that is not there"));
        }
        Ok(SelfOrganizingMapModel { params, units, labels, error, epochs: epochs as usize })
    }
}
