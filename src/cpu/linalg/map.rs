//! What is done with each value of a vector, or of two.

use rayon::prelude::*;

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Map {
    /// a·x + b.
    Line(f32, f32),
    /// x, within two bounds, the lower one first.
    Clamp(f32, f32),
    /// x².
    Square,
    /// eˣ, held within 2⁻¹²⁶ and 2¹²⁷.
    Exponential,
}

/// A function of two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Combine {
    /// a·x + b·y.
    Sum(f32, f32),
    /// x·y.
    Product,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// x over y, or over this number where y is less.
    Quotient(f32),
}

/// Values of a task at least: 64 KiB.
const PER_TASK: usize = 1 << 14;

/// `y[i] = f(y[i])`.
pub fn map(function: Map, y: &mut [f32]) {
    match function {
        Map::Line(a, b) => each(y, |y| a * y + b),
        Map::Clamp(low, high) => each(y, |y| y.max(low).min(high)),
        Map::Square => each(y, |y| y * y),
        Map::Exponential => each(y, |y| y.clamp(-87.33, 88.02).exp()),
    }
}

/// `y[i] = f(x[i], y[i])`.
pub fn combine(function: Combine, x: &[f32], y: &mut [f32]) {
    match function {
        Combine::Sum(a, b) => both(x, y, |x, y| a * x + b * y),
        Combine::Product => both(x, y, |x, y| x * y),
        Combine::Minimum => both(x, y, f32::min),
        Combine::Maximum => both(x, y, f32::max),
        Combine::Quotient(floor) => both(x, y, |x, y| x / y.max(floor)),
    }
}

fn each(y: &mut [f32], f: impl Fn(f32) -> f32 + Sync) {
    y.par_chunks_mut(PER_TASK).for_each(|part| part.iter_mut().for_each(|y| *y = f(*y)));
}

fn both(x: &[f32], y: &mut [f32], f: impl Fn(f32, f32) -> f32 + Sync) {
    let parts = y.par_chunks_mut(PER_TASK).zip(x.par_chunks(PER_TASK));
    parts.for_each(|(y, x)| y.iter_mut().zip(x).for_each(|(y, x)| *y = f(*x, *y)));
}
