//! What all ways to grow a tree have in common: when a node may be split, which its children are, and what is written of it.

use std::ops::Range;

use super::{GrowLimits, GrowOrder};
use crate::cpu::tree::splitters::paths_below;
use crate::cpu::tree::target::{NodeSummary, TreeTarget};
use crate::tree::model::{Node, Tree};
use crate::tree::parameters::TreeLimits;

impl TreeLimits {
    /// Whether a node of so many rows may be split, as far as their number decides.
    pub(super) fn allow_rows(&self, count: u64) -> bool {
        count >= self.min_samples_split as u64 && count / 2 >= self.min_samples_leaf as u64
    }

    /// When a tree is large enough, and which leaf comes first.
    pub(super) fn growth(&self) -> GrowLimits {
        let order = if self.max_leaf_nodes.is_some() { GrowOrder::BestFirst } else { GrowOrder::LevelByLevel };
        let most = usize::MAX;
        GrowLimits { order, max_depth: self.max_depth.unwrap_or(most), max_leaves: self.max_leaf_nodes.unwrap_or(most) }
    }

    /// The least gain of a split of a tree whose rows weigh so much together, in units of its target.
    pub(super) fn min_gain<T: TreeTarget>(&self, weight: f64, target: &T) -> f64 {
        self.min_impurity_decrease * weight / target.gain_unit()
    }
}

/// The children of a node of which the first `left` rows go left: their paths, and their rows.
pub(super) fn children_of(path: u64, rows: &Range<usize>, left: usize) -> [(u64, Range<usize>); 2] {
    let (paths, middle) = (paths_below(path), rows.start + left);
    [(paths[0], rows.start..middle), (paths[1], middle..rows.end)]
}

/// Writes down what a node predicts, and what of.
pub(super) fn describe(tree: &mut Tree, number: u32, summary: &NodeSummary, values: &[f64]) {
    let NodeSummary { weight, count, impurity, .. } = *summary;
    let node = tree.node_mut(number);
    *node = Node { weight, count, impurity, ..*node };
    tree.value_mut(number).copy_from_slice(values);
}
