//! What all ways to grow a tree of classes or numbers have in common: when a node may be split, and what is written of it.

use crate::cpu::tree::target::{NodeSummary, TreeTarget};
use crate::tree::model::{Node, Tree};
use crate::tree::parameters::TreeLimits;

impl TreeLimits {
    /// Whether a node of so many rows may be split, as far as their number decides.
    pub(super) fn allow_rows(&self, count: u64) -> bool {
        count >= self.min_samples_split as u64 && count / 2 >= self.min_samples_leaf as u64
    }

    /// Whether a node at this depth may be split.
    pub(super) fn allow_depth(&self, depth: usize) -> bool {
        self.max_depth.is_none_or(|most| depth < most)
    }

    /// The least gain of a split of a tree whose rows weigh so much together, in units of its target.
    pub(super) fn min_gain<T: TreeTarget>(&self, weight: f64, target: &T) -> f64 {
        self.min_impurity_decrease * weight / target.gain_unit()
    }
}

/// Writes down what a node predicts, and what of.
pub(super) fn describe(tree: &mut Tree, number: u32, summary: &NodeSummary, values: &[f64]) {
    let NodeSummary { weight, count, impurity, .. } = *summary;
    let node = tree.node_mut(number);
    *node = Node { weight, count, impurity, ..*node };
    tree.value_mut(number).copy_from_slice(values);
}
