//! Newton's method for a smooth convex function plus an L1 penalty: the step minimises the quadratic model, by Cholesky
//! without the penalty and by coordinate descent with it (Lee, Sun and Saunders 2014).

use nalgebra::{DMatrix, DVector};

use super::lbfgs::Slope;
use crate::error::Result;
use crate::linalg::Cholesky;

/// A step must bring this share of what the model promises.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step at most.
const HALVINGS: usize = 30;
/// A Hessian that was taken elsewhere is kept while each step leaves at most this share of the slope.
const CONTRACTION: f64 = 0.3;
/// Sweeps of coordinate descent at most.
const SWEEPS: usize = 1000;

/// A function with two derivatives.
pub(crate) trait Curved {
    /// Value and gradient at a point.
    fn value_gradient(&mut self, point: &[f64]) -> Result<(f64, Vec<f64>)>;
    /// The second derivatives at a point, positive semi-definite.
    fn hessian(&mut self, point: &[f64]) -> Result<DMatrix<f64>>;
    /// What rounding may change of a value, as a share of it.
    fn noise(&self) -> f64 {
        1e-13
    }
}

/// A point with its value, penalty included, the slope of the smooth part, and the largest component of the steepest
/// descent.
#[derive(Debug, Clone)]
pub(crate) struct Stage {
    pub(crate) at: Slope,
    pub(crate) steepness: f64,
}

impl Stage {
    fn new(objective: &mut impl Curved, point: Vec<f64>, l1: &[f64]) -> Result<Stage> {
        let (smooth, gradient) = objective.value_gradient(&point)?;
        let value = smooth + penalty(&point, l1);
        let steepness = steepest(&point, &gradient, l1).iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
        Ok(Stage { at: Slope { point, value, gradient }, steepness })
    }
}

/// Σ l1·|point|; `l1` may be empty.
pub(crate) fn penalty(point: &[f64], l1: &[f64]) -> f64 {
    point.iter().zip(l1).map(|(value, l1)| l1 * value.abs()).sum()
}

/// The subgradient of least norm.
pub(crate) fn steepest(point: &[f64], gradient: &[f64], l1: &[f64]) -> Vec<f64> {
    let own = |at: usize| {
        let (value, slope, l1) = (point[at], gradient[at], l1.get(at).copied().unwrap_or(0.0));
        match value == 0.0 {
            true => slope.signum() * (slope.abs() - l1).max(0.0),
            false => slope + l1 * value.signum(),
        }
    };
    (0..point.len()).map(own).collect()
}

/// Descends from `start` until `done` says so of a stage; false where no step descends any more.
///
/// `l1` has a number for each coordinate, or none at all. `kept` is a Hessian from elsewhere (such as of a sample of the
/// rows), used as long as it serves; without one each step takes its own.
pub(crate) fn minimize(
    objective: &mut impl Curved,
    start: Vec<f64>,
    l1: &[f64],
    mut kept: Option<DMatrix<f64>>,
    mut done: impl FnMut(usize, &Stage) -> Result<bool>,
) -> Result<(Stage, bool)> {
    let mut stage = Stage::new(objective, start, l1)?;
    let mut factor: Option<Cholesky> = None;
    for iteration in 0.. {
        if done(iteration, &stage)? {
            break;
        }
        let own = kept.is_none();
        let hessian = match &kept {
            Some(hessian) => hessian.clone(),
            None => objective.hessian(&stage.at.point)?,
        };
        if own || factor.is_none() {
            factor = l1.is_empty().then(|| factored(&hessian)).transpose()?;
        }
        let step = match &factor {
            Some(factor) => {
                let slope = DVector::from_column_slice(&stage.at.gradient);
                factor.solve_vector(&slope)?.iter().map(|value| -value).collect()
            }
            None => descend_coordinates(&hessian, &stage.at, l1),
        };
        match search(objective, &stage.at, &step, l1)? {
            Some(next) => {
                // A Hessian that no longer serves is taken anew from here on.
                if next.steepness > CONTRACTION * stage.steepness {
                    kept = None;
                }
                stage = next;
            }
            None if own => return Ok((stage, false)),
            None => kept = None,
        }
    }
    Ok((stage, true))
}

/// With what it takes to be definite.
fn factored(hessian: &DMatrix<f64>) -> Result<Cholesky> {
    Cholesky::factor(hessian).or_else(|_| Cholesky::factor_with_jitter(hessian))
}

/// The longest of step, step/2, … that brings enough.
fn search(objective: &mut impl Curved, at: &Slope, step: &[f64], l1: &[f64]) -> Result<Option<Stage>> {
    let along: f64 = step.iter().zip(&at.gradient).map(|(step, slope)| step * slope).sum();
    let moved =
        |length: f64| -> Vec<f64> { at.point.iter().zip(step).map(|(from, step)| from + length * step).collect() };
    let promised = along + penalty(&moved(1.0), l1) - penalty(&at.point, l1);
    if promised >= 0.0 || !promised.is_finite() {
        return Ok(None);
    }
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let next = Stage::new(objective, moved(length), l1)?;
        // Where the promise is below what rounding leaves of the value, a smaller slope is as good.
        let noise = objective.noise() * at.value.abs();
        let enough = next.at.value <= at.value + ARMIJO * length * promised;
        let settled = length * promised.abs() <= 1e3 * noise && next.at.value <= at.value + noise;
        if enough || settled {
            return Ok(Some(next));
        }
        length *= 0.5;
    }
    Ok(None)
}

/// argmin over δ of gᵀδ + ½δᵀHδ + Σ l1·|point + δ|.
fn descend_coordinates(hessian: &DMatrix<f64>, at: &Slope, l1: &[f64]) -> Vec<f64> {
    let size = at.point.len();
    let mut step = vec![0.0; size];
    let mut slope = at.gradient.clone();
    let mut active: Vec<usize> = (0..size).collect();
    let mut whole = true;
    let mut first = 0.0;
    for sweep in 0..SWEEPS {
        let mut largest = 0.0_f64;
        for &j in &active {
            let curve = hessian[(j, j)];
            if curve <= 0.0 {
                continue;
            }
            let now = at.point[j] + step[j];
            let target = now - slope[j] / curve;
            let next = target.signum() * (target.abs() - l1[j] / curve).max(0.0);
            let change = next - now;
            if change != 0.0 {
                step[j] += change;
                slope.iter_mut().zip(hessian.column(j).iter()).for_each(|(slope, curve)| *slope += change * curve);
                largest = largest.max(change.abs() * curve.sqrt());
            }
        }
        if sweep == 0 {
            first = largest;
        }
        let settled = largest <= 1e-10 * first.max(1e-30);
        if settled && whole {
            break;
        }
        // Between sweeps over all coordinates only those that are not zero move.
        whole = settled;
        active = (0..size).filter(|j| whole || at.point[*j] + step[*j] != 0.0).collect();
    }
    step
}
