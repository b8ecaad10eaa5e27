//! Losses and penalties with corners, by smoothing them less and less (Madsen and Nielsen, *A finite smoothing algorithm for
//! linear ℓ₁ estimation*, 1993).
//!
//! |r| becomes r²/(2δ) + δ/2 where |r| < δ. What is left is quadratic in pieces, and Newton's method with an exact search
//! along its direction ends after a few steps: as δ falls, fewer rows are in the curved piece, and a step costs less.

use nalgebra::DMatrix;

use crate::error::Result;
use crate::estimator::Reporter;
use crate::linalg::Cholesky;
use crate::linear::standard_rows::StandardRows;

/// What δ is divided by from one stage to the next, and the smallest, as a share of the first.
const FALL: f64 = 8.0;
const STAGES: usize = 12;
/// Halvings of a search.
const HALVINGS: usize = 60;
/// A stage ends when a step gains less than this share of the objective.
const SETTLED: f64 = 1e-13;

/// `Σ weight·(squared·r² + absolute·(|r|/2 + (quantile − ½)·r)) + l1·‖coef‖₁ + l2·‖coef‖²`, the weights adding up to 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cornered {
    pub(super) squared: f64,
    pub(super) absolute: f64,
    pub(super) quantile: f64,
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) tol: f64,
    pub(super) max_iter: usize,
}

/// Coefficients of one output and how they were found.
pub(super) struct Found {
    pub(super) coef: Vec<f64>,
    pub(super) intercept: f64,
    pub(super) objective: f64,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// |r| smoothed, its slope and curvature.
fn smooth(r: f64, delta: f64) -> (f64, f64, f64) {
    match r.abs() < delta {
        true => (0.5 * (r * r / delta + delta), r / delta, 1.0 / delta),
        false => (r.abs(), r.signum(), 0.0),
    }
}

/// Where the descent is: coefficients in units of the deviations, the constant, and the residual of every row.
struct Place {
    v: Vec<f64>,
    constant: f64,
    residual: Vec<f64>,
}

impl Cornered {
    pub(super) fn fit(
        &self,
        op: &'static str,
        rows: &StandardRows<'_>,
        output: usize,
        reporter: &mut Reporter<'_>,
    ) -> Result<Found> {
        let y: Vec<f64> = rows.y.column(output).into_iter().map(f64::from).collect();
        let constant = if rows.intercept() { y.iter().zip(&rows.weights).map(|(y, w)| y * w).sum() } else { 0.0 };
        let mut place = Place { v: vec![0.0; rows.columns()], constant, residual: vec![0.0; y.len()] };
        place.residual = y.iter().map(|y| y - constant).collect();
        let size = place.residual.iter().zip(&rows.weights).map(|(r, w)| r.abs() * w).sum::<f64>();
        let first = if size > 0.0 { size } else { 1.0 };
        let (mut delta, mut iterations, mut converged) = (first, 0, false);
        let mut before = f64::INFINITY;
        for stage in 0..STAGES {
            while iterations < self.max_iter {
                iterations += 1;
                let gain = self.step(op, rows, &y, &mut place, delta)?;
                if gain <= SETTLED * self.objective(rows, &place, 0.0).abs() {
                    break;
                }
            }
            let now = self.objective(rows, &place, 0.0);
            let done = (stage + 1) as f64 / STAGES as f64;
            let ended = reporter.report(iterations, Some(now), done)?;
            // |r| and its smooth neighbour differ by δ/2 at most, so the rest is at most that much.
            let left = 0.5 * delta * (0.5 * self.absolute) + self.l1 * self.smallest_unit(rows) * 0.5 * delta;
            converged = left <= self.tol * now.abs() || (before - now).abs() <= 0.1 * self.tol * now.abs() && stage > 3;
            if converged || ended || iterations >= self.max_iter {
                break;
            }
            before = now;
            delta /= FALL;
        }
        self.clear_rounding(rows, &y, &mut place, delta);
        let objective = self.objective(rows, &place, 0.0);
        let (coef, intercept) = rows.plane(&place.v, place.constant);
        Ok(Found { coef, intercept, objective, iterations, converged })
    }

    /// Coefficients are smoothed by δ too, in units in which they change a row by about as much.
    fn smallest_unit(&self, rows: &StandardRows<'_>) -> f64 {
        rows.unit().iter().sum()
    }

    fn objective(&self, rows: &StandardRows<'_>, place: &Place, delta: f64) -> f64 {
        let row = |(r, w): (&f64, &f64)| {
            let size = smooth(*r, delta).0;
            w * (self.squared * r * r + self.absolute * (0.5 * size + (self.quantile - 0.5) * r))
        };
        let penalty = |(v, unit): (&f64, &f64)| self.l1 * unit * smooth(*v, delta).0 + self.l2 * (v * unit).powi(2);
        let penalties: f64 = place.v.iter().zip(rows.unit()).map(penalty).sum();
        place.residual.iter().zip(&rows.weights).map(row).sum::<f64>() + penalties
    }

    /// One step of Newton's method on the smoothed objective; returns by how much that fell.
    fn step(&self, op: &'static str, rows: &StandardRows<'_>, y: &[f64], place: &mut Place, delta: f64) -> Result<f64> {
        let d = rows.columns();
        let pull = |(r, w): (&f64, &f64)| {
            w * (2.0 * self.squared * r + self.absolute * (0.5 * smooth(*r, delta).1 + self.quantile - 0.5))
        };
        let bend = |(r, w): (&f64, &f64)| w * (2.0 * self.squared + 0.5 * self.absolute * smooth(*r, delta).2);
        let pulls: Vec<f64> = place.residual.iter().zip(&rows.weights).map(pull).collect();
        let bends: Vec<f64> = place.residual.iter().zip(&rows.weights).map(bend).collect();
        let (mut right, sum) = rows.transposed(&pulls);
        let mut matrix = rows.gram(op, &bends)?;
        for (at, unit) in rows.unit().iter().enumerate() {
            let (_, slope, curvature) = smooth(place.v[at], delta);
            right[at] -= self.l1 * unit * slope + 2.0 * self.l2 * unit * unit * place.v[at];
            matrix[(at, at)] += self.l1 * unit * curvature + 2.0 * self.l2 * unit * unit;
        }
        right.push(if rows.intercept() { sum } else { 0.0 });
        // Where few rows are in the curved piece the matrix has no inverse. A little of the identity, below what one row adds,
        // turns the step uphill nowhere, and the search finds its length.
        let one_row = (2.0 * self.squared + 0.5 * self.absolute / delta) / rows.rows() as f64;
        let least = 1e-3 * one_row;
        (0..=d).for_each(|at| matrix[(at, at)] += least);
        let direction = Cholesky::factor_with_jitter(&matrix)?.solve(&DMatrix::from_column_slice(d + 1, 1, &right))?;
        let direction = direction.as_slice();
        let along = rows.margins(&direction[..d], direction[d]);
        let before = self.objective(rows, place, delta);
        let length = self.search(rows, place, (&direction[..d], &along), delta);
        place.v.iter_mut().zip(direction).for_each(|(v, step)| *v += length * step);
        place.constant += length * direction[d];
        // Afresh, so that rounding does not add up.
        let margins = rows.margins(&place.v, place.constant);
        place.residual = y.iter().zip(margins).map(|(y, margin)| y - margin).collect();
        Ok(before - self.objective(rows, place, delta))
    }

    /// How far to go: where the slope along the direction is 0. It never falls along the way, so halving finds the place.
    fn search(&self, rows: &StandardRows<'_>, place: &Place, (direction, along): (&[f64], &[f64]), delta: f64) -> f64 {
        let slope = |length: f64| {
            let row = |((r, w), along): ((&f64, &f64), &f64)| {
                let r = r - length * along;
                -along * w * (2.0 * self.squared * r + self.absolute * (0.5 * smooth(r, delta).1 + self.quantile - 0.5))
            };
            let penalty = |((v, unit), step): ((&f64, &f64), &f64)| {
                let v = v + length * step;
                step * (self.l1 * unit * smooth(v, delta).1 + 2.0 * self.l2 * unit * unit * v)
            };
            let rows_slope: f64 = place.residual.iter().zip(&rows.weights).zip(along).map(row).sum();
            rows_slope + place.v.iter().zip(rows.unit()).zip(direction).map(penalty).sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 1.0);
        while slope(high) < 0.0 && high < 1e12 {
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high || high - low <= 1e-12 * high {
                break;
            }
            *(if slope(middle) < 0.0 { &mut low } else { &mut high }) = middle;
        }
        0.5 * (low + high)
    }

    /// A coefficient inside the smoothed piece is 0 at the solution; it is made so where that does no harm.
    fn clear_rounding(&self, rows: &StandardRows<'_>, y: &[f64], place: &mut Place, delta: f64) {
        if self.l1 == 0.0 {
            return;
        }
        let v = place.v.iter().map(|value| if value.abs() < delta { 0.0 } else { *value }).collect();
        let mut cleared = Place { v, constant: place.constant, residual: vec![] };
        let margins = rows.margins(&cleared.v, cleared.constant);
        cleared.residual = y.iter().zip(margins).map(|(y, margin)| y - margin).collect();
        let before = self.objective(rows, place, 0.0);
        if self.objective(rows, &cleared, 0.0) <= before * (1.0 + 0.1 * self.tol) {
            *place = cleared;
        }
    }
}
