//! Kernel ridge regression on some of the rows as centres, for millions of rows.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::expansion::KernelExpansion;
use super::pivoted::pivoted_cholesky;
use super::ridge::warn_indefinite;
use super::{FittedKernel, Kernel, KernelRows};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::random::permutation::permutation;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitReport, FittedWith, Model, Observer, Predict, Prediction, Reporter, Rows, Save, Targets,
    parameters,
};
use crate::linalg::{Cholesky, Triangle, solve_triangular};
use crate::model_file::Container;
use crate::ops;

const OP: &str = "Falkon";
/// What the draw of centres is for.
const CENTERS: u32 = 0x666c_6b6e;

/// What is added to the diagonal of the preconditioner, as a share of the trace.
const JITTER: f64 = 1e-5;
/// Iterations after which conjugate gradients begin again from the true residual.
const RESTART: usize = 4;

/// How centres are drawn from the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Centers {
    /// All rows alike.
    #[default]
    Uniform,
    /// By randomly pivoted Cholesky: rows that the others explain badly.
    Pivoted,
}

parameters! {
    /// Falkon: kernel ridge regression whose coefficients are on M centres drawn from the rows, by preconditioned conjugate
    /// gradients. Memory is M² and a block of the kernel matrix; each iteration makes n·M kernel values. `alpha` is that of
    /// [`KernelRidge`](super::KernelRidge), and with all rows as centres so is the solution.
    ///
    /// ```
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_vec(300, 1, (0..300).map(|i| i as f32 / 50.0).collect())?;
    /// let y: Vec<f32> = x.as_slice().iter().map(|x| x.sin()).collect();
    /// let model = Falkon::default().n_centers(20).alpha(1e-3).kernel(Kernel::rbf(1.0)).fit(&x, &y)?;
    /// assert!((model.predict(&x)?.get(8, 0) - y[8]).abs() < 0.01);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct Falkon: regressor("falkon") -> FalkonModel;
    about "kernel ridge regression on drawn centres, for very many rows";
    {
        /// Strength of the penalty, as in kernel-ridge.
        alpha: f64 = 1.0, above(0.0);
        /// The kernel, as in kernel-ridge.
        kernel: Kernel = Kernel::rbf(super::Gamma::Scale);
        /// Centres, M; all rows if there are fewer.
        n_centers: usize = 1000, at_least(1.0);
        /// How centres are drawn: uniform or pivoted.
        centers: Centers = Centers::Uniform;
        /// Iterations at most.
        max_iter: usize = 20, at_least(1.0);
        /// Relative residual at which they end.
        tol: f64 = 1e-5, above(0.0);
        /// Seed of the draw.
        seed: u64 = 0;
    }
}

impl Estimator for Falkon {
    /// n·M·d operations an iteration, and about M³.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<FalkonModel> {
        let x = x.complete(OP)?;
        let y = y.complete(OP, x.rows())?;
        options.refuse_weights(OP)?;
        if self.kernel.is_precomputed() {
            return Err(Error::param(
                "kernel",
                "a kernel that is computed; kernel-ridge takes a matrix",
                "precomputed",
            ));
        }
        if x.rows() == 0 {
            return Err(Error::shape(OP, "at least one row", 0));
        }
        options.watched("falkon", |reporter| self.descend(&x, &y, reporter))
    }
}

impl Falkon {
    fn descend(&self, x: &DeviceMatrix, y: &Matrix, reporter: &mut Reporter<'_>) -> Result<FalkonModel> {
        warn_indefinite(OP, &self.kernel);
        let device = x.device().clone();
        let mut stream = device.stream();
        let (kernel, rows) = FittedKernel::fit(OP, &self.kernel, x)?;
        let picked = self.draw(&kernel, x, &rows)?;
        let centers = ops::gather_rows(&mut stream, x, &DeviceVec::from_slice(&picked, &device)?)?;
        let host_centers = centers.to_matrix(&mut stream)?;
        let center_rows = kernel.rows(OP, &centers)?;
        let preconditioner = Preconditioner::new(&kernel, &host_centers, x.rows(), self.alpha)?;
        let target = y.to(&device)?;
        let (m, p) = (host_centers.rows(), y.columns());
        let pairs = (&rows, &center_rows);
        // What is right of the gradient at the coefficients found so far: −Kᵀ·(K·c − y) − alpha·K_MM·c. Products are in f32,
        // so conjugate gradients lose it after some steps, and begin again from it.
        let mut product = |v: &DMatrix<f64>, y: Option<&DeviceMatrix>| -> Result<DMatrix<f64>> {
            // With targets nothing may be scaled; directions may be of any length.
            let scale = if y.is_some() { 1.0 } else { v.amax().max(f64::MIN_POSITIVE) };
            let rows: Vec<f64> = v.transpose().iter().map(|value| value / scale).collect();
            let on_device = Matrix::from_f64(m, p, &rows)?.to(&device)?;
            let sums = kernel.normal_product(&mut stream, pairs, &on_device, y)?.to_matrix(&mut stream)?;
            let sums = DMatrix::from_row_iterator(m, p, sums.as_slice().iter().map(|&sum| f64::from(sum) * scale));
            Ok(sums + preconditioner.penalty(v) * self.alpha)
        };
        let mut coef = DMatrix::zeros(m, p);
        let (mut rest, mut direction, mut start) = (coef.clone(), coef.clone(), vec![]);
        let mut residuals = vec![];
        let mut worst = 1.0;
        while residuals.len() < self.max_iter && worst > self.tol {
            if residuals.len() % RESTART == 0 {
                rest = preconditioner.transposed(&-product(&coef, Some(&target))?)?;
                direction.copy_from(&rest);
                if residuals.is_empty() {
                    start = rest.column_iter().map(|column| column.norm()).collect();
                }
                if start.iter().all(|&size| size == 0.0) {
                    break;
                }
            }
            let along = preconditioner.apply(&direction)?;
            let bent = preconditioner.transposed(&product(&along, None)?)?;
            for at in 0..p {
                let (slope, bend) = (rest.column(at).norm_squared(), direction.column(at).dot(&bent.column(at)));
                if slope == 0.0 || bend <= 0.0 {
                    continue;
                }
                let rate = slope / bend;
                coef.column_mut(at).axpy(rate, &along.column(at), 1.0);
                rest.column_mut(at).axpy(-rate, &bent.column(at), 1.0);
                let keep = rest.column(at).norm_squared() / slope;
                let next = rest.column(at) + direction.column(at) * keep;
                direction.set_column(at, &next);
            }
            let shares = start.iter().enumerate().filter(|(_, size)| **size > 0.0);
            worst = shares.map(|(at, size)| rest.column(at).norm() / size).fold(0.0, f64::max);
            residuals.push(worst);
            if reporter.report(residuals.len(), Some(worst), residuals.len() as f64 / self.max_iter as f64)? {
                break;
            }
        }
        let coef: Vec<f64> = coef.transpose().iter().copied().collect();
        let expansion = KernelExpansion::new(kernel, host_centers, Matrix::from_f64(m, p, &coef)?);
        Ok(FalkonModel { params: self.clone().into(), expansion, residuals })
    }

    /// The rows that become centres.
    fn draw(&self, kernel: &FittedKernel, x: &DeviceMatrix, rows: &KernelRows) -> Result<Vec<u32>> {
        let n = x.rows();
        let count = self.n_centers.min(n);
        let mut picked: Vec<u32> = match self.centers {
            Centers::Uniform => permutation(self.seed, CENTERS, n as u32).into_iter().take(count).collect(),
            Centers::Pivoted => {
                let low = pivoted_cholesky(OP, kernel, (x, rows), count, self.seed)?;
                low.pivots.into_iter().map(|row| row as u32).collect()
            }
        };
        picked.sort_unstable();
        Ok(picked)
    }
}

/// B = T⁻¹·A⁻¹/√n with K_MM = TᵀT and T·Tᵀ/M + (alpha/n)·I = AᵀA: it makes the system nearly the identity.
struct Preconditioner {
    matrix: DMatrix<f64>,
    /// Lower factors: Tᵀ and Aᵀ.
    outer: DMatrix<f64>,
    inner: DMatrix<f64>,
    scale: f64,
}

impl Preconditioner {
    fn new(kernel: &FittedKernel, centers: &Matrix, n: usize, alpha: f64) -> Result<Preconditioner> {
        let m = centers.rows();
        let matrix = kernel.host_matrix(centers)?;
        // Products come in f32: directions that the rounding of those hides would be blown up.
        let floor = JITTER * matrix.trace();
        let outer = Cholesky::factor_with_jitter(&(&matrix + DMatrix::identity(m, m) * floor))?.lower();
        let mut inside = outer.tr_mul(&outer) / m as f64;
        (0..m).for_each(|at| inside[(at, at)] += alpha / n as f64);
        let inner = Cholesky::factor(&inside)?.lower();
        Ok(Preconditioner { matrix, outer, inner, scale: 1.0 / (n as f64).sqrt() })
    }

    /// B·v.
    fn apply(&self, v: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let inner = solve_triangular(&self.inner, Triangle::LowerTransposed, v)?;
        Ok(solve_triangular(&self.outer, Triangle::LowerTransposed, &inner)? * self.scale)
    }

    /// Bᵀ·v.
    fn transposed(&self, v: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let outer = solve_triangular(&self.outer, Triangle::Lower, v)?;
        Ok(solve_triangular(&self.inner, Triangle::Lower, &outer)? * self.scale)
    }

    /// K_MM·v.
    fn penalty(&self, v: &DMatrix<f64>) -> DMatrix<f64> {
        &self.matrix * v
    }
}

/// A model fitted by [`Falkon`].
#[derive(Debug, Clone)]
pub struct FalkonModel {
    params: FittedWith<Falkon>,
    expansion: KernelExpansion,
    residuals: Vec<f64>,
}

impl FalkonModel {
    /// The centres, M×d.
    pub fn centers(&self) -> &Matrix {
        self.expansion.rows()
    }

    /// The coefficients of the centres, M×p.
    pub fn dual_coef(&self) -> &Matrix {
        self.expansion.coef()
    }

    fn converged(&self) -> bool {
        self.residuals.last().is_none_or(|&last| last <= self.params.tol)
    }
}

impl Predict for FalkonModel {
    type Output = Matrix;
}

impl Model for FalkonModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.expansion.predict(OP, x)?.into())
    }

    fn report(&self) -> FitReport {
        FitReport::default()
            .iterations(self.residuals.len(), self.converged())
            .with_number("residual", self.residuals.last().copied().unwrap_or(0.0))
            .with_curve("residual", &self.residuals)
    }
}

impl Save for FalkonModel {
    type Estimator = Falkon;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.expansion.store(container)?;
        container.insert("residuals", &[self.residuals.len()], self.residuals.clone())
    }

    fn load_fitted(params: FittedWith<Falkon>, container: &mut Container) -> Result<FalkonModel> {
        let expansion = KernelExpansion::restore(container)?;
        let [count] = container.shape("residuals")?;
        let residuals = container.take("residuals", &[count])?;
        Ok(FalkonModel { params, expansion, residuals })
    }
}
