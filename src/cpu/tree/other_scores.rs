//! The scores of rows that a tree was not grown on.

use rayon::prelude::*;

use super::predict::FlatTrees;

/// Rows whose scores one task updates.
const ROWS: usize = 1 << 14;

/// Adds the value of its leaf in a tree to the score of each of these rows (ascending) of x, which has so many columns.
/// `value` has that of a node.
pub fn other_scores(
    (trees, tree): (&FlatTrees, usize),
    (x, columns): (&[f32], usize),
    rows: &[u32],
    value: impl Fn(u32) -> f32 + Sync,
    scores: &mut [f32],
) {
    scores.par_chunks_mut(ROWS).enumerate().for_each(|(task, scores)| {
        let first = task * ROWS;
        let end = first + scores.len();
        let start = rows.partition_point(|row| (*row as usize) < first);
        for row in rows[start..].iter().map(|row| *row as usize).take_while(|row| *row < end) {
            scores[row - first] += value(trees.leaf(tree, &x[row * columns..(row + 1) * columns]));
        }
    });
}
