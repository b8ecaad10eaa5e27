//! Leaf refit: values from the residuals of a leaf's rows, where Newton's step is none (Friedman 2001, section 4).

use rayon::prelude::*;

use super::targets::BoostingTargets;
use crate::cpu::tree::leaf_quantiles::{leaf_quantiles, quantile_place, residual};
use crate::cpu::tree::monotone::{UNBOUNDED, children_bounds, held};
use crate::losses::Loss;
use crate::tree::Tree;
use crate::tree::grow::{Grown, NodeSums};

/// What the residuals are made of, and the loss that the values minimise.
#[derive(Clone, Copy)]
pub(super) struct LeafRefit<'a> {
    targets: &'a [f32],
    scores: &'a [f32],
    weights: Option<&'a [f32]>,
    loss: Loss,
}

impl BoostingTargets<'_> {
    /// How the leaves of an output get their values; none where it is by Newton's step. The scores are those before the
    /// tree, the losses those of the round.
    pub fn leaf_refit<'a>(
        &'a self,
        output: usize,
        scores: &'a [f32],
        weights: Option<&'a [f32]>,
        losses: &[Loss],
    ) -> Option<LeafRefit<'a>> {
        let BoostingTargets::Numbers { columns, .. } = self else { return None };
        let refit = LeafRefit { targets: &columns[output], scores, weights, loss: losses[output] };
        refit.value(&[]).map(|_| refit)
    }
}

impl LeafRefit<'_> {
    /// The value of least loss for some rows; the order of the rows decides nothing but the order of sums. None where
    /// Newton's step is.
    fn value(&self, rows: &[u32]) -> Option<f64> {
        if let (Some(share), None) = (quantile_share(self.loss), self.weights) {
            let (place, _) = quantile_place(share, rows.len());
            let found = leaf_quantiles(&[(rows, place)], self.targets, self.scores);
            return Some(quantile_value(share, rows.len(), found[0]));
        }
        self.loss.robust_step(rows.iter().map(|row| {
            let row = *row as usize;
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            (f64::from(residual(self.targets[row], self.scores[row])), weight)
        }))
    }

    /// Sets the values of a grown tree's leaves; inner nodes get the mean of their children's, by weight. Where
    /// features have directions, inner nodes' own values part those of the leaves below them.
    pub fn set_values(
        &self,
        grown: &mut Grown<NodeSums>,
        order: &[u32],
        directions: Option<&[i8]>,
        learning_rate: f64,
    ) {
        let nodes = grown.tree.nodes();
        let value = |node: usize| match nodes[node].feature.is_none() || directions.is_some() {
            true => self.value(&order[grown.rows[node].clone()]).unwrap_or(0.0),
            false => 0.0,
        };
        let mut values: Vec<f64> = (0..nodes.len()).into_par_iter().map(value).collect();
        if let Some(directions) = directions {
            hold(&grown.tree, directions, &mut values);
        }
        set_leaf_values(grown, &values, learning_rate);
    }
}

/// The share of which the values of leaves are quantiles; none for other losses.
pub(super) fn quantile_share(loss: Loss) -> Option<f64> {
    match loss {
        Loss::Absolute => Some(0.5),
        Loss::Quantile { alpha } => Some(alpha),
        _ => None,
    }
}

/// The quantile of so many residuals, from the two at its place.
pub(super) fn quantile_value(share: f64, count: usize, [low, high]: [f32; 2]) -> f64 {
    match quantile_place(share, count) {
        (_, true) => f64::midpoint(f64::from(low), f64::from(high)),
        (_, false) => f64::from(low),
    }
}

/// Sets the values of the leaves from one for each node, of which those of leaves count; inner nodes get the mean of
/// their children's.
pub(super) fn set_leaf_values(grown: &mut Grown<NodeSums>, values: &[f64], learning_rate: f64) {
    // Children stand behind their parents.
    for (node, own) in values.iter().enumerate().rev() {
        let is_leaf = grown.tree.nodes()[node].feature.is_none();
        let value = if is_leaf { learning_rate * own } else { grown.tree.mean_of_children(node) };
        grown.tree.value_mut(node as u32)[0] = value;
    }
}

/// Holds the values of nodes within the bounds that the splits above them set.
fn hold(tree: &Tree, directions: &[i8], values: &mut [f64]) {
    let mut bounds = vec![UNBOUNDED; values.len()];
    for (number, node) in tree.nodes().iter().enumerate() {
        values[number] = held(values[number], bounds[number]);
        if let Some(feature) = node.feature {
            let children = node.children.map(|child| child as usize);
            let direction = directions.get(feature as usize).copied().unwrap_or(0);
            let own = children_bounds(bounds[number], direction, children.map(|child| values[child]));
            children.into_iter().zip(own).for_each(|(child, own)| bounds[child] = own);
        }
    }
}
