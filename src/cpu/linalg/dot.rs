//! The product of two vectors.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Numbers added up by one set of lanes; the blocks' sums are added in index order.
const BLOCK: usize = 4096;
/// Sums carried side by side, on every processor the same, so that the bits are the same too.
const LANES: usize = 16;

/// `Σ x[i]·y[i]` in f64, to the same bits with any number of threads.
pub fn dot(x: &[f32], y: &[f32]) -> f64 {
    let blocks = x.par_chunks(BLOCK).zip(y.par_chunks(BLOCK)).with_min_len(16);
    let sums: Vec<f64> = blocks.map(|(x, y)| vectorised!(dot_lanes(x, y))).collect();
    sums.iter().sum()
}

#[inline(always)]
fn dot_lanes(x: &[f32], y: &[f32]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (x_groups, x_rest) = x.as_chunks::<LANES>();
    let (y_groups, y_rest) = y.as_chunks::<LANES>();
    for (x, y) in x_groups.iter().zip(y_groups) {
        for (lane, (&x, &y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += f64::from(x) * f64::from(y);
        }
    }
    for (lane, (&x, &y)) in lanes.iter_mut().zip(x_rest.iter().zip(y_rest)) {
        *lane += f64::from(x) * f64::from(y);
    }
    lanes.iter().sum()
}
