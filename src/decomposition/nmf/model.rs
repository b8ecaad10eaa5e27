//! Parts that were found, and rows as sums of them.

use super::steps::{Factors, descend, multiply, spread};
use super::{BetaLoss, Nmf, NmfSolver, start};
use crate::array::Matrix;
use crate::decomposition::columns::{beside, numbered};
use crate::decomposition::pictures;
use crate::error::Result;
use crate::estimator::{
    Declared, FitReport, FittedWith, InputColumns, Model, OwnedRows, PictureInput, Rows, Save, Transform,
};
use crate::model_file::Container;
use crate::ops::decomposition::row_descent::StepPenalty;
use crate::ops::{self, Layout};
use crate::plot::Figure;

/// Passes of coordinate descent for new rows: at most on the CPU, all of them on a GPU.
const GPU_PASSES: usize = 50;

/// The parts that [`Nmf`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct NmfModel {
    pub(super) params: FittedWith<Nmf>,
    /// H, k×d.
    components: Matrix,
    error: f64,
    iterations: usize,
    converged: bool,
}

impl NmfModel {
    pub(super) fn new(
        nmf: &Nmf,
        components: Matrix,
        error: f64,
        (iterations, converged): (usize, bool),
    ) -> Result<NmfModel> {
        Ok(NmfModel { params: nmf.clone().into(), components, error, iterations, converged })
    }

    /// The parts H, k×d, no number below 0.
    pub fn components(&self) -> &Matrix {
        &self.components
    }

    /// ‖X − W·H‖ of the fitted rows, or √(2·KL) for the divergence.
    pub fn reconstruction_err(&self) -> f64 {
        self.error
    }

    /// Iterations that were made.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the iterations ended before `max_iter`, by themselves.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The rows W·H of weights W (n×k), n×d.
    pub fn inverse_transform<'a>(&self, w: impl Into<Rows<'a>>) -> Result<Matrix> {
        let w = w.into().queries(Nmf::TYPE, self.components.rows())?;
        let mut stream = w.device().stream();
        let parts = self.components.to(stream.device())?;
        ops::gemm(&mut stream, Layout::NN, &w, &parts)?.to_matrix(&mut stream)
    }
}

impl Transform for NmfModel {}

impl Model for NmfModel {
    /// The weights W of rows without numbers below 0, n×k, the parts as they are.
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        let rows = x.queries(Nmf::TYPE, self.components.columns())?;
        let mut stream = rows.device().stream();
        let (n, k) = (rows.rows(), self.components.rows());
        if n > 0 {
            start::refuse_negative(Nmf::TYPE, &rows.to_matrix(&mut stream)?)?;
        }
        let parts = self.components.to(stream.device())?;
        let h = ops::transpose(&mut stream, &parts)?;
        let settings = &self.params;
        let w = match settings.solver {
            NmfSolver::Cd => {
                let size = settings.alpha_w * self.components.columns() as f64;
                let (l1, l2) = ((size * settings.l1_ratio) as f32, (size * (1.0 - settings.l1_ratio)) as f32);
                let passes = if stream.gpu().is_some() { GPU_PASSES } else { settings.max_iter };
                let mut w = Matrix::zeros(n, k)?.to(stream.device())?;
                let penalty = StepPenalty { l1, l2, positive: true };
                descend(&mut stream, (&rows, Layout::NN), &h, &mut w, penalty, (passes, settings.tol as f32))?;
                w
            }
            NmfSolver::Mu => {
                let w = Matrix::from_vec(n, k, vec![1.0; n * k])?.to(stream.device())?;
                let mut factors = Factors { w, h };
                for _ in 0..settings.max_iter {
                    match settings.beta_loss {
                        BetaLoss::Frobenius => multiply(&mut stream, (&rows, Layout::NN), &factors.h, &mut factors.w)?,
                        BetaLoss::KullbackLeibler => {
                            let ratio = factors.ratio(&mut stream, &rows)?;
                            spread(&mut stream, (&ratio, Layout::NN), &factors.h, &mut factors.w)?;
                        }
                    }
                }
                factors.w
            }
        };
        beside(x, w, &mut stream)
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        Some(numbered(self.components.rows()))
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().iterations(self.iterations, self.converged);
        let report = report.with_number("components", self.components.rows() as f64);
        report.with_number("reconstruction_err", self.error)
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let mut figures = vec![pictures::atoms("Parts", &self.components, &input.columns.names)?];
        figures.extend(pictures::plane(self, input, "Rows by the weights of the first two parts")?);
        Ok(figures)
    }
}

impl Save for NmfModel {
    type Estimator = Nmf;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&(self.error, self.iterations as u64, self.converged))?;
        let shape = [self.components.rows(), self.components.columns()];
        container.insert("components", &shape, self.components.as_slice().to_vec())
    }

    fn load_fitted(params: FittedWith<Nmf>, container: &mut Container) -> Result<NmfModel> {
        let (error, iterations, converged): (f64, u64, bool) = container.fitted()?;
        let [k, d] = container.shape("components")?;
        let components = Matrix::from_vec(k, d, container.take("components", &[k, d])?)?;
        if k == 0 || d == 0 || components.as_slice().iter().any(|value| *value < 0.0) {
            return Err(container.refuse("parts with numbers below 0, or none"));
        }
        Ok(NmfModel { params, components, error, iterations: iterations as usize, converged })
    }
}
