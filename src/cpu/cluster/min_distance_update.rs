//! One step of greedy k-means++: what each candidate would leave of the distances to the nearest centre.

use rayon::prelude::*;

use crate::cpu::tile::{Operand, SquaredDifference, product, with_buffer};
use crate::cpu::vectorised;

/// Rows whose potential is summed in one block; the host adds the blocks in index order.
pub const POTENTIAL_ROWS: usize = 4096;
/// Sums carried side by side, on every processor the same, so that the bits are the same too.
const LANES: usize = 16;

/// `out[j·n + i] = min(closest[i], Σ (x[i] − candidates[j])²)`, and its weighted sums over blocks of 4096 rows.
///
/// `x` is `n×d`, `candidates` `t×d`, `out` `t×n`, `potentials` `t×⌈n/4096⌉`; `closest` holds the squared distances to
/// the nearest centre so far, `f32::MAX` if there is none. The distances are those of `assign`. Costs `t·n·d` steps;
/// the same bits with any number of threads.
#[allow(clippy::too_many_arguments)]
pub fn min_distance_update(
    x: &[f32],
    n: usize,
    d: usize,
    candidates: &[f32],
    closest: &[f32],
    weights: Option<&[f32]>,
    out: &mut [f32],
    potentials: &mut [f64],
) {
    let blocks = n.div_ceil(POTENTIAL_ROWS);
    let t = potentials.len().checked_div(blocks).unwrap_or(0);
    debug_assert!(x.len() == n * d && closest.len() == n && weights.is_none_or(|weights| weights.len() == n));
    debug_assert!(candidates.len() == t * d || n == 0);
    debug_assert!(out.len() == t * n && potentials.len() == t * blocks);
    if t == 0 {
        return;
    }
    let mut tasks: Vec<Vec<(&mut [f32], &mut f64)>> = Vec::new();
    tasks.resize_with(blocks, || Vec::with_capacity(t));
    for (out, potentials) in out.chunks_exact_mut(n).zip(potentials.chunks_exact_mut(blocks)) {
        for (task, piece) in tasks.iter_mut().zip(out.chunks_mut(POTENTIAL_ROWS).zip(potentials)) {
            task.push(piece);
        }
    }
    tasks.into_par_iter().enumerate().for_each(|(block, pieces)| {
        let start = block * POTENTIAL_ROWS;
        let end = n.min(start + POTENTIAL_ROWS);
        let rows = end - start;
        with_buffer(t * rows, |distances| {
            let x = Operand::from_rows(&x[start * d..end * d], rows, d);
            product(SquaredDifference, Operand::from_rows(candidates, t, d), x, 1.0, 0.0, distances, rows);
            for ((out, potential), distances) in pieces.into_iter().zip(distances.chunks_exact(rows)) {
                let weights = weights.map(|weights| &weights[start..end]);
                *potential = vectorised!(update_block(distances, &closest[start..end], weights, out));
            }
        });
    });
}

/// One candidate's minima over one block of rows, and their weighted sum.
// pulp has no f32 to f64 conversion; over an array of lanes the compiler finds the processor's own.
#[inline(always)]
fn update_block(distances: &[f32], closest: &[f32], weights: Option<&[f32]>, out: &mut [f32]) -> f64 {
    for ((out, &distance), &closest) in out.iter_mut().zip(distances).zip(closest) {
        *out = if distance < closest { distance } else { closest };
    }
    let mut lanes = [0.0_f64; LANES];
    let Some(weights) = weights else {
        for group in out.chunks(LANES) {
            lanes.iter_mut().zip(group).for_each(|(lane, &value)| *lane += f64::from(value));
        }
        return lanes.iter().sum();
    };
    for (group, weights) in out.chunks(LANES).zip(weights.chunks(LANES)) {
        for ((lane, &value), &weight) in lanes.iter_mut().zip(group).zip(weights) {
            *lane += f64::from(weight) * f64::from(value);
        }
    }
    lanes.iter().sum()
}
