//! The leading principal directions of a matrix, by orthogonal iteration on the scatter of a sample.

use crate::cpu::linalg::syrk::syrk;
use crate::cpu::tile::{Dot, Operand, product};

/// Rows whose scatter is taken.
const SAMPLE: usize = 6144;
/// Rounds of the iteration, each of two products: the directions need only be good, not exact.
const ROUNDS: usize = 4;
/// A vector whose length falls to this share when the earlier ones are taken out of it has nothing new.
const VANISHED: f64 = 1e-5;

/// A centre and orthonormal rows, the leading ones first.
pub(super) struct Directions {
    /// `d` numbers.
    pub(super) center: Vec<f32>,
    /// `count×d`, orthonormal to the rounding of f32.
    pub(super) rows: Vec<f32>,
    pub(super) count: usize,
}

/// At most `wanted` directions along which `rows`, `m×d`, vary most; fewer if they vary along fewer.
pub(super) fn directions(rows: &[f32], m: usize, d: usize, wanted: usize) -> Directions {
    let sample = sample_rows(rows, m, d, SAMPLE);
    let count = sample.len() / d;
    let mut sums = vec![0.0_f64; d];
    for row in sample.chunks_exact(d) {
        sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    let center: Vec<f32> = sums.into_iter().map(|sum| (sum / count as f64) as f32).collect();
    let mut scatter = vec![0.0_f64; d * d];
    syrk(&sample, count, d, None, Some(&center), &mut scatter);
    let largest = scatter.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return Directions { center, rows: Vec::new(), count: 0 };
    }
    // Scaled, so that two products in a row stay inside f32.
    let scatter: Vec<f32> = scatter.into_iter().map(|value| (value / largest) as f32).collect();
    let mut basis = signs(wanted.min(d), d);
    for _ in 0..ROUNDS {
        let images = multiply(&multiply(&basis, &scatter, d), &scatter, d);
        basis = orthonormalise(&images, d).into_iter().map(|value| value as f32).collect();
    }
    Directions { center, count: basis.len() / d, rows: basis }
}

/// Up to `count` rows, evenly spread.
pub(super) fn sample_rows(rows: &[f32], m: usize, d: usize, count: usize) -> Vec<f32> {
    let count = count.min(m);
    (0..count).flat_map(|index| rows[index * m / count * d..][..d].iter().copied()).collect()
}

/// Rows of ±1 that look random: a start that no direction is orthogonal to.
fn signs(count: usize, d: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if state >> 63 == 0 { 1.0 } else { -1.0 }
    };
    (0..count * d).map(|_| next()).collect()
}

/// Every row of `basis` times the symmetric `d×d` matrix, each of them then scaled to a largest entry of 1.
fn multiply(basis: &[f32], matrix: &[f32], d: usize) -> Vec<f32> {
    let mut out = vec![0.0; basis.len()];
    let (basis, matrix) = (Operand::from_rows(basis, basis.len() / d, d), Operand::from_rows(matrix, d, d));
    product(Dot, basis, matrix, 1.0, 0.0, &mut out, d);
    for row in out.chunks_exact_mut(d) {
        let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        if largest > 0.0 {
            row.iter_mut().for_each(|value| *value /= largest);
        }
    }
    out
}

/// The rows in f64 made orthonormal from the first on; those that the earlier ones span are dropped.
fn orthonormalise(rows: &[f32], d: usize) -> Vec<f64> {
    let mut basis: Vec<f64> = Vec::with_capacity(rows.len());
    for row in rows.chunks_exact(d) {
        let mut vector: Vec<f64> = row.iter().map(|&value| f64::from(value)).collect();
        let before = dot(&vector, &vector).sqrt();
        // Twice is enough: the second pass takes out what rounding left in the first.
        for _ in 0..2 {
            for earlier in basis.chunks_exact(d) {
                let share = dot(&vector, earlier);
                vector.iter_mut().zip(earlier).for_each(|(value, &earlier)| *value -= share * earlier);
            }
        }
        let after = dot(&vector, &vector).sqrt();
        if after > VANISHED * before {
            basis.extend(vector.iter().map(|value| value / after));
        }
    }
    basis
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let ((a_groups, a_rest), (b_groups, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a_groups.iter().zip(b_groups) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(lane, (a, b))| *lane += a * b);
    }
    lanes.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}
