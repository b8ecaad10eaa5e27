//! The sums of leaves, and the scores of the rows in them.

use rayon::prelude::*;

use super::fixed_point::FixedPoint;
use super::gradients::Gradients;
use crate::cpu::vectorised;

/// Rows of a leaf that one task adds.
const BLOCK: usize = 1 << 12;
/// Rows whose scores one task updates.
const ROWS: usize = 1 << 14;

/// What the gradients and Hessians of each leaf's rows add up to, as integers of thirty bits each: no order of the rows
/// changes a bit.
pub fn leaf_sums(leaves: &[&[u32]], gradients: &Gradients, fixed: &FixedPoint) -> Vec<[i64; 2]> {
    let pieces: Vec<(usize, &[u32])> =
        leaves.iter().enumerate().flat_map(|(leaf, rows)| rows.chunks(BLOCK).map(move |piece| (leaf, piece))).collect();
    let Gradients { gradients, hessians, .. } = gradients;
    let sum = |(_, piece): &(usize, &[u32])| vectorised!(piece_sums(piece, [gradients, hessians], fixed));
    let parts: Vec<[i64; 2]> = pieces.par_iter().map(sum).collect();
    let mut sums = vec![[0; 2]; leaves.len()];
    for ((leaf, _), part) in pieces.iter().zip(parts) {
        sums[*leaf] = [sums[*leaf][0] + part[0], sums[*leaf][1] + part[1]];
    }
    sums
}

/// The sums of at most [`BLOCK`] rows: integers below 2⁴², which f64 adds exactly and faster than i64, as nothing has to be
/// converted for each row.
#[inline(always)]
fn piece_sums(rows: &[u32], values: [&[f32]; 2], fixed: &FixedPoint) -> [i64; 2] {
    let (mut sums, scales) = ([0.0_f64; 2], fixed.fine_scales());
    for row in rows {
        sums[0] += f64::from((values[0][*row as usize] * scales[0]).trunc());
        sums[1] += f64::from((values[1][*row as usize] * scales[1]).trunc());
    }
    sums.map(|sum| sum as i64)
}

/// Adds the value of its leaf to the score of each row. The rows of a leaf ascend.
pub fn add_to_scores(leaves: &[(f32, &[u32])], scores: &mut [f32]) {
    // Each task finds the rows of its own stretch in every leaf.
    scores.par_chunks_mut(ROWS).enumerate().for_each(|(task, scores)| {
        let first = task * ROWS;
        for (value, rows) in leaves {
            let start = rows.partition_point(|row| (*row as usize) < first);
            let own = &rows[start..];
            let end = own.partition_point(|row| (*row as usize) < first + scores.len());
            own[..end].iter().for_each(|row| scores[*row as usize - first] += value);
        }
    });
}
