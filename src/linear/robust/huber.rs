//! Squared errors near the plane, absolute ones far from it, and the scale that decides which is which.

use nalgebra::DMatrix;

use crate::error::Result;
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, FittedWith, Prediction, Reporter, Rows, Save, Targets, parameters,
};
use crate::linear::predict::{Linear, linear_model};
use crate::linear::standard_rows::StandardRows;
use crate::model_file::Container;
use crate::solvers::lbfgs::{Slope, minimize};

const OP: &str = "HuberRegressor";
/// The scale is at least this share of the deviation of the targets.
const LEAST_SCALE: f64 = 1e-9;

parameters! {
    /// Huber's regression with a scale σ of its own (concomitant): `Σ (σ + H(r/σ)·σ) + alpha·‖coef‖²` is minimised, H being z² up
    /// to `epsilon` and a straight line beyond, so that outliers pull with a bounded force. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])?;
    /// let model = HuberRegressor::default().fit(&x, &[0.1, 0.9, 2.1, 2.9, 4.0, 50.0])?;
    /// assert!((model.coef()[(0, 0)] - 1.0).abs() < 0.1);
    /// assert_eq!(model.outliers(&x, &[0.1, 0.9, 2.1, 2.9, 4.0, 50.0])?.last(), Some(&true));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - L-BFGS on columns less their means and in units of their deviation, in f64 on the host; one pass a step.
    /// - Targets on a plane exactly have the scale 0, or nearly so.
    /// - Weights, sparse rows, and several outputs, each with a scale of its own.
    pub struct HuberRegressor: regressor("huber-regressor") -> HuberRegressorModel;
    about "squared errors near the plane and absolute ones far from it: outliers pull with a bounded force";
    {
        /// From how many scales on an error counts as an outlier's.
        epsilon: f64 = 1.35, at_least(1.0);
        /// Strength of the L2 penalty on the coefficients.
        alpha: f64 = 0.0001, at_least(0.0);
        /// Whether there is an intercept; without one, the plane goes through the origin.
        fit_intercept: bool = true;
        /// Maximum number of steps.
        max_iter: usize = 500, at_least(1.0);
        /// A fit ends when no derivative of the mean loss, over the scale of the targets, is larger.
        tol: f64 = 1e-7, above(0.0);
    }
}

impl Estimator for HuberRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: !self.fit_intercept, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<HuberRegressorModel> {
        let rows = StandardRows::new(OP, x, y, self.fit_intercept, &options)?;
        let outputs = rows.y.columns();
        options.watched("Huber regression", |reporter| {
            let (mut coef, mut intercept, mut scales) = (vec![], vec![], vec![]);
            let (mut iterations, mut converged) = (0, true);
            for output in 0..outputs {
                let found = self.descend(&rows, output, reporter)?;
                let (own, constant) = rows.plane(&found.v, found.constant);
                coef.extend(own);
                intercept.push(constant);
                scales.push(found.scale);
                iterations = iterations.max(found.iterations);
                converged &= found.converged;
            }
            if !converged {
                log::warn!("{OP}: not converged after {iterations} steps; raise max_iter or tol");
            }
            let linear = Linear::new(DMatrix::from_row_slice(outputs, rows.columns(), &coef), intercept)?;
            Ok(HuberRegressorModel { params: self.clone().into(), linear, scales, iterations, converged })
        })
    }
}

struct Descended {
    v: Vec<f64>,
    constant: f64,
    scale: f64,
    iterations: usize,
    converged: bool,
}

impl HuberRegressor {
    /// The plane and scale of one output; targets are taken in units of their deviation, and the scale by its logarithm.
    fn descend(&self, rows: &StandardRows<'_>, output: usize, reporter: &mut Reporter<'_>) -> Result<Descended> {
        let d = rows.columns();
        let y: Vec<f64> = rows.y.column(output).into_iter().map(f64::from).collect();
        let mean = match rows.intercept() {
            true => y.iter().zip(&rows.weights).map(|(y, weight)| y * weight).sum::<f64>(),
            false => 0.0,
        };
        let variance = y.iter().zip(&rows.weights).map(|(y, weight)| weight * (y - mean).powi(2)).sum::<f64>();
        let unit = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        let target: Vec<f64> = y.iter().map(|y| (y - mean) / unit).collect();
        // Squares of coefficients in the units of the rows, for a loss in units of the deviation.
        let alpha = self.alpha * unit / rows.total;
        let evaluate = |point: &[f64]| {
            let scale = point[d + 1].exp().max(LEAST_SCALE);
            let margins = rows.margins(&point[..d], point[d]);
            let (mut value, mut by_scale) = (0.0, 0.0);
            let mut pulls = vec![0.0; target.len()];
            for (row, (y, margin)) in target.iter().zip(margins).enumerate() {
                let (weight, z) = (rows.weights[row], (y - margin) / scale);
                let (loss, slope) = match z.abs() < self.epsilon {
                    true => (z * z, 2.0 * z),
                    false => (self.epsilon * (2.0 * z.abs() - self.epsilon), 2.0 * self.epsilon * z.signum()),
                };
                value += weight * (scale + loss * scale);
                by_scale += weight * (1.0 + loss - z * slope);
                pulls[row] = -weight * slope;
            }
            let (mut gradient, sum) = rows.transposed(&pulls);
            for (slope, (v, column)) in gradient.iter_mut().zip(point.iter().zip(rows.unit())) {
                value += alpha * (v * column).powi(2);
                *slope += 2.0 * alpha * v * column * column;
            }
            gradient.push(if rows.intercept() { sum } else { 0.0 });
            gradient.push(by_scale * scale);
            Ok((value, gradient))
        };
        let mut iterations = 0;
        let done = |step: usize, at: &Slope| {
            iterations = step;
            let stop = reporter.report(step, Some(at.value), step as f64 / self.max_iter as f64)?;
            Ok(stop || at.steepness() <= self.tol || step >= self.max_iter)
        };
        let (found, descends) = minimize(vec![0.0; d + 2], evaluate, done)?;
        // Where no step descends any more, the slope is rounding.
        let converged = found.steepness() <= self.tol || (!descends && found.steepness() <= 1e3 * self.tol);
        let v = found.point[..d].iter().map(|value| value * unit).collect();
        let scale = found.point[d + 1].exp().max(LEAST_SCALE) * unit;
        Ok(Descended { v, constant: mean + unit * found.point[d], scale, iterations, converged })
    }
}

/// A model fitted by [`HuberRegressor`].
#[derive(Debug, Clone, PartialEq)]
pub struct HuberRegressorModel {
    params: FittedWith<HuberRegressor>,
    linear: Linear,
    scales: Vec<f64>,
    iterations: usize,
    converged: bool,
}

linear_model!(HuberRegressorModel, report);

fn report(model: &HuberRegressorModel) -> FitReport {
    let report = FitReport::default().iterations(model.iterations, model.converged);
    match model.scales[..] {
        [scale] => report.with_number("scale", scale),
        _ => report,
    }
}

impl HuberRegressorModel {
    /// The scale σ of each output.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// Which rows are farther from their target than `epsilon` scales, in any output.
    pub fn outliers<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<Vec<bool>> {
        let x = x.into();
        let y = y.into().complete(OP, x.rows())?;
        let predicted = self.linear.predict(OP, x)?;
        let shifted = self.intercept().iter().zip(self.linear.intercept()).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let far = |row: usize, output: usize| {
            let left = f64::from(y.get(row, output)) - f64::from(predicted.get(row, output)) - shifted[output];
            left.abs() > self.params.epsilon * self.scales[output]
        };
        Ok((0..y.rows()).map(|row| (0..y.columns()).any(|output| far(row, output))).collect())
    }

    /// Steps of the fit.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Whether the slope came below `tol`.
    pub fn converged(&self) -> bool {
        self.converged
    }
}

impl Save for HuberRegressorModel {
    type Estimator = HuberRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("scales", &[self.scales.len()], self.scales.clone())?;
        container.insert("iterations", &[2], vec![self.iterations as u64, u64::from(self.converged)])?;
        self.linear.store(container)
    }

    fn load_fitted(params: FittedWith<HuberRegressor>, container: &mut Container) -> Result<HuberRegressorModel> {
        let progress: Vec<u64> = container.take("iterations", &[2])?;
        let [count] = container.shape("scales")?;
        let scales: Vec<f64> = container.take("scales", &[count])?;
        let linear = Linear::restore(container)?;
        if count != linear.intercept().len() || scales.iter().any(|scale| *scale < 0.0) {
            return Err(container.refuse(format!("{count} scales of {} outputs", linear.intercept().len())));
        }
        let (iterations, converged) = (progress[0] as usize, progress[1] == 1);
        Ok(HuberRegressorModel { params, linear, scales, iterations, converged })
    }
}
