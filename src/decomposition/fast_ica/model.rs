//! Independent components that were found.

use nalgebra::DMatrix;

use super::FastIca;
use crate::array::Matrix;
use crate::decomposition::columns::{beside, numbered, upload};
use crate::decomposition::pictures;
use crate::error::Result;
use crate::estimator::{
    Declared, FitReport, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Rows, Save, Transform,
};
use crate::model_file::Container;
use crate::ops::{self, Layout};
use crate::plot::Figure;

/// The components that [`FastIca`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct FastIcaModel {
    pub(super) params: FittedWith<FastIca>,
    mean: Vec<f64>,
    /// k×d.
    components: DMatrix<f64>,
    /// d×k.
    mixing: DMatrix<f64>,
    iterations: usize,
    converged: bool,
}

impl FastIcaModel {
    pub(super) fn new(
        ica: &FastIca,
        mean: Vec<f64>,
        mut components: DMatrix<f64>,
        mut mixing: DMatrix<f64>,
        (iterations, converged): (usize, bool),
    ) -> FastIcaModel {
        for at in 0..components.nrows() {
            let row = components.row(at);
            if row[row.transpose().icamax()] < 0.0 {
                components.row_mut(at).neg_mut();
                mixing.column_mut(at).neg_mut();
            }
        }
        FastIcaModel { params: ica.clone().into(), mean, components, mixing, iterations, converged }
    }

    /// Number of components, k.
    pub fn n_components(&self) -> usize {
        self.components.nrows()
    }

    /// What makes components of centred rows, k×d.
    pub fn components(&self) -> &DMatrix<f64> {
        &self.components
    }

    /// What makes centred rows of components, d×k: the pseudo-inverse of [`FastIcaModel::components`].
    pub fn mixing(&self) -> &DMatrix<f64> {
        &self.mixing
    }

    /// The mean of each column; zeros if the rows were white already.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Iterations of the search; the most of a component in deflation.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the search ended before `max_iter`, by itself.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// Rows with these components, n×d: the nearest ones if components were left out.
    pub fn inverse_transform<'a>(&self, z: impl Into<Rows<'a>>) -> Result<Matrix> {
        let z = z.into().queries(FastIca::TYPE, self.n_components())?;
        let mut stream = z.device().stream();
        let (d, k) = self.mixing.shape();
        let mixing = upload(d, k, self.mixing.transpose().as_slice(), stream.device())?;
        let along = ops::gemm(&mut stream, Layout::NT, &z, &mixing)?;
        let lines = self.mean.iter().map(|mean| (0.0, 1.0, *mean)).collect();
        ops::affine(&mut stream, &along, &lines)?.to_matrix(&mut stream)
    }
}

impl Transform for FastIcaModel {}

impl Model for FastIcaModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let on_device = x.queries(FastIca::TYPE, self.mean.len())?;
        let mut stream = on_device.device().stream();
        let lines = self.mean.iter().map(|mean| (*mean, 1.0, 0.0)).collect();
        let centred = ops::affine(&mut stream, &on_device, &lines)?;
        let (k, d) = self.components.shape();
        let directions = upload(k, d, self.components.transpose().as_slice(), stream.device())?;
        let made = ops::gemm(&mut stream, Layout::NT, &centred, &directions)?;
        beside(x, made, &mut stream)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(numbered(self.n_components()))
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.iterations, self.converged);
        report.with_number("components", self.n_components() as f64)
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let mixing = Matrix::from_dmatrix_f64(&self.mixing.transpose())?;
        let mut figures = vec![pictures::atoms("What each component adds to a row", &mixing, &input.columns.names)?];
        figures.extend(pictures::plane(self, input, "Rows along the first two independent components")?);
        Ok(figures)
    }
}

impl Save for FastIcaModel {
    type Estimator = FastIca;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&(self.iterations as u64, self.converged))?;
        container.insert_list("mean", &self.mean)?;
        let (k, d) = self.components.shape();
        container.insert("components", &[k, d], self.components.transpose().as_slice().to_vec())?;
        container.insert("mixing", &[d, k], self.mixing.transpose().as_slice().to_vec())
    }

    fn load_fitted(params: FittedWith<FastIca>, container: &mut Container) -> Result<FastIcaModel> {
        let (iterations, converged): (u64, bool) = container.fitted()?;
        let mean: Vec<f64> = container.take_list("mean")?;
        let [k, d] = container.shape("components")?;
        if k == 0 || d != mean.len() || k > d {
            return Err(container.refuse("components that do not fit the mean"));
        }
        let components: Vec<f64> = container.take("components", &[k, d])?;
        let mixing: Vec<f64> = container.take("mixing", &[d, k])?;
        let (components, mixing) = (DMatrix::from_row_slice(k, d, &components), DMatrix::from_row_slice(d, k, &mixing));
        Ok(FastIcaModel { params, mean, components, mixing, iterations: iterations as usize, converged })
    }
}
