//! Smooth convex losses of a margin, by Newton's method, or by L-BFGS where there are many columns.

use nalgebra::DMatrix;

use crate::error::Result;
use crate::estimator::Reporter;
use crate::linear::standard_rows::StandardRows;
use crate::solvers::lbfgs::{self, Slope};
use crate::solvers::newton::{self, Curved};

/// Columns up to which the products of the columns are made in every step.
const WIDEST_NEWTON: usize = 1000;

/// The loss of one margin: value, slope and curvature.
pub(super) type RowLoss = fn(margin: f64, target: f64) -> (f64, f64, f64);

/// `mean of losses + ½·alpha·‖coef‖²`.
pub(super) struct Smooth<'a> {
    pub(super) rows: &'a StandardRows<'a>,
    pub(super) loss: RowLoss,
    pub(super) alpha: f64,
    pub(super) tol: f64,
    pub(super) max_iter: usize,
}

/// The coefficients of one output, in units of the deviations.
pub(super) struct Minimum {
    pub(super) v: Vec<f64>,
    pub(super) constant: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    pub(super) losses: Vec<f64>,
}

impl Smooth<'_> {
    /// From the constant alone, which is `start`.
    pub(super) fn minimum(
        &self,
        op: &'static str,
        output: usize,
        start: f64,
        reporter: &mut Reporter<'_>,
    ) -> Result<Minimum> {
        let y: Vec<f64> = self.rows.y.column(output).into_iter().map(f64::from).collect();
        let mut point = vec![0.0; self.rows.columns()];
        point.push(if self.rows.intercept() { start } else { 0.0 });
        let (mut iterations, mut losses) = (0, vec![]);
        let mut done = |step: usize, at: &Slope| {
            iterations = step;
            losses.push(at.value);
            let stop = reporter.report(step, Some(at.value), step as f64 / self.max_iter as f64)?;
            Ok(stop || at.steepness() <= self.tol || step >= self.max_iter)
        };
        let found = match self.rows.columns() <= WIDEST_NEWTON {
            true => {
                let mut objective = OfOutput { smooth: self, op, y: &y };
                newton::minimize(&mut objective, point, &[], None, |step, stage| done(step, &stage.at))?.0.at
            }
            false => lbfgs::minimize(point, |point| Ok(self.evaluate(point, &y)), &mut done)?.0,
        };
        let converged = found.steepness() <= self.tol;
        let (v, constant) = found.point.split_at(self.rows.columns());
        Ok(Minimum { v: v.to_vec(), constant: constant[0], iterations, converged, losses })
    }

    /// Value and slope at d coefficients and the constant.
    fn evaluate(&self, point: &[f64], y: &[f64]) -> (f64, Vec<f64>) {
        let rows = self.rows;
        let (v, constant) = point.split_at(rows.columns());
        let mut value = 0.0;
        let mut slopes = rows.margins(v, constant[0]);
        for (row, margin) in slopes.iter_mut().enumerate() {
            let (loss, slope, _) = (self.loss)(*margin, y[row]);
            value += rows.weights[row] * loss;
            *margin = rows.weights[row] * slope;
        }
        let (mut gradient, sum) = rows.transposed(&slopes);
        for (slope, (v, unit)) in gradient.iter_mut().zip(v.iter().zip(rows.unit())) {
            value += 0.5 * self.alpha * (v * unit).powi(2);
            *slope += self.alpha * v * unit * unit;
        }
        gradient.push(if rows.intercept() { sum } else { 0.0 });
        (value, gradient)
    }
}

/// The loss of one output, as Newton's method takes it.
struct OfOutput<'a> {
    smooth: &'a Smooth<'a>,
    op: &'static str,
    y: &'a [f64],
}

impl Curved for OfOutput<'_> {
    fn value_gradient(&mut self, point: &[f64]) -> Result<(f64, Vec<f64>)> {
        Ok(self.smooth.evaluate(point, self.y))
    }

    fn hessian(&mut self, point: &[f64]) -> Result<DMatrix<f64>> {
        let (rows, y) = (self.smooth.rows, self.y);
        let d = rows.columns();
        let margins = rows.margins(&point[..d], point[d]);
        let bend = |(row, margin): (usize, &f64)| rows.weights[row] * (self.smooth.loss)(*margin, y[row]).2;
        let bends: Vec<f64> = margins.iter().enumerate().map(bend).collect();
        let mut matrix = rows.gram(self.op, &bends)?;
        for (column, unit) in rows.unit().iter().enumerate() {
            matrix[(column, column)] += self.smooth.alpha * unit * unit;
        }
        // Constant columns and a missing intercept leave empty rows.
        let least = 1e-12 * (0..=d).map(|at| matrix[(at, at)]).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        (0..=d).for_each(|at| matrix[(at, at)] += least);
        Ok(matrix)
    }
}
