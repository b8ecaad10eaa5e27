//! The sums that move the centres: what the rows of each cluster differ from its present centre by.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Rows in a block at least; the cut follows from the shape alone, not from the threads.
const BLOCK_ROWS: usize = 4096;
/// Blocks at most: enough for many cores, few enough to be added up in no time.
const MOST_BLOCKS: usize = 64;
/// Numbers in all blocks' sums together, 16 MiB, unless one block alone needs more.
const PARTIAL_NUMBERS: usize = 1 << 21;
/// Columns in a task when there are too few blocks for the threads.
const STRIP: usize = 64;
/// Sums that a task merges at least.
const MERGED_AT_ONCE: usize = 1024;
/// Blocks that keep the threads busy without cutting the columns as well.
const ENOUGH_BLOCKS: usize = 8;

/// `sums[c] = Σ w·(x − centers[c])` over the rows labelled `c`, `k×d`, and `counts[c] = Σ w`, in f64.
///
/// `x` is `n×d`, `centers` `k×d`, labels below `k`; without weights they are 1. Differences from the present centre
/// keep all their digits far from the origin. Overwrites both outputs; the same bits with any number of threads.
/// Reads `x` once; needs 16 MiB for partial sums, or `8·k·d` bytes if that is more.
#[allow(clippy::too_many_arguments)]
pub fn centroid_sum(
    x: &[f32],
    n: usize,
    d: usize,
    labels: &[u32],
    weights: Option<&[f32]>,
    centers: &[f32],
    k: usize,
    sums: &mut [f64],
    counts: &mut [f64],
) {
    debug_assert!(x.len() == n * d && labels.len() == n && weights.is_none_or(|weights| weights.len() == n));
    debug_assert!(centers.len() == k * d && sums.len() == k * d && counts.len() == k);
    let blocks = (PARTIAL_NUMBERS / (k * d).max(1)).min(n / BLOCK_ROWS).clamp(1, MOST_BLOCKS);
    let rows = n.div_ceil(blocks).max(1);
    let strip = if blocks >= ENOUGH_BLOCKS || n * d < BLOCK_ROWS * STRIP { d.max(1) } else { STRIP };
    let strips = d.div_ceil(strip).max(1);
    let one = |task: usize| {
        let (start, first) = (task / strips * rows, task % strips * strip);
        let (end, columns) = (n.min(start + rows), strip.min(d - first));
        let weights = weights.map(|weights| &weights[start..end]);
        let mut partial = Partial { sums: vec![0.0; k * columns], counts: vec![0.0; if first == 0 { k } else { 0 }] };
        let block = Block { x: &x[start * d..end * d], d, first, columns, labels: &labels[start..end], weights };
        vectorised!(add_rows(block, centers, &mut partial));
        partial
    };
    let partial: Vec<Partial> = (0..blocks * strips).into_par_iter().map(one).collect();
    for (center, count) in counts.iter_mut().enumerate() {
        *count = partial.iter().step_by(strips).map(|block| block.counts[center]).sum();
    }
    let merge = |(center, sums): (usize, &mut [f64])| {
        sums.fill(0.0);
        for block in partial.chunks_exact(strips) {
            for (sums, strip) in sums.chunks_mut(strip).zip(block) {
                let strip = &strip.sums[center * sums.len()..];
                sums.iter_mut().zip(strip).for_each(|(sum, part)| *sum += part);
            }
        }
    };
    let at_once = MERGED_AT_ONCE.div_ceil(d.max(1));
    sums.par_chunks_mut(d.max(1)).enumerate().with_min_len(at_once).for_each(merge);
}

/// What one task adds up: `k×columns` sums, and the weights of the clusters if it has the first columns.
struct Partial {
    sums: Vec<f64>,
    counts: Vec<f64>,
}

/// Some rows of x and neighbouring columns of them.
#[derive(Clone, Copy)]
struct Block<'a> {
    x: &'a [f32],
    d: usize,
    first: usize,
    columns: usize,
    labels: &'a [u32],
    weights: Option<&'a [f32]>,
}

// pulp has no f32 to f64 conversion; over slices of equal length the compiler finds the processor's own.
#[inline(always)]
fn add_rows(block: Block<'_>, centers: &[f32], partial: &mut Partial) {
    let Block { x, d, first, columns, labels, weights } = block;
    for (row, &label) in labels.iter().enumerate() {
        let label = label as usize;
        let x = &x[row * d + first..row * d + first + columns];
        let center = &centers[label * d + first..label * d + first + columns];
        let sums = &mut partial.sums[label * columns..(label + 1) * columns];
        match weights {
            None => add(x, center, sums, |difference| difference),
            Some(weights) => add(x, center, sums, |difference| f64::from(weights[row]) * difference),
        }
        if first == 0 {
            partial.counts[label] += weights.map_or(1.0, |weights| f64::from(weights[row]));
        }
    }
}

#[inline(always)]
fn add(x: &[f32], center: &[f32], sums: &mut [f64], weigh: impl Fn(f64) -> f64) {
    for ((sum, &value), &center) in sums.iter_mut().zip(x).zip(center) {
        *sum += weigh(f64::from(value) - f64::from(center));
    }
}
