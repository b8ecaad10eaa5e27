//! The values of the leaves, and the scores of the rows in them.

use super::settings::Settings;
use crate::array::Matrix;
use crate::cpu::tree::best_split::GradientRules;
use crate::cpu::tree::fixed_point::FixedPoint;
use crate::cpu::tree::gradients::Gradients;
use crate::cpu::tree::leaves::leaf_sums;
use crate::cpu::tree::monotone::held;
use crate::cpu::tree::other_scores::other_scores;
use crate::ops::tree::leaves::LeafRules;
use crate::tree::Tree;
use crate::tree::grow::{Grown, NodeSums};
use crate::tree::model::flatten;

/// How a leaf's sums become its value.
#[derive(Clone, Copy)]
pub(super) struct LeafStep {
    rules: GradientRules,
    learning_rate: f64,
    /// Whether scores are logarithms: a step up then goes to the leaf's best value, which Newton's would overshoot.
    logarithmic: bool,
}

impl LeafStep {
    pub fn new(settings: &Settings, logarithmic: bool) -> LeafStep {
        LeafStep { rules: settings.gradient_rules(), learning_rate: settings.learning_rate, logarithmic }
    }

    /// The same as a device takes it; nothing where values are logarithms.
    pub fn rules(&self) -> Option<LeafRules> {
        let GradientRules { l1, l2, .. } = self.rules;
        (!self.logarithmic).then_some(LeafRules { l1, l2, learning_rate: self.learning_rate })
    }

    /// A Newton step held within bounds, times the learning rate.
    fn value(&self, sums: [f64; 2], bounds: [f64; 2]) -> f64 {
        let newton = held(self.rules.newton_step(sums), bounds);
        self.learning_rate * if self.logarithmic && newton > 0.0 { newton.ln_1p() } else { newton }
    }
}

/// The leaves of a grown tree, each with its rows.
pub(super) fn leaf_rows<'a>(grown: &'a Grown<NodeSums>, order: &'a [u32]) -> impl Iterator<Item = (usize, &'a [u32])> {
    let nodes = grown.tree.nodes();
    let leaves = (0..nodes.len()).filter(|node| nodes[*node].feature.is_none());
    leaves.map(|node| (node, &order[grown.rows[node].clone()]))
}

/// What the gradients and Hessians of each leaf's rows add up to; 0 for inner nodes.
pub(super) fn node_sums(
    grown: &Grown<NodeSums>,
    order: &[u32],
    gradients: &Gradients,
    fixed: &FixedPoint,
) -> Vec<[i64; 2]> {
    let (nodes, leaves): (Vec<usize>, Vec<&[u32]>) = leaf_rows(grown, order).unzip();
    let mut sums = vec![[0; 2]; grown.tree.nodes().len()];
    nodes.into_iter().zip(leaf_sums(&leaves, gradients, fixed)).for_each(|(node, own)| sums[node] = own);
    sums
}

/// Sets the values of a grown tree: of leaves from `sums`, those of [`node_sums`], of inner nodes from the sums that
/// their splits were found by.
pub(super) fn set_values(grown: &mut Grown<NodeSums>, sums: &[[i64; 2]], fixed: &FixedPoint, step: LeafStep) {
    let (units, fine_units) = (fixed.units(), fixed.fine_units());
    for (node, (sums, totals)) in sums.iter().zip(&grown.totals).enumerate() {
        let sums = match grown.tree.nodes()[node].feature {
            None => [sums[0] as f64 * fine_units[0], sums[1] as f64 * fine_units[1]],
            Some(_) => [totals.sums.gradient as f64 * units[0], totals.sums.hessian as f64 * units[1]],
        };
        grown.tree.value_mut(node as u32)[0] = step.value(sums, totals.bounds);
        grown.tree.node_mut(node as u32).weight = sums[1];
    }
}

/// Adds the value of its leaf to the score of each of these other rows (ascending).
pub(super) fn add_to_others(tree: &Tree, x: &Matrix, others: &[u32], scores: &mut [f32]) {
    if others.is_empty() {
        return;
    }
    let trees = flatten(std::slice::from_ref(tree));
    other_scores((&trees, 0), (x.as_slice(), x.columns()), others, |leaf| tree.value(leaf)[0] as f32, scores);
}
