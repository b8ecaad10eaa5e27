//! Components that were found, and rows in their coordinates.

use nalgebra::DMatrix;

use super::Pca;
use super::spectrum::Spectrum;
use crate::array::Matrix;
use crate::decomposition::columns::{beside, numbered, upload};
use crate::error::{Error, Result};
use crate::estimator::{
    Declared, FitReport, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Rows, Save, Transform,
};
use crate::model_file::Container;
use crate::ops::{self, Layout};
use crate::plot::Figure;
use crate::solvers::scatter::Scatter;

/// The components that [`Pca`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct PcaModel {
    pub(super) params: FittedWith<Pca>,
    rows: usize,
    mean: Vec<f64>,
    scale: Vec<f64>,
    /// k×d, row by row.
    components: Vec<f64>,
    variances: Vec<f64>,
    total: f64,
    /// What chunks of rows have added up to, for the next.
    seen: Option<Scatter>,
}

impl PcaModel {
    pub(super) fn new(pca: &Pca, found: Spectrum, seen: Option<Scatter>) -> Result<PcaModel> {
        let Spectrum { rows, mean, scale, variances, vectors, total } = found;
        let components = vectors.as_slice().to_vec();
        Ok(PcaModel { params: pca.clone().into(), rows, mean, scale, components, variances, total, seen })
    }

    /// Number of components, k.
    pub fn n_components(&self) -> usize {
        self.variances.len()
    }

    /// The directions, k×d, of length 1 and orthogonal, the one of largest variance first.
    pub fn components(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.n_components(), self.mean.len(), &self.components)
    }

    /// The mean of each column.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// What each column is divided by; 1 without `scale`.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The variance along each component, over n − 1, descending.
    pub fn explained_variance(&self) -> &[f64] {
        &self.variances
    }

    /// The share of the variance that each component has.
    pub fn explained_variance_ratio(&self) -> Vec<f64> {
        self.variances.iter().map(|variance| variance / self.total).collect()
    }

    /// The singular values of the centred rows.
    pub fn singular_values(&self) -> Vec<f64> {
        self.variances.iter().map(|variance| (variance * (self.rows - 1) as f64).sqrt()).collect()
    }

    /// The mean variance of the directions that were left out; 0 if none was.
    pub fn noise_variance(&self) -> f64 {
        let left = self.rows.min(self.mean.len()) - self.n_components();
        let rest = self.total - self.variances.iter().sum::<f64>();
        if left == 0 { 0.0 } else { (rest / left as f64).max(0.0) }
    }

    /// Rows with these coordinates, n×d: the nearest ones if components were left out.
    pub fn inverse_transform<'a>(&self, z: impl Into<Rows<'a>>) -> Result<Matrix> {
        let z = z.into().queries(Pca::TYPE, self.n_components())?;
        let mut stream = z.device().stream();
        let directions = upload(self.n_components(), self.mean.len(), &self.whitened(true), stream.device())?;
        let along = ops::gemm(&mut stream, Layout::NN, &z, &directions)?;
        let lines = self.mean.iter().zip(&self.scale).map(|(mean, scale)| (0.0, *scale, *mean)).collect();
        ops::affine(&mut stream, &along, &lines)?.to_matrix(&mut stream)
    }

    /// The mean squared difference of rows (n×d) from what their coordinates give back.
    pub fn reconstruction_error<'a>(&self, x: impl Into<Rows<'a>>) -> Result<f64> {
        let x = x.into();
        let back = self.inverse_transform(self.transform_rows(x)?.rows())?;
        let x = x.on_host()?;
        let square = |(value, back): (&f32, &f32)| (f64::from(*value) - f64::from(*back)).powi(2);
        let sum: f64 = x.as_slice().iter().zip(back.as_slice()).map(square).sum();
        Ok(sum / x.as_slice().len().max(1) as f64)
    }

    /// The components, k×d, over or times the deviation along each if the new columns have variance 1.
    fn whitened(&self, back: bool) -> Vec<f64> {
        let mut directions = self.components.clone();
        if self.params.whiten {
            for (direction, variance) in directions.chunks_exact_mut(self.mean.len()).zip(&self.variances) {
                let deviation = variance.sqrt();
                // A direction without variance has the coordinate 0.
                let factor = match (back, deviation > 0.0) {
                    (true, _) => deviation,
                    (false, true) => 1.0 / deviation,
                    (false, false) => 0.0,
                };
                direction.iter_mut().for_each(|value| *value *= factor);
            }
        }
        directions
    }

    /// What chunks have added up to; refuses to go on from a fit of all rows, or with other columns.
    pub(super) fn into_scatter(self, columns: usize) -> Result<Scatter> {
        if columns != self.mean.len() {
            let expected = format!("{} columns, as in the chunks before", self.mean.len());
            return Err(Error::shape(Pca::TYPE, expected, format!("{columns} columns")));
        }
        let expected = "a model of partial_fit; one of fit keeps no sums to go on from";
        self.seen.ok_or_else(|| Error::shape(Pca::TYPE, expected, "a model of fit"))
    }
}

impl Transform for PcaModel {}

impl Model for PcaModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let on_device = x.queries(Pca::TYPE, self.mean.len())?;
        let mut stream = on_device.device().stream();
        let lines = self.mean.iter().zip(&self.scale).map(|(mean, scale)| (*mean, 1.0 / scale, 0.0)).collect();
        let centred = ops::affine(&mut stream, &on_device, &lines)?;
        let directions = upload(self.n_components(), self.mean.len(), &self.whitened(false), stream.device())?;
        let made = ops::gemm(&mut stream, Layout::NT, &centred, &directions)?;
        beside(x, made, &mut stream)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(numbered(self.n_components()))
    }

    fn report(&self) -> FitReport {
        FitReport::default()
            .with_number("components", self.n_components() as f64)
            .with_number("explained_variance", self.explained_variance_ratio().iter().sum::<f64>())
            .with_row("explained_variance_ratio", self.explained_variance_ratio())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        super::pictures::figures(self, input)
    }
}

impl Save for PcaModel {
    type Estimator = Pca;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&(self.rows as u64, self.total))?;
        container.insert_list("mean", &self.mean)?;
        container.insert_list("scale", &self.scale)?;
        container.insert_list("variances", &self.variances)?;
        container.insert("components", &[self.n_components(), self.mean.len()], self.components.clone())?;
        if let Some(seen) = &self.seen {
            let d = self.mean.len();
            container.insert_list("seen.weight", &[seen.weight])?;
            container.insert("seen.scatter", &[d, d], seen.matrix.as_slice().to_vec())?;
        }
        Ok(())
    }

    fn load_fitted(params: FittedWith<Pca>, container: &mut Container) -> Result<PcaModel> {
        let (rows, total): (u64, f64) = container.fitted()?;
        let mean: Vec<f64> = container.take_list("mean")?;
        let scale: Vec<f64> = container.take("scale", &[mean.len()])?;
        let variances: Vec<f64> = container.take_list("variances")?;
        let components = container.take("components", &[variances.len(), mean.len()])?;
        let d = mean.len();
        let most = usize::try_from(rows).unwrap_or(usize::MAX).min(d);
        let sound = rows >= 2 && variances.len() <= most && total > 0.0 && scale.iter().all(|scale| *scale > 0.0);
        if !sound || variances.iter().any(|variance| *variance < 0.0) {
            return Err(container.refuse("components, variances or scales that no rows have"));
        }
        let rows = rows as usize;
        let seen = match container.contains("seen.scatter") {
            true => {
                let weight: Vec<f64> = container.take("seen.weight", &[1])?;
                let matrix = DMatrix::from_vec(d, d, container.take("seen.scatter", &[d, d])?);
                Some(Scatter { rows, weight: weight[0], mean: mean.clone(), matrix })
            }
            false => None,
        };
        Ok(PcaModel { params, rows, mean, scale, components, variances, total, seen })
    }
}
