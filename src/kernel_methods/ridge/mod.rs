//! Kernel ridge regression: exact, by conjugate gradients, and with leave-one-out errors over a path of penalties.

mod cross_validated;
mod exact;
mod gradients;
mod low_rank;
mod path;
mod shared;
mod system;

pub use cross_validated::{KernelRidgeCv, KernelRidgeCvModel};

use serde::{Deserialize, Serialize};

use super::expansion::KernelExpansion;
use super::{FittedKernel, Kernel, SharedGrams, cost};
use crate::array::{DeviceMatrix, Matrix};
use crate::cost::Cost;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, Predict, Prediction, Reporter, Rows, Save,
    Shared, SharedPart, Targets, parameters,
};
use crate::model_file::Container;
use shared::SharedRidge;
use system::System;

const OP: &str = "KernelRidge";
/// Rows up to which the whole matrix is made and factored, 1 GiB in f32.
const EXACT_ROWS: usize = 16_384;
/// Iterations of conjugate gradients that the cost is stated for.
const EXPECTED_ITERATIONS: usize = 30;

/// How the system of a kernel ridge is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RidgeSolver {
    /// By the factor up to 16,384 rows, above by conjugate gradients.
    #[default]
    Auto,
    /// The whole kernel matrix, factored.
    Exact,
    /// Conjugate gradients with a preconditioner from randomly chosen rows; the matrix is never stored.
    Pcg,
}

parameters! {
    /// Kernel ridge regression: ‖y − K·a‖² + alpha·aᵀ·K·a is least, and a prediction is Σ a·k(x, row). Names and defaults are
    /// scikit-learn's; there is no intercept: add a
    /// constant to the kernel, as in `rbf(gamma=10)+1`, if it cannot make one.
    ///
    /// ```
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_vec(50, 1, (0..50).map(|i| i as f32 / 8.0).collect())?;
    /// let y: Vec<f32> = x.as_slice().iter().map(|x| x.sin()).collect();
    /// let model = KernelRidge::default().alpha(1e-3).kernel(Kernel::rbf(1.0)).fit(&x, &y)?;
    /// assert!((model.predict(&x)?.get(8, 0) - y[8]).abs() < 0.01);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Up to 16,384 rows the matrix is made where the rows live and factored on the host in f32, the solution corrected by
    ///   residuals in f64; from 5,000 rows on conjugate gradients on the matrix come first, to 1e-9, and the factor only where they
    ///   are slow. Where alpha is too small for f32, everything is done again in f64.
    /// - Above, conjugate gradients preconditioned by a low-rank factor (randomly pivoted Cholesky), with K·v as the only
    ///   use of the kernel; the report has the residual.
    /// - Several outputs share the factor. Weights count as in scikit-learn.
    /// - A grid search over six penalties or more factors the matrix of each fold once for all of them; the folds share one
    ///   kernel matrix, where no width depends on the rows (`scale` does) and no step comes before the model.
    /// - An indefinite kernel (tanh) runs with a warning, and may have no solution.
    pub struct KernelRidge: regressor("kernel-ridge") -> KernelRidgeModel;
    about "ridge regression in the space of a kernel";
    {
        /// Strength of the penalty.
        alpha: f64 = 1.0, at_least(0.0);
        /// The kernel: linear, rbf, poly, … or an expression of them; see `Kernel`.
        kernel: Kernel = Kernel::Linear;
        /// How the system is solved: auto, exact or pcg.
        solver: RidgeSolver = RidgeSolver::Auto;
        /// Relative residual at which conjugate gradients end.
        tol: f64 = 1e-6, above(0.0);
        /// Iterations of conjugate gradients at most.
        max_iter: usize = 200, at_least(1.0);
        /// Seed of the rows that the preconditioner takes.
        seed: u64 = 0;
    }
}

/// A solved system: coefficients, and how good they are.
#[derive(Debug, Clone, PartialEq)]
struct Solved {
    /// n×p.
    coef: Matrix,
    residual: f64,
    iterations: usize,
    converged: bool,
    /// Residuals of the iterations, if there were any.
    residuals: Vec<f64>,
}

impl Estimator for KernelRidge {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d, p) = (shape.rows as f64, shape.columns as f64, shape.outputs as f64);
        if self.is_exact(shape.rows) {
            return Some(cost::whole_matrix(shape, n * n * n / 3.0));
        }
        let iterations = self.max_iter.min(EXPECTED_ITERATIONS) as f64;
        let rank = gradients::rank(shape.rows) as f64;
        let descent = Cost {
            operations: cost::pairs(n * n, d, p) * iterations + cost::pairs(n * rank, d, 0.0),
            host_bytes: cost::on_host(2.0 * n * rank * rank + 4.0 * n * rank * p * iterations),
            moved_bytes: 8.0 * n * p * iterations + 4.0 * n * rank,
            syncs: iterations + rank / 64.0,
            ..Cost::default()
        };
        Some(descent + cost::around(shape, shape.rows))
    }

    /// n²·d operations for the matrix and n³/3 for its factor; by conjugate gradients n²·d an iteration.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<KernelRidgeModel> {
        let x = x.complete(OP)?;
        let y = y.complete(OP, x.rows())?;
        let weights = options.weights(OP, x.rows())?;
        let shared = options.shared_work::<SharedRidge>();
        options.watched("kernel ridge", |reporter| self.solve(&x, &y, (weights, shared), reporter))
    }

    fn share_rows(settings: &[&Self], x: Rows<'_>, device: &Device) -> Result<Option<Shared>> {
        let exact = settings.iter().filter(|one| one.is_exact(x.rows()));
        SharedGrams::of_rows(OP, exact.map(|one| &one.kernel), x, device)
    }

    fn share_fits(
        settings: &[&Self],
        x: Rows<'_>,
        options: &Fit<'_>,
        part: Option<SharedPart<'_>>,
    ) -> Result<Option<Shared>> {
        SharedRidge::of_fits(settings, x, options, part)
    }
}

impl KernelRidge {
    /// Whether so many rows are solved by the factor of the whole matrix.
    fn is_exact(&self, rows: usize) -> bool {
        match self.solver {
            RidgeSolver::Auto => rows <= EXACT_ROWS,
            RidgeSolver::Exact => true,
            RidgeSolver::Pcg => false,
        }
    }

    fn solve(
        &self,
        x: &DeviceMatrix,
        y: &Matrix,
        (weights, shared): (Option<&[f32]>, Option<&SharedRidge>),
        reporter: &mut Reporter<'_>,
    ) -> Result<KernelRidgeModel> {
        warn_indefinite(OP, &self.kernel);
        if x.rows() == 0 {
            return Err(Error::shape(OP, "at least one row", 0));
        }
        let (kernel, rows) = FittedKernel::fit(OP, &self.kernel, x)?;
        let known = shared.and_then(|shared| shared.find(&self.kernel));
        let gram = known.and_then(|known| known.gram.as_ref());
        let system = System { x, kernel: &kernel, rows: &rows, weights, gram };
        let solved = match self.is_exact(x.rows()) {
            true => exact::solve(&system, y, self.alpha, known.and_then(|known| known.path.as_ref()))?,
            false => gradients::solve(&system, y, self, reporter)?,
        };
        let fitted = x.to_matrix(&mut x.device().stream())?;
        let expansion = expansion_of(kernel, fitted, solved.coef.clone())?;
        Ok(KernelRidgeModel { params: self.clone().into(), expansion, solved })
    }
}

/// A given matrix is not needed any more; other rows are.
fn expansion_of(kernel: FittedKernel, rows: Matrix, coef: Matrix) -> Result<KernelExpansion> {
    let rows = if kernel.kernel().is_precomputed() { Matrix::zeros(0, rows.columns())? } else { rows };
    Ok(KernelExpansion::new(kernel, rows, coef))
}

pub(crate) fn warn_indefinite(op: &str, kernel: &Kernel) {
    if kernel.is_indefinite() {
        log::warn!("{op}: {kernel} is not positive semi-definite; the result may not be what its theory promises");
    }
}

/// A model fitted by [`KernelRidge`].
#[derive(Debug, Clone)]
pub struct KernelRidgeModel {
    params: FittedWith<KernelRidge>,
    expansion: KernelExpansion,
    solved: Solved,
}

impl KernelRidgeModel {
    /// The coefficients of the fitted rows, n×p.
    pub fn dual_coef(&self) -> &Matrix {
        self.expansion.coef()
    }

    /// The kernel with its widths as numbers.
    pub fn kernel(&self) -> &Kernel {
        self.expansion.kernel().kernel()
    }

    /// ‖y − (K + alpha·I)·a‖/‖y‖ of the worst output.
    pub fn residual(&self) -> f64 {
        self.solved.residual
    }
}

impl Predict for KernelRidgeModel {
    type Output = Matrix;
}

impl Model for KernelRidgeModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.expansion.predict(OP, x)?.into())
    }

    fn report(&self) -> FitReport {
        let solved = &self.solved;
        FitReport::default()
            .iterations(solved.iterations, solved.converged)
            .with_number("residual", solved.residual)
            .with_curve("residual", &solved.residuals)
    }
}

impl Save for KernelRidgeModel {
    type Estimator = KernelRidge;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.expansion.store(container)?;
        store_solved(container, &self.solved)
    }

    fn load_fitted(params: FittedWith<KernelRidge>, container: &mut Container) -> Result<KernelRidgeModel> {
        let expansion = KernelExpansion::restore(container)?;
        let solved = restore_solved(container, expansion.coef())?;
        Ok(KernelRidgeModel { params, expansion, solved })
    }
}

fn store_solved(container: &mut Container, solved: &Solved) -> Result<()> {
    container.insert("residual", &[1], vec![solved.residual])?;
    container.insert("residuals", &[solved.residuals.len()], solved.residuals.clone())?;
    container.insert("iterations", &[2], vec![solved.iterations as u64, u64::from(solved.converged)])
}

fn restore_solved(container: &mut Container, coef: &Matrix) -> Result<Solved> {
    let residual: Vec<f64> = container.take("residual", &[1])?;
    let [count] = container.shape("residuals")?;
    let residuals = container.take("residuals", &[count])?;
    let ended: Vec<u64> = container.take("iterations", &[2])?;
    Ok(Solved {
        coef: coef.clone(),
        residual: residual[0],
        iterations: ended[0] as usize,
        converged: ended[1] == 1,
        residuals,
    })
}
