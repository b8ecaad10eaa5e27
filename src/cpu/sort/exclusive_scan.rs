//! The sums of all that comes before.

use rayon::prelude::*;

/// Numbers in a block: two passes over 256 KiB, the second out of the second cache.
const BLOCK: usize = 1 << 16;

/// `out[i] = values[0] + … + values[i − 1]`, modulo 2³²; returns the sum of all values, exact.
///
/// Reads the values twice, in blocks shared out between the threads.
pub fn exclusive_scan(values: &[u32], out: &mut [u32]) -> u64 {
    debug_assert_eq!(values.len(), out.len());
    if values.len() <= 2 * BLOCK {
        scan_block(values, 0, out);
        return total(values);
    }
    let mut starts: Vec<u64> = values.par_chunks(BLOCK).map(total).collect();
    let mut sum = 0_u64;
    for start in &mut starts {
        sum += std::mem::replace(start, sum);
    }
    let blocks = values.par_chunks(BLOCK).zip(out.par_chunks_mut(BLOCK)).zip(&starts);
    blocks.for_each(|((values, out), &start)| scan_block(values, start as u32, out));
    sum
}

/// The sum of a block.
fn total(values: &[u32]) -> u64 {
    values.iter().map(|&value| u64::from(value)).sum()
}

/// The running sums of a block, from `start` on.
fn scan_block(values: &[u32], start: u32, out: &mut [u32]) {
    let mut sum = start;
    for (out, &value) in out.iter_mut().zip(values) {
        *out = sum;
        sum = sum.wrapping_add(value);
    }
}
