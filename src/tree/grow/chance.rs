//! What is drawn by chance in a tree.

use crate::estimator::Draws;

/// An odd number that spreads tree numbers over the seeds: 2⁶⁴ divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// `count` of the features, ascending, for one node: the same for any device and order of work.
pub(crate) fn features_of_node(seed: u64, tree: u64, node: u32, count: usize, features: usize) -> Vec<u32> {
    let mut draws = Draws::new(seed.wrapping_add((tree + 1).wrapping_mul(SPREAD)), node);
    let mut chosen: Vec<u32> = draws.distinct(count, features).into_iter().map(|feature| feature as u32).collect();
    chosen.sort_unstable();
    chosen
}
