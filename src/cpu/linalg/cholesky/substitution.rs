//! Triangular systems with a large factor in f32 and right-hand sides in f64, on all cores.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Unknowns that are solved for at once, one after the other; the others follow on all cores.
const BLOCK: usize = 256;
/// Unknowns that one task brings up to date.
const PART: usize = 512;
const LANES: usize = 16;

/// `x ← L⁻¹·x`, L being what lies on the diagonal of the n×n values and below it. The bits do not depend on the number of threads.
pub(super) fn forward(values: &[f32], n: usize, x: &mut [f64]) {
    for first in (0..n).step_by(BLOCK) {
        let last = n.min(first + BLOCK);
        let (known, rest) = x[first..].split_at_mut(last - first);
        for at in 0..known.len() {
            let row = &values[(first + at) * n + first..][..=at];
            let sum = vectorised!(dot(&row[..at], &known[..at]));
            known[at] = (known[at] - sum) / f64::from(row[at]);
        }
        let known = &*known;
        rest.par_chunks_mut(PART).enumerate().for_each(|(part, rest)| {
            for (at, rest) in rest.iter_mut().enumerate() {
                let row = (last + part * PART + at) * n;
                *rest -= vectorised!(dot(&values[row + first..row + last], known));
            }
        });
    }
}

/// `x ← L⁻ᵀ·x`, as [`forward`].
pub(super) fn backward(values: &[f32], n: usize, x: &mut [f64]) {
    for first in (0..n).step_by(BLOCK).rev() {
        let last = n.min(first + BLOCK);
        let (before, known) = x[..last].split_at_mut(first);
        for at in (0..known.len()).rev() {
            let row = &values[(first + at) * n + first..][..=at];
            let value = known[at] / f64::from(row[at]);
            known[at] = value;
            vectorised!(subtract(&mut known[..at], &row[..at], value));
        }
        let known = &*known;
        before.par_chunks_mut(PART).enumerate().for_each(|(part, before)| {
            for (at, &value) in known.iter().enumerate() {
                let row = &values[(first + at) * n + part * PART..][..before.len()];
                vectorised!(subtract(before, row, value));
            }
        });
    }
}

#[inline(always)]
fn dot(row: &[f32], x: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (groups, rest) = row.as_chunks::<LANES>();
    let (left, right) = x.as_chunks::<LANES>();
    for (group, x) in groups.iter().zip(left) {
        for at in 0..LANES {
            lanes[at] += f64::from(group[at]) * x[at];
        }
    }
    let tail: f64 = rest.iter().zip(right).map(|(&value, &x)| f64::from(value) * x).sum();
    lanes.iter().sum::<f64>() + tail
}

#[inline(always)]
fn subtract(x: &mut [f64], row: &[f32], factor: f64) {
    x.iter_mut().zip(row).for_each(|(x, &value)| *x -= f64::from(value) * factor);
}
