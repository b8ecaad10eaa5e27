//! Kernel ridge regression on some of the rows as centres, for millions of rows.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::expansion::KernelExpansion;
use super::pivoted::pivoted_cholesky;
use super::ridge::warn_indefinite;
use super::{FittedKernel, Kernel, KernelRows, cost};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cost::Cost;
use crate::cpu::random::permutation::permutation;
use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, FitReport, FitShape, FittedWith, Model, Observer, Predict, Prediction, Reporter, Rows, Save,
    Targets, parameters,
};
use crate::linalg::Cholesky;
use crate::model_file::Container;
use crate::ops;

const OP: &str = "Falkon";
/// What the draw of centres is for.
const CENTERS: u32 = 0x666c_6b6e;

/// What is added to the diagonal of the preconditioner, as a share of the trace.
const JITTER: f64 = 1e-5;
/// Iterations after which the residual is made anew: products are in f32, so what is carried along drifts away from it.
const RENEWED: usize = 4;
/// Steps whose gains estimate what is still missing.
const LOOKED_AT: usize = 4;

/// Iterations that the cost is stated for.
const EXPECTED_ITERATIONS: usize = 20;

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
        max_iter: usize = 100, at_least(1.0);
        /// Length of the last four steps, as a share of the whole way, at which iterations end.
        tol: f64 = 1e-4, above(0.0);
        /// Seed of the draw.
        seed: u64 = 0;
    }
}

impl Estimator for Falkon {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d, p) = (shape.rows as f64, shape.columns as f64, shape.outputs as f64);
        let m = self.n_centers.min(shape.rows);
        let (count, iterations) = (m as f64, self.max_iter.min(EXPECTED_ITERATIONS) as f64);
        // On a GPU each value of the kernel is made twice an iteration, on the CPU once.
        let once = cost::pairs(n * count, d, p) * iterations;
        let descent = Cost {
            operations: 2.0 * once,
            spared_operations: once - 2.0 * n * count * p * iterations,
            host_bytes: cost::on_host(count.powi(3) + 4.0 * count * count * p * iterations),
            moved_bytes: 16.0 * count * p * iterations,
            syncs: iterations + 4.0,
            ..Cost::default()
        };
        Some(descent + cost::around(shape, m))
    }

    /// n·M·d operations an iteration, and about M³.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<FalkonModel> {
        let x = x.complete(OP)?;
        let y = y.complete(OP, x.rows())?;
        let weights = options.weights(OP, x.rows())?;
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
        options.watched("falkon", |reporter| self.descend(&x, &y, weights, reporter))
    }
}

impl Falkon {
    /// Conjugate gradients on Bᵀ·(Kᵀ·W·K + alpha·K_MM)·B, W the weights and B the preconditioner. An iteration waits for the
    /// device once: where the residual is made anew, its product goes along with that of the direction.
    fn descend(
        &self,
        x: &DeviceMatrix,
        y: &Matrix,
        weights: Option<&[f32]>,
        reporter: &mut Reporter<'_>,
    ) -> Result<FalkonModel> {
        warn_indefinite(OP, &self.kernel);
        let device = x.device().clone();
        let mut stream = device.stream();
        let (kernel, rows) = FittedKernel::fit(OP, &self.kernel, x)?;
        let picked = self.draw(&kernel, x, &rows)?;
        let centers = ops::gather_rows(&mut stream, x, &DeviceVec::from_slice(&picked, &device)?)?;
        let host_centers = centers.to_matrix(&mut stream)?;
        let center_rows = kernel.rows(OP, &centers)?;
        let weight = weights.map_or(x.rows() as f64, |weights| weights.iter().copied().map(f64::from).sum());
        let preconditioner = Preconditioner::new(&kernel, &host_centers, weight, self.alpha)?;
        let system = NormalSystem { kernel: &kernel, pairs: (&rows, &center_rows), alpha: self.alpha };
        let targets = Columns::new(&device, y, weights)?;
        let (m, p) = (host_centers.rows(), y.columns());
        let mut coef = DMatrix::zeros(m, p);
        let [gradient] = system.products(&mut stream, &preconditioner, [&coef], &targets.alone)?;
        let mut rest = -preconditioner.transposed(&gradient)?;
        let start: Vec<f64> = rest.column_iter().map(|column| column.norm()).collect();
        let mut direction = rest.clone();
        let (mut residuals, mut gains) = (vec![], vec![vec![]; p]);
        let mut converged = start.iter().all(|&size| size == 0.0);
        while residuals.len() < self.max_iter && !converged {
            let along = preconditioner.apply(&direction)?;
            let curved = match residuals.len() % RENEWED == RENEWED - 1 {
                true => {
                    let [gradient, curved] =
                        system.products(&mut stream, &preconditioner, [&coef, &along], &targets.doubled)?;
                    rest = -preconditioner.transposed(&gradient)?;
                    curved
                }
                false => {
                    let [curved] = system.products(&mut stream, &preconditioner, [&along], &targets.none)?;
                    curved
                }
            };
            let curved = preconditioner.transposed(&curved)?;
            for (at, gains) in gains.iter_mut().enumerate() {
                let (slope, bend) =
                    (rest.column(at).dot(&direction.column(at)), direction.column(at).dot(&curved.column(at)));
                if bend <= 0.0 {
                    gains.push(0.0);
                    continue;
                }
                gains.push(slope * slope / bend);
                coef.column_mut(at).axpy(slope / bend, &along.column(at), 1.0);
                rest.column_mut(at).axpy(-slope / bend, &curved.column(at), 1.0);
                // Conjugate to the direction, whatever rounding made of the ones before.
                let keep = -rest.column(at).dot(&curved.column(at)) / bend;
                let next = rest.column(at) + direction.column(at) * keep;
                direction.set_column(at, &next);
            }
            let shares = start.iter().enumerate().filter(|(_, size)| **size > 0.0);
            let worst = shares.map(|(at, size)| rest.column(at).norm() / size).fold(0.0, f64::max);
            residuals.push(worst);
            converged = gains.iter().all(|gains| has_arrived(gains, self.tol));
            if reporter.report(residuals.len(), Some(worst), residuals.len() as f64 / self.max_iter as f64)? {
                break;
            }
        }
        let coef: Vec<f64> = coef.transpose().iter().copied().collect();
        let expansion = KernelExpansion::new(kernel, host_centers, Matrix::from_f64(m, p, &coef)?);
        Ok(FalkonModel { params: self.clone().into(), expansion, residuals, converged })
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

/// Whether the last steps were short beside all of them together, in the norm of the system, vᵀ·(Kᵀ·W·K + alpha·K_MM)·v: a step
/// gains the square of its length there, and steps of conjugate gradients are orthogonal, so that what later ones gain is the square
/// of the error (Hestenes and Stiefel 1952). The residual says nothing of the sort where the system is far from the identity.
fn has_arrived(gains: &[f64], tol: f64) -> bool {
    let recent: f64 = gains.iter().rev().take(LOOKED_AT).sum();
    gains.len() >= LOOKED_AT && recent <= tol * tol * gains.iter().sum::<f64>()
}

/// What is subtracted from products, and the weights of the rows: n×p each, for one product, for two, or for none.
struct Columns {
    alone: [Option<DeviceMatrix>; 2],
    doubled: [Option<DeviceMatrix>; 2],
    none: [Option<DeviceMatrix>; 2],
}

impl Columns {
    fn new(device: &Device, y: &Matrix, weights: Option<&[f32]>) -> Result<Columns> {
        let (n, p) = (y.rows(), y.columns());
        let upload = |columns: usize, value: &dyn Fn(usize, usize) -> f32| {
            let values = (0..n * columns).map(|at| value(at / columns, at % columns)).collect();
            Matrix::from_vec(n, columns, values)?.to(device)
        };
        let weigh = |columns| weights.map(|weights| upload(columns, &|row, _| weights[row])).transpose();
        let doubled = upload(2 * p, &|row, column| if column < p { y.get(row, column) } else { 0.0 })?;
        Ok(Columns {
            alone: [Some(y.to(device)?), weigh(p)?],
            doubled: [Some(doubled), weigh(2 * p)?],
            none: [None, weigh(p)?],
        })
    }
}

/// v ↦ Kᵀ·W·(K·v − u) + alpha·K_MM·v.
struct NormalSystem<'a> {
    kernel: &'a FittedKernel,
    pairs: (&'a KernelRows, &'a KernelRows),
    alpha: f64,
}

impl NormalSystem<'_> {
    /// Of several v, m×p each, in one pass over the pairs. Those that nothing is subtracted from may be of any length; others
    /// must not be scaled.
    fn products<const COUNT: usize>(
        &self,
        stream: &mut Stream,
        preconditioner: &Preconditioner,
        v: [&DMatrix<f64>; COUNT],
        [u, w]: &[Option<DeviceMatrix>; 2],
    ) -> Result<[DMatrix<f64>; COUNT]> {
        let (m, p) = v[0].shape();
        // Only the last is a direction where there is something to subtract; alone it is the first.
        let scale = |at: usize| match (u, at + 1 == COUNT && COUNT > 1) {
            (Some(_), false) => 1.0,
            _ => v[at].amax().max(f64::MIN_POSITIVE),
        };
        let scales: [f64; COUNT] = std::array::from_fn(scale);
        let value = |at: usize| {
            let (row, column) = (at / (COUNT * p), at % (COUNT * p));
            v[column / p][(row, column % p)] / scales[column / p]
        };
        let values: Vec<f64> = (0..m * COUNT * p).map(value).collect();
        let on_device = Matrix::from_f64(m, COUNT * p, &values)?.to(stream.device())?;
        let sums = self.kernel.normal_product(stream, self.pairs, &on_device, [u.as_ref(), w.as_ref()])?;
        let sums = sums.to_matrix(stream)?;
        Ok(std::array::from_fn(|at| {
            let part = DMatrix::from_fn(m, p, |row, column| f64::from(sums.get(row, at * p + column)) * scales[at]);
            part + preconditioner.penalty(v[at]) * self.alpha
        }))
    }
}

/// B = T⁻¹·A⁻¹/√n with K_MM = TᵀT and T·Tᵀ/M + (alpha/n)·I = AᵀA, n the weight of all rows: it makes the system nearly the
/// identity.
struct Preconditioner {
    matrix: DMatrix<f64>,
    /// With lower factors Tᵀ and Aᵀ.
    outer: Cholesky,
    inner: Cholesky,
    scale: f64,
}

impl Preconditioner {
    fn new(kernel: &FittedKernel, centers: &Matrix, n: f64, alpha: f64) -> Result<Preconditioner> {
        let m = centers.rows();
        let mut matrix = kernel.host_matrix(centers)?;
        // Products come in f32: directions that the rounding of those hides would be blown up.
        let floor = JITTER * matrix.trace();
        (0..m).for_each(|at| matrix[(at, at)] += floor);
        let outer = Cholesky::factor_with_jitter(&matrix)?;
        (0..m).for_each(|at| matrix[(at, at)] -= floor);
        let mut inside = {
            let lower = outer.lower();
            lower.transpose() * lower
        };
        inside /= m as f64;
        (0..m).for_each(|at| inside[(at, at)] += alpha / n);
        Ok(Preconditioner { matrix, outer, inner: Cholesky::factor(&inside)?, scale: 1.0 / n.sqrt() })
    }

    /// B·v.
    fn apply(&self, v: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        Ok(self.outer.solve_lower_transposed(&self.inner.solve_lower_transposed(v)?)? * self.scale)
    }

    /// Bᵀ·v.
    fn transposed(&self, v: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        Ok(self.inner.solve_lower(&self.outer.solve_lower(v)?)? * self.scale)
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
    converged: bool,
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
            .iterations(self.residuals.len(), self.converged)
            .with_number("residual", self.residuals.last().copied().unwrap_or(0.0))
            .with_curve("residual", &self.residuals)
    }
}

impl Save for FalkonModel {
    type Estimator = Falkon;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        self.expansion.store(container)?;
        container.insert("converged", &[1], vec![u64::from(self.converged)])?;
        container.insert("residuals", &[self.residuals.len()], self.residuals.clone())
    }

    fn load_fitted(params: FittedWith<Falkon>, container: &mut Container) -> Result<FalkonModel> {
        let expansion = KernelExpansion::restore(container)?;
        let [count] = container.shape("residuals")?;
        let residuals = container.take("residuals", &[count])?;
        let converged: Vec<u64> = container.take("converged", &[1])?;
        Ok(FalkonModel { params, expansion, residuals, converged: converged[0] == 1 })
    }
}
