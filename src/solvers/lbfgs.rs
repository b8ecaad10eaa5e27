//! L-BFGS: the minimum of a smooth function from its value and slope alone (Nocedal and Wright, *Numerical Optimization*,
//! §7.2), with a line search for the strong Wolfe conditions (§3.5).

use std::collections::VecDeque;

use crate::error::Result;

/// Steps that are remembered.
pub(super) const MEMORY: usize = 10;
/// A step must bring this share of what the slope promises, and leave at most that share of the slope.
pub(super) const ARMIJO: f64 = 1e-4;
pub(super) const CURVATURE: f64 = 0.9;
/// Trials of one line search.
pub(super) const TRIALS: usize = 20;

/// A point with its value and slope.
#[derive(Debug, Clone)]
pub(crate) struct Slope {
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
}

impl Slope {
    /// The largest component of the slope.
    pub(crate) fn steepness(&self) -> f64 {
        self.gradient.iter().fold(0.0, |most, value| most.max(value.abs()))
    }
}

/// Descends from `start` until `done` says so of a point; false where no step descends any more. `evaluate` gives value and
/// slope of a point.
pub(crate) fn minimize(
    start: Vec<f64>,
    mut evaluate: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    mut done: impl FnMut(usize, &Slope) -> Result<bool>,
) -> Result<(Slope, bool)> {
    let (value, gradient) = evaluate(&start)?;
    let mut at = Slope { point: start, value, gradient };
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::with_capacity(MEMORY + 1);
    for iteration in 0.. {
        if done(iteration, &at)? {
            break;
        }
        let mut direction = descent(&memory, &at.gradient);
        if dot(&direction, &at.gradient) >= 0.0 {
            memory.clear();
            direction = at.gradient.iter().map(|slope| -slope).collect();
        }
        let first = if memory.is_empty() { (1.0 / at.steepness()).min(1.0) } else { 1.0 };
        let Some(next) = search(&at, &direction, first, &mut evaluate)? else { return Ok((at, false)) };
        let step: Vec<f64> = next.point.iter().zip(&at.point).map(|(to, from)| to - from).collect();
        let change: Vec<f64> = next.gradient.iter().zip(&at.gradient).map(|(to, from)| to - from).collect();
        if dot(&step, &change) > f64::EPSILON * dot(&change, &change).sqrt() * dot(&step, &step).sqrt() {
            memory.push_back((step, change));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        at = next;
    }
    Ok((at, true))
}

/// −H·gradient by the remembered steps and changes of slope.
pub(super) fn descent(memory: &VecDeque<(Vec<f64>, Vec<f64>)>, gradient: &[f64]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for (step, change) in memory.iter().rev() {
        let share = dot(step, &direction) / dot(step, change);
        add(&mut direction, -share, change);
        shares.push(share);
    }
    if let Some((step, change)) = memory.back() {
        let scale = dot(step, change) / dot(change, change);
        direction.iter_mut().for_each(|value| *value *= scale);
    }
    for ((step, change), share) in memory.iter().zip(shares.into_iter().rev()) {
        let back = dot(change, &direction) / dot(step, change);
        add(&mut direction, share - back, step);
    }
    direction
}

/// A point along the direction that meets both conditions, by doubling and then halving; the best of the trials that
/// descend where none meets both.
fn search(
    at: &Slope,
    direction: &[f64],
    first: f64,
    evaluate: &mut impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
) -> Result<Option<Slope>> {
    let slope = dot(direction, &at.gradient);
    let (mut low, mut high, mut length) = (0.0, f64::INFINITY, first);
    let mut best: Option<Slope> = None;
    for _ in 0..TRIALS {
        let mut point = at.point.clone();
        add(&mut point, length, direction);
        let (value, gradient) = evaluate(&point)?;
        let along = dot(direction, &gradient);
        let descends = value.is_finite() && value <= at.value + ARMIJO * length * slope;
        let flat = along.abs() <= CURVATURE * slope.abs();
        if descends && best.as_ref().is_none_or(|best| value < best.value) {
            best = Some(Slope { point, value, gradient });
        }
        match (descends, flat) {
            (true, true) => break,
            (true, false) if along < 0.0 => low = length,
            _ => high = length,
        }
        length = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * length };
    }
    Ok(best)
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sum: &mut [f64], factor: f64, values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}
