//! The sum of a vector.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Numbers added up by one set of lanes; the blocks' sums are added in index order.
const BLOCK: usize = 4096;
/// Sums carried side by side, on every processor the same, so that the bits are the same too.
const LANES: usize = 16;
/// Blocks a task takes at least: 256 KiB, some 15 µs of reading.
const BLOCKS_PER_TASK: usize = 16;

/// `Σ x[i]` in f64, to the same bits with any number of threads. Runs as fast as memory can be read.
pub fn sum(x: &[f32]) -> f64 {
    let block_sum = |x: &[f32]| vectorised!(add_lanes(x));
    if x.len() <= 2 * BLOCKS_PER_TASK * BLOCK {
        return x.chunks(BLOCK).map(block_sum).sum();
    }
    let blocks: Vec<f64> = x.par_chunks(BLOCK).with_min_len(BLOCKS_PER_TASK).map(block_sum).collect();
    blocks.iter().sum()
}

// pulp has no f32 to f64 conversion; over an array of lanes the compiler finds the processor's own.
#[inline(always)]
fn add_lanes(x: &[f32]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (groups, rest) = x.as_chunks::<LANES>();
    for group in groups {
        for (lane, &value) in lanes.iter_mut().zip(group) {
            *lane += f64::from(value);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += f64::from(value);
    }
    lanes.iter().sum()
}
