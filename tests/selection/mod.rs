//! Splits, folds and small statistics.

mod folds;
mod permutation;
mod split;
mod stats;
mod weights;

/// The rows of both lists, sorted.
fn together(left: &[usize], right: &[usize]) -> Vec<usize> {
    let mut rows = [left, right].concat();
    rows.sort_unstable();
    rows
}
