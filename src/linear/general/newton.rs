//! Smooth convex losses of a margin, by Newton's method, or by L-BFGS where there are many columns.

use nalgebra::DMatrix;

use crate::error::Result;
use crate::estimator::Reporter;
use crate::linalg::Cholesky;
use crate::linear::standard_rows::StandardRows;
use crate::solvers::lbfgs::{Slope, minimize};

/// Columns up to which the products of the columns are made in every step.
const WIDEST_NEWTON: usize = 1000;
/// Halvings of a step that does not descend.
const HALVINGS: usize = 40;
/// A step must bring this share of what the slope promises.
const ARMIJO: f64 = 1e-4;

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
            true => self.newton(op, point, &y, &mut done)?,
            false => minimize(point, |point| Ok(self.evaluate(point, &y)), &mut done)?.0,
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

    fn newton(
        &self,
        op: &'static str,
        point: Vec<f64>,
        y: &[f64],
        done: &mut impl FnMut(usize, &Slope) -> Result<bool>,
    ) -> Result<Slope> {
        let rows = self.rows;
        let d = rows.columns();
        let (value, gradient) = self.evaluate(&point, y);
        let mut at = Slope { point, value, gradient };
        for step in 0.. {
            if done(step, &at)? {
                break;
            }
            let margins = rows.margins(&at.point[..d], at.point[d]);
            let bend = |(row, margin): (usize, &f64)| rows.weights[row] * (self.loss)(*margin, y[row]).2;
            let bends: Vec<f64> = margins.iter().enumerate().map(bend).collect();
            let mut matrix = rows.gram(op, &bends)?;
            for (column, unit) in rows.unit().iter().enumerate() {
                matrix[(column, column)] += self.alpha * unit * unit;
            }
            // Constant columns and a missing intercept leave empty rows.
            let least = 1e-12 * (0..=d).map(|at| matrix[(at, at)]).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
            (0..=d).for_each(|at| matrix[(at, at)] += least);
            let right = DMatrix::from_column_slice(d + 1, 1, &at.gradient);
            let direction = Cholesky::factor_with_jitter(&matrix)?.solve(&right)?;
            let promised: f64 = direction.iter().zip(&at.gradient).map(|(a, b)| a * b).sum();
            let mut length = 1.0;
            let next = (0..HALVINGS).find_map(|_| {
                let point: Vec<f64> =
                    at.point.iter().zip(direction.iter()).map(|(at, step)| at - length * step).collect();
                let (value, gradient) = self.evaluate(&point, y);
                let next = Slope { point, value, gradient };
                // Near the minimum the value no longer tells, but the slope does.
                let better = value <= at.value - ARMIJO * length * promised
                    || (value <= at.value + 1e-14 * at.value.abs() && next.steepness() < at.steepness());
                length *= 0.5;
                (value.is_finite() && better).then_some(next)
            });
            let Some(next) = next else { break };
            at = next;
        }
        Ok(at)
    }
}
