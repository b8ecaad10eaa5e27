//! Least squares with a penalty on a power of the coefficients.

use nalgebra::DMatrix;

use super::predict::{Linear, linear_model};
use super::standard_rows::StandardRows;
use crate::error::Result;
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FittedWith, Prediction, Reporter, Rows, Save, Targets, parameters,
};
use crate::model_file::Container;

const OP: &str = "BridgeRegressor";
/// Halvings in which the place of a proximal step is found.
const HALVINGS: usize = 80;

parameters! {
    /// Bridge regression: `1/(2n)·‖y − X·w‖² + alpha·Σ|w|^q` is minimised by proximal steps along the coordinates; the intercept
    /// has no penalty. With `q` 2 it is ridge regression with an alpha of 2n times this one, with 1 the lasso; below 1 there are
    /// more zeros and less shrinkage, and several minima.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0, 0.2], [2.0, -0.3], [3.0, 0.1], [4.0, 0.4], [5.0, -0.2]])?;
    /// let model = BridgeRegressor::default().alpha(0.1).q(0.5).fit(&x, &[2.1, 3.9, 6.0, 8.1, 9.9])?;
    /// assert_eq!(model.coef()[(0, 1)], 0.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The steps start from least squares where there are more rows than columns, and else from 0. For `q` below 1 the minimum
    ///   that is found depends on that.
    /// - The products of the columns are made once, in f64 on the host: for up to some thousands of columns.
    /// - Weights, several outputs, and sparse rows of up to 2048 columns.
    pub struct BridgeRegressor: regressor("bridge-regressor") -> BridgeRegressorModel;
    about "least squares with a penalty on a power of the coefficients, by proximal steps";
    {
        /// Strength of the penalty.
        alpha: f64 = 1.0, at_least(0.0);
        /// The power of the coefficients in the penalty.
        q: f64 = 0.5, above_to(0.0, 2.0);
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
        /// Maximum number of passes over the coordinates.
        max_iter: usize = 5000, at_least(1.0);
        /// A fit ends when no coefficient of a column of deviation 1 changes by more than this share of the largest.
        tol: f64 = 1e-9, above(0.0);
    }
}

/// The w that minimises `½·c·(w − z)² + alpha·|w|^q`: the proximal step of a power.
fn proximal(z: f64, c: f64, alpha: f64, q: f64) -> f64 {
    let size = z.abs();
    let slope = |w: f64| c * (w - size) + alpha * q * w.powf(q - 1.0);
    let between = |mut low: f64, mut high: f64| {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            *(if slope(middle) < 0.0 { &mut low } else { &mut high }) = middle;
        }
        0.5 * (low + high)
    };
    let found = if alpha == 0.0 || size == 0.0 {
        size
    } else if q == 1.0 {
        (size - alpha / c).max(0.0)
    } else if q == 2.0 {
        c * size / (c + 2.0 * alpha)
    } else if q > 1.0 {
        between(0.0, size)
    } else {
        // The slope falls up to `turn` and rises from there: a minimum away from 0 is the second place where it is 0.
        let turn = (alpha * q * (1.0 - q) / c).powf(1.0 / (2.0 - q));
        let away = if turn < size && slope(turn) < 0.0 { between(turn, size) } else { 0.0 };
        let cost = |w: f64| 0.5 * c * (w - size).powi(2) + alpha * w.powf(q);
        if away > 0.0 && cost(away) < 0.5 * c * size * size { away } else { 0.0 }
    };
    found.copysign(z)
}

impl Estimator for BridgeRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<BridgeRegressorModel> {
        let rows = StandardRows::new(OP, x, y, self.fit_intercept, &options)?;
        options.watched("bridge regression", |reporter| self.descend(&rows, reporter))
    }
}

impl BridgeRegressor {
    fn descend(&self, rows: &StandardRows<'_>, reporter: &mut Reporter<'_>) -> Result<BridgeRegressorModel> {
        let (d, outputs) = (rows.columns(), rows.y.columns());
        let gram = rows.gram(OP, &rows.weights)?;
        let (mut coef, mut intercept) = (vec![], vec![]);
        let (mut iterations, mut converged) = (0, true);
        for output in 0..outputs {
            let y: Vec<f64> = rows.y.column(output).into_iter().map(f64::from).collect();
            let mean = match rows.intercept() {
                true => y.iter().zip(&rows.weights).map(|(y, weight)| y * weight).sum::<f64>(),
                false => 0.0,
            };
            let pulls: Vec<f64> = y.iter().zip(&rows.weights).map(|(y, weight)| weight * (y - mean)).collect();
            let (with_target, _) = rows.transposed(&pulls);
            let mut v = start(&gram, &with_target, rows.rows());
            let mut slopes: Vec<f64> = (0..d)
                .map(|row| with_target[row] - (0..d).map(|column| gram[(row, column)] * v[column]).sum::<f64>())
                .collect();
            let mut settled = false;
            for pass in 0..self.max_iter {
                let (mut moved, mut largest) = (0.0_f64, 0.0_f64);
                for at in 0..d {
                    let (c, unit) = (gram[(at, at)], rows.unit()[at]);
                    if c <= 0.0 || unit == 0.0 {
                        continue;
                    }
                    // |unit·v|^q: the penalty is on coefficients of the rows as they are.
                    let new = proximal(v[at] + slopes[at] / c, c, self.alpha * unit.powf(self.q), self.q);
                    let step = new - v[at];
                    if step != 0.0 {
                        v[at] = new;
                        let column = gram.column(at);
                        slopes.iter_mut().zip(column.iter()).for_each(|(slope, product)| *slope -= step * product);
                    }
                    moved = moved.max(step.abs());
                    largest = largest.max(new.abs());
                }
                iterations = iterations.max(pass + 1);
                settled = moved <= self.tol * largest;
                if settled || reporter.report(pass + 1, None, (pass + 1) as f64 / self.max_iter as f64)? {
                    break;
                }
            }
            converged &= settled;
            let (own, constant) = rows.plane(&v, mean);
            coef.extend(own);
            intercept.push(constant);
        }
        if !converged {
            log::warn!("{OP}: not converged after {iterations} passes; raise max_iter or tol");
        }
        let linear = Linear::new(DMatrix::from_row_slice(outputs, d, &coef), intercept)?;
        Ok(BridgeRegressorModel { params: self.clone().into(), linear, iterations, converged })
    }
}

/// Least squares, if the columns are independent; else 0.
fn start(gram: &DMatrix<f64>, with_target: &[f64], rows: usize) -> Vec<f64> {
    let d = with_target.len();
    let right = DMatrix::from_column_slice(d, 1, with_target);
    let solved = (rows > d)
        .then(|| crate::linalg::Cholesky::factor(&gram.view((0, 0), (d, d)).into_owned()).ok()?.solve(&right).ok())
        .flatten();
    solved.map_or_else(|| vec![0.0; d], |solved| solved.as_slice().to_vec())
}

/// A model fitted by [`BridgeRegressor`].
#[derive(Debug, Clone, PartialEq)]
pub struct BridgeRegressorModel {
    params: FittedWith<BridgeRegressor>,
    linear: Linear,
    iterations: usize,
    converged: bool,
}

linear_model!(BridgeRegressorModel, report);

fn report(model: &BridgeRegressorModel) -> FitReport {
    let count = model.linear.coef().iter().filter(|value| **value != 0.0).count();
    FitReport::default().iterations(model.iterations, model.converged).with_number("nonzero", count as f64)
}

impl BridgeRegressorModel {
    /// Passes over the coordinates.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the coefficients came to rest.
    pub fn converged(&self) -> bool {
        self.converged
    }
}

impl Save for BridgeRegressorModel {
    type Estimator = BridgeRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("iterations", &[2], vec![self.iterations as u64, u64::from(self.converged)])?;
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<BridgeRegressor>, container: &mut Container) -> Result<BridgeRegressorModel> {
        let progress: Vec<u64> = container.take("iterations", &[2])?;
        let linear = Linear::restore(container)?;
        let (iterations, converged) = (progress[0] as usize, progress[1] == 1);
        Ok(BridgeRegressorModel { params, linear, iterations, converged })
    }
}
