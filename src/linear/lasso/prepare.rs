//! Rows made ready for coordinate descent, and the fits that all estimators here share.

use nalgebra::DMatrix;

use super::path::LassoPath;
use super::sparse_columns::SparseColumns;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Reporter, Rows, Targets};
use crate::linear::least_squares::centred_sparse::Centred;
use crate::linear::least_squares::fit::counted;
use crate::linear::predict::Linear;
use crate::ops::{self, NormalEquations};
use crate::solvers::coordinate::{Columns, CoordinateDescent, DenseColumns, GramColumns, L1L2, Outcome, Stop};

/// Columns up to which all products are made, where there are more rows: 128 MiB.
const WIDEST_GRAM: usize = 4096;
/// Numbers up to which a table on the CPU is quick anyway, and its columns themselves more accurate than f32 products.
const SMALL: usize = 1 << 20;

/// What a fit minimises, and how far: `½·mean of squares + alpha·(l1_ratio·‖w‖₁ + ½·(1 − l1_ratio)·‖w‖²)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) l1_ratio: f64,
    pub(super) fit_intercept: bool,
    pub(super) positive: bool,
    pub(super) tol: f64,
    pub(super) max_iter: usize,
}

impl Settings {
    pub(super) fn penalty(&self, alpha: f64) -> L1L2 {
        L1L2 { l1: alpha * self.l1_ratio, l2: alpha * (1.0 - self.l1_ratio), positive: self.positive }
    }
}

/// Columns and means.
pub(super) struct Prepared {
    columns: Box<dyn Columns>,
    x_mean: Vec<f64>,
    y_mean: Vec<f64>,
}

/// Whether all products of the columns are worth making.
pub(super) fn by_products(x: &DeviceMatrix, path: bool) -> bool {
    let worth = match x.device() {
        Device::Cpu => path && x.rows() * x.columns() > SMALL,
        Device::Gpu(_) => true,
    };
    worth && x.rows() > x.columns() && x.columns() <= WIDEST_GRAM
}

impl Prepared {
    /// Of checked rows; a path is worth making all products for.
    pub(super) fn new(
        op: &'static str,
        x: Rows<'_>,
        y: Targets<'_>,
        (intercept, path): (bool, bool),
        options: &Fit<'_>,
    ) -> Result<Prepared> {
        let weights = options.weights(op, x.rows())?;
        if let Rows::Sparse(x) = x {
            let y = y.complete(op, x.rows())?;
            if x.rows() == 0 || x.columns() == 0 {
                let got = format!("{}×{}", x.rows(), x.columns());
                return Err(Error::shape(op, "at least one row and one column", got));
            }
            let centred = Centred::new(x, &y, weights, intercept);
            let found = centred.found(&DMatrix::zeros(centred.columns(), centred.outputs()), 0);
            let columns = Box::new(SparseColumns::new(centred, x.columns()));
            return Ok(Prepared { columns, x_mean: found.x_mean, y_mean: found.intercept });
        }
        let x = x.complete(op)?;
        let y = y.complete(op, x.rows())?;
        let mut stream = x.device().stream();
        if by_products(&x, path) {
            match ops::normal_equations(&mut stream, &x, &y, weights, intercept) {
                Ok(products) => {
                    let squares = squares_about(&y, weights, intercept);
                    return Prepared::of_products(products, squares, x.device());
                }
                // Rows and targets are finite: their squares are not, in f32.
                Err(Error::NotFinite { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let x_mean = match intercept {
            true => {
                let on_device = weights.map(|weights| DeviceVec::from_slice(weights, x.device())).transpose()?;
                ops::column_moments(&mut stream, &x, on_device.as_ref())?.mean
            }
            false => vec![0.0; x.columns()],
        };
        let y_mean = target_means(&y, weights, intercept);
        let columns = DenseColumns::new(&x.to_matrix(&mut stream)?, &y, weights, (&x_mean, &y_mean));
        Ok(Prepared { columns: Box::new(columns), x_mean, y_mean })
    }

    /// Of products of centred columns; `squares` are Σw(y − mean)² of each output.
    pub(super) fn of_products(products: NormalEquations, squares: Vec<f64>, device: &Device) -> Result<Prepared> {
        let (x_mean, y_mean) = (products.x_mean.clone(), products.y_mean.clone());
        let squares = squares.into_iter().map(|square| square / products.weight).collect();
        let columns = GramColumns::new(products, squares).on(device)?;
        Ok(Prepared { columns: Box::new(columns), x_mean, y_mean })
    }

    /// The plane for p×d coefficients.
    fn linear(&self, coef: DMatrix<f64>) -> Result<Linear> {
        let at_mean = |row: usize| coef.row(row).iter().zip(&self.x_mean).map(|(a, b)| a * b).sum::<f64>();
        let intercept = self.y_mean.iter().enumerate().map(|(output, mean)| mean - at_mean(output)).collect();
        Linear::new(coef, intercept)
    }

    /// The penalty above which all coefficients are 0.
    pub(super) fn largest_alpha(&self, settings: &Settings) -> f64 {
        let slopes = (0..self.y_mean.len())
            .map(|output| CoordinateDescent::new(self.columns.as_ref(), output).largest_slope(settings.positive));
        slopes.fold(0.0, f64::max) / settings.l1_ratio
    }

    /// The planes for all penalties, each from the one before; the outcome of an output is the worst of its penalties.
    pub(super) fn path(&self, settings: &Settings, alphas: &[f64], reporter: &mut Reporter<'_>) -> Result<LassoPath> {
        let (d, p) = (self.x_mean.len(), self.y_mean.len());
        let mut coefs = vec![DMatrix::zeros(p, d); alphas.len()];
        let mut outcomes = vec![Outcome { gap: 0.0, objective: 0.0, iterations: 0, converged: true }; alphas.len()];
        let mut passes = 0;
        for output in 0..p {
            let mut descent = CoordinateDescent::new(self.columns.as_ref(), output);
            let gap = settings.tol * self.columns.target_square(output);
            for (at, &alpha) in alphas.iter().enumerate() {
                let done = (output * alphas.len() + at) as f64 / (p * alphas.len()) as f64;
                let stop = Stop { gap, max_iter: settings.max_iter };
                let report = |step: usize, gap: f64| reporter.report(passes + step, Some(gap), done);
                let found = descent.solve(settings.penalty(alpha), stop, report)?;
                passes += found.iterations;
                coefs[at].row_mut(output).iter_mut().zip(descent.coef()).for_each(|(to, from)| *to = *from);
                let total = &mut outcomes[at];
                total.gap = total.gap.max(found.gap);
                total.objective += found.objective;
                total.iterations = total.iterations.max(found.iterations);
                total.converged &= found.converged;
            }
        }
        let planes = coefs.into_iter().map(|coef| self.linear(coef)).collect::<Result<Vec<Linear>>>()?;
        Ok(LassoPath { alphas: alphas.to_vec(), planes, outcomes })
    }
}

/// The weighted mean of each output; zeros without an intercept.
fn target_means(y: &Matrix, weights: Option<&[f32]>, intercept: bool) -> Vec<f64> {
    if !intercept {
        return vec![0.0; y.columns()];
    }
    let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    let total = counted(y.rows(), weights).1;
    let sum = |output: usize| (0..y.rows()).map(|row| weight(row) * f64::from(y.get(row, output))).sum::<f64>();
    (0..y.columns()).map(|output| sum(output) / total).collect()
}

/// Σw(y − mean)² of each output.
pub(super) fn squares_about(y: &Matrix, weights: Option<&[f32]>, intercept: bool) -> Vec<f64> {
    let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    let means = target_means(y, weights, intercept);
    let square = |row: usize, output: usize| weight(row) * (f64::from(y.get(row, output)) - means[output]).powi(2);
    (0..y.columns()).map(|output| (0..y.rows()).map(|row| square(row, output)).sum()).collect()
}
