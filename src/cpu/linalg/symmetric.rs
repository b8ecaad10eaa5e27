//! Products of a large symmetric matrix in f32 with a vector in f64.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Rows whose part of the product one task adds up.
const ROWS: usize = 256;
const LANES: usize = 16;

/// `A·x` in f64 from what lies above the diagonal of the n×n matrix, with this diagonal. Reads half of the matrix once; the bits
/// do not depend on the number of threads.
pub fn symmetric_product(matrix: &[f32], n: usize, diagonal: impl Fn(usize) -> f64 + Sync, x: &[f64]) -> Vec<f64> {
    let blocks: Vec<usize> = (0..n).step_by(ROWS).collect();
    let partial: Vec<Vec<f64>> = blocks
        .par_iter()
        .map(|&first| {
            let mut sums = vec![0.0; n - first];
            for row in first..n.min(first + ROWS) {
                let values = &matrix[row * n + row + 1..(row + 1) * n];
                let at = row - first;
                let dot = vectorised!(row_product(values, x[row], &x[row + 1..], &mut sums[at + 1..]));
                sums[at] += dot + diagonal(row) * x[row];
            }
            sums
        })
        .collect();
    let mut out = vec![0.0; n];
    for (first, sums) in blocks.into_iter().zip(partial) {
        out[first..].iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
    }
    out
}

/// The product of a row with x; its transpose's with one number is added to the sums.
#[inline(always)]
fn row_product(values: &[f32], own: f64, x: &[f64], sums: &mut [f64]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (groups, rest) = values.as_chunks::<LANES>();
    let (left, right) = x.as_chunks::<LANES>();
    let (to, tail) = sums.as_chunks_mut::<LANES>();
    for ((group, x), to) in groups.iter().zip(left).zip(to) {
        for at in 0..LANES {
            let value = f64::from(group[at]);
            lanes[at] += value * x[at];
            to[at] += value * own;
        }
    }
    let mut dot = lanes.iter().sum::<f64>();
    for ((&value, x), to) in rest.iter().zip(right).zip(tail) {
        dot += f64::from(value) * x;
        *to += f64::from(value) * own;
    }
    dot
}
