//! L-BFGS with an L1 penalty: steps stay in the orthant that the steepest descent points into (Andrew and Gao 2007).

use std::collections::VecDeque;

use super::lbfgs::{MEMORY, Slope, descent, dot};
use super::newton::{penalty, steepest};
use crate::error::Result;

/// A step must bring this share of what the slope promises.
const ARMIJO: f64 = 1e-4;
/// Halvings of a step at most.
const HALVINGS: usize = 30;

/// Descends from `start` until `done` says so of a point, its value with the penalty, and its subgradient of least norm;
/// false where no step descends any more. `l1` has a number for each coordinate.
pub(crate) fn minimize(
    start: Vec<f64>,
    l1: &[f64],
    mut evaluate: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>)>,
    mut done: impl FnMut(usize, &Slope) -> Result<bool>,
) -> Result<(Slope, bool)> {
    let mut stage = |point: Vec<f64>| -> Result<(Slope, Vec<f64>)> {
        let (value, smooth) = evaluate(&point)?;
        let gradient = steepest(&point, &smooth, l1);
        Ok((Slope { value: value + penalty(&point, l1), gradient, point }, smooth))
    };
    let (mut at, mut smooth) = stage(start)?;
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::with_capacity(MEMORY + 1);
    for iteration in 0.. {
        if done(iteration, &at)? {
            break;
        }
        let mut direction = descent(&memory, &at.gradient);
        let against = |(step, slope): (&mut f64, &f64)| {
            if *step * slope >= 0.0 {
                *step = 0.0;
            }
        };
        direction.iter_mut().zip(&at.gradient).for_each(against);
        if dot(&direction, &at.gradient) >= 0.0 {
            memory.clear();
            direction = at.gradient.iter().map(|slope| -slope).collect();
        }
        let first = if memory.is_empty() { (1.0 / at.steepness()).min(1.0) } else { 1.0 };
        let mut length = first;
        let mut found = None;
        for _ in 0..HALVINGS {
            let point: Vec<f64> = (0..direction.len()).map(|j| in_orthant(&at, j, length * direction[j])).collect();
            let moved: f64 =
                point.iter().zip(&at.point).zip(&at.gradient).map(|((to, from), slope)| (to - from) * slope).sum();
            let next = stage(point)?;
            if next.0.value <= at.value + ARMIJO * moved && next.0.value.is_finite() {
                found = Some(next);
                break;
            }
            length *= 0.5;
        }
        let Some((next, next_smooth)) = found else { return Ok((at, false)) };
        let step: Vec<f64> = next.point.iter().zip(&at.point).map(|(to, from)| to - from).collect();
        let change: Vec<f64> = next_smooth.iter().zip(&smooth).map(|(to, from)| to - from).collect();
        if dot(&step, &change) > f64::EPSILON * dot(&change, &change).sqrt() * dot(&step, &step).sqrt() {
            memory.push_back((step, change));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        (at, smooth) = (next, next_smooth);
    }
    Ok((at, true))
}

/// Coordinate `j` after a step; 0 where it would change its sign.
fn in_orthant(at: &Slope, j: usize, step: f64) -> f64 {
    let value = at.point[j];
    let sign = if value != 0.0 { value.signum() } else { -at.gradient[j].signum() };
    let moved = value + step;
    if moved * sign > 0.0 { moved } else { 0.0 }
}
