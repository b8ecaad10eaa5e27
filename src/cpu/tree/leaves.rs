//! The sums of leaves, and the scores of the rows in them.

use rayon::prelude::*;

use super::fixed_point::FixedPoint;
use super::gradients::Gradients;

/// Rows of a leaf that one task adds.
const BLOCK: usize = 1 << 12;
/// Rows whose scores one task updates.
const ROWS: usize = 1 << 14;

/// What the gradients and Hessians of each leaf's rows add up to, as integers of thirty bits each: no order of the rows
/// changes a bit.
pub fn leaf_sums(leaves: &[&[u32]], gradients: &Gradients, fixed: &FixedPoint) -> Vec<[i64; 2]> {
    let pieces: Vec<(usize, &[u32])> =
        leaves.iter().enumerate().flat_map(|(leaf, rows)| rows.chunks(BLOCK).map(move |piece| (leaf, piece))).collect();
    let fine = |row: &u32| fixed.fine(gradients.gradients[*row as usize], gradients.hessians[*row as usize]);
    let plus = |sums: [i64; 2], own: [i64; 2]| [sums[0] + own[0], sums[1] + own[1]];
    let parts: Vec<[i64; 2]> = pieces.par_iter().map(|(_, piece)| piece.iter().map(fine).fold([0; 2], plus)).collect();
    let mut sums = vec![[0; 2]; leaves.len()];
    pieces.iter().zip(parts).for_each(|((leaf, _), part)| sums[*leaf] = plus(sums[*leaf], part));
    sums
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
