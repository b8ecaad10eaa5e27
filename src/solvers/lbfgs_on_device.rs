//! L-BFGS whose vectors stay on the device. All vectors are rows of one matrix; the direction is a sum of rows, and which sum
//! follows from the products of the rows with each other, a small matrix that is read back once an evaluation (Chen and
//! others, *Large-scale L-BFGS using MapReduce*, 2014).

use crate::array::{DeviceMatrix, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::ops::linalg::map::{Combine, combine_matrices};
use crate::ops::{Layout, gemm};
use crate::solvers::lbfgs::{ARMIJO, CURVATURE, MEMORY, TRIALS};

/// Rows of the matrix: steps, changes of slope, two slopes that take turns, the factors of the value's two terms.
const CHANGE: usize = MEMORY;
const SLOPE: usize = 2 * MEMORY;
const TERM: usize = SLOPE + 2;
const ROWS: usize = TERM + 4;
/// Share of the value that its rounding in f32 may move it by.
const NOISE: f64 = 2e-7;

/// A function of 1×p points on a device, p a multiple of four.
pub(crate) trait DeviceObjective {
    /// Slope and value of a point, recorded and not waited for.
    fn evaluate(&mut self, stream: &mut Stream, point: &DeviceMatrix) -> Result<DeviceSlope>;
}

/// The slope at a point, and the value as a sum of two factors times a product of rows.
pub(crate) struct DeviceSlope {
    pub(crate) gradient: DeviceMatrix,
    pub(crate) terms: [(f64, DeviceMatrix, DeviceMatrix); 2],
}

/// Where a descent is: what `done` looks at.
pub(crate) struct Standing<'a> {
    pub(crate) iteration: usize,
    pub(crate) value: f64,
    /// |gradient|, Euclidean.
    pub(crate) norm: f64,
    rows: &'a DeviceMatrix,
    slope: usize,
}

impl Standing<'_> {
    /// The gradient on the host: a wait.
    pub(crate) fn gradient(&self, stream: &mut Stream) -> Result<Vec<f64>> {
        let row = self.rows.rows_at(stream, &[SLOPE + self.slope])?;
        Ok(row.as_slice().iter().copied().map(f64::from).collect())
    }
}

/// Descends from `start` (1×p) until `done` says so, or no step descends any more. Returns the point. An evaluation waits once.
pub(crate) fn minimize(
    stream: &mut Stream,
    start: DeviceMatrix,
    objective: &mut impl DeviceObjective,
    mut done: impl FnMut(&mut Stream, Standing<'_>) -> Result<bool>,
) -> Result<DeviceMatrix> {
    let width = start.columns();
    let mut rows = Matrix::zeros(ROWS, width)?.to(start.device())?;
    let mut point = start;
    let found = objective.evaluate(stream, &point)?;
    rows.put(stream, SLOPE..SLOPE + 1, &found.gradient, 0..1)?;
    let mut products = Products::of(stream, &mut rows, &found)?;
    let mut value = products.value(&found);
    // Places of remembered pairs, oldest first, and of the present slope.
    let (mut pairs, mut slope): (Vec<usize>, usize) = (vec![], 0);
    for iteration in 0.. {
        let steepness = products.at(SLOPE + slope, SLOPE + slope).max(0.0).sqrt();
        if done(stream, Standing { iteration, value, norm: steepness, rows: &rows, slope })? {
            break;
        }
        let mut shares = products.descent(&pairs, SLOPE + slope);
        if products.along(&shares, SLOPE + slope) >= 0.0 {
            pairs.clear();
            shares = products.descent(&pairs, SLOPE + slope);
        }
        let promised = products.along(&shares, SLOPE + slope);
        let shares: Vec<f32> = shares.iter().map(|share| *share as f32).collect();
        let shares = Matrix::from_vec(1, ROWS, shares)?.to(point.device())?;
        let direction = gemm(stream, Layout::NN, &shares, &rows)?;
        if pairs.len() == MEMORY {
            pairs.remove(0);
        }
        let place = (0..MEMORY).find(|place| !pairs.contains(place)).unwrap_or(0);
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut length = if pairs.is_empty() { (1.0 / steepness).min(1.0) } else { 1.0 };
        let (mut accepted, mut best) = (None, None);
        for trial in 0..=TRIALS {
            // After the last trial the best one is made again.
            if trial == TRIALS {
                match best {
                    Some((_, at)) => length = at,
                    None => break,
                }
            }
            let mut step = direction.reshaped(stream, width)?;
            combine_matrices(stream, Combine::Sum(0.0, length as f32), &direction, &mut step)?;
            let mut next = step.reshaped(stream, width)?;
            combine_matrices(stream, Combine::Sum(1.0, 1.0), &point, &mut next)?;
            let found = objective.evaluate(stream, &next)?;
            let mut change = rows.range(stream, SLOPE + slope..SLOPE + slope + 1)?;
            combine_matrices(stream, Combine::Sum(1.0, -1.0), &found.gradient, &mut change)?;
            rows.put(stream, place..place + 1, &step, 0..1)?;
            rows.put(stream, CHANGE + place..CHANGE + place + 1, &change, 0..1)?;
            let other = SLOPE + 1 - slope;
            rows.put(stream, other..other + 1, &found.gradient, 0..1)?;
            products = Products::of(stream, &mut rows, &found)?;
            let reached = products.value(&found);
            let along = products.at(place, other) / length;
            let descends = reached <= value + ARMIJO * length * promised + NOISE * value.abs();
            if descends && best.is_none_or(|(lowest, _)| reached < lowest) {
                best = Some((reached, length));
            }
            if trial == TRIALS || (descends && along.abs() <= CURVATURE * promised.abs()) {
                accepted = Some((next, reached));
                break;
            }
            if descends && along < 0.0 {
                low = length
            } else {
                high = length
            }
            length = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * length };
        }
        let Some((next, reached)) = accepted else { break };
        (point, value, slope) = (next, reached, 1 - slope);
        let (step, change) = (place, CHANGE + place);
        let scale = (products.at(step, step) * products.at(change, change)).sqrt();
        if products.at(step, change) > f64::from(f32::EPSILON) * scale {
            pairs.push(place);
        }
    }
    Ok(point)
}

/// The products of all rows with each other.
struct Products(Matrix);

impl Products {
    /// Puts the factors of the terms into the rows and waits for the products.
    fn of(stream: &mut Stream, rows: &mut DeviceMatrix, found: &DeviceSlope) -> Result<Products> {
        for (at, (_, left, right)) in found.terms.iter().enumerate() {
            for (side, factor) in [left, right].into_iter().enumerate() {
                let row = TERM + 2 * at + side;
                rows.put(stream, row..row + 1, factor, 0..factor.rows())?;
            }
        }
        Ok(Products(gemm(stream, Layout::NT, rows, rows)?.to_matrix(stream)?))
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        f64::from(self.0.get(row, column))
    }

    fn value(&self, found: &DeviceSlope) -> f64 {
        let term = |at: usize| found.terms[at].0 * self.at(TERM + 2 * at, TERM + 2 * at + 1);
        term(0) + term(1)
    }

    /// The product of a sum of rows with a row.
    fn along(&self, shares: &[f64], row: usize) -> f64 {
        shares.iter().enumerate().map(|(at, share)| share * self.at(at, row)).sum()
    }

    /// −H·slope as a sum of rows: the two loops of L-BFGS on shares.
    fn descent(&self, pairs: &[usize], slope: usize) -> Vec<f64> {
        let mut shares = vec![0.0; ROWS];
        shares[slope] = -1.0;
        let mut taken = Vec::with_capacity(pairs.len());
        for &pair in pairs.iter().rev() {
            let share = self.along(&shares, pair) / self.at(pair, CHANGE + pair);
            shares[CHANGE + pair] -= share;
            taken.push(share);
        }
        if let Some(&pair) = pairs.last() {
            let scale = self.at(pair, CHANGE + pair) / self.at(CHANGE + pair, CHANGE + pair);
            shares.iter_mut().for_each(|share| *share *= scale);
        }
        for (&pair, share) in pairs.iter().zip(taken.into_iter().rev()) {
            let back = self.along(&shares, CHANGE + pair) / self.at(pair, CHANGE + pair);
            shares[pair] += share - back;
        }
        shares
    }
}
