//! Leaf refit: values from the residuals of a leaf's rows, where Newton's step is none (Friedman 2001, section 4).

use super::settings::Settings;
use super::targets::BoostingTargets;
use crate::cpu::tree::fixed_point::FixedPoint;
use crate::cpu::tree::leaf_quantiles::{Residuals, huber_sums, huber_unit, leaf_quantiles, midway};
use crate::cpu::tree::monotone::{UNBOUNDED, children_bounds, held};
use crate::losses::Loss;
use crate::tree::Tree;
use crate::tree::grow::{Grown, NodeSums};

/// How leaves get their values.
#[derive(Clone, Copy)]
pub(super) struct LeafRefit<'a> {
    rule: RefitRule,
    directions: Option<&'a [i8]>,
    learning_rate: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum RefitRule {
    /// The quantile of a share.
    Quantile(f64),
    /// The median and a step from it: Σ w·(r − median held within ±δ) / Σ w (Friedman 2001, algorithm 4).
    Huber,
}

/// What is known of the residuals of the nodes that values are refitted by.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeResiduals {
    /// Between which two residuals the quantile of each lies.
    pub quantiles: Vec<[f32; 2]>,
    /// The numerators of Huber's steps.
    pub steps: Vec<f64>,
    /// Whether weights differ; else each row counts as 1.
    pub are_weighted: bool,
}

impl<'a> LeafRefit<'a> {
    /// None where values are Newton's steps.
    pub fn new(targets: &BoostingTargets<'_>, settings: &'a Settings) -> Option<LeafRefit<'a>> {
        let BoostingTargets::Numbers { losses, .. } = targets else { return None };
        // All outputs have the same loss.
        let rule = match losses.first()? {
            Loss::Absolute => RefitRule::Quantile(0.5),
            Loss::Quantile { alpha } => RefitRule::Quantile(*alpha),
            Loss::Huber { .. } => RefitRule::Huber,
            Loss::Squared | Loss::Poisson | Loss::Logistic | Loss::Exponential => return None,
        };
        let Settings { monotonic_cst, learning_rate, .. } = settings;
        Some(LeafRefit { rule, directions: monotonic_cst.as_deref(), learning_rate: *learning_rate })
    }

    /// Which quantile is wanted.
    pub fn share(&self) -> f64 {
        match self.rule {
            RefitRule::Quantile(share) => share,
            RefitRule::Huber => 0.5,
        }
    }

    /// Whether steps from it are wanted too.
    pub fn with_steps(&self) -> bool {
        self.rule == RefitRule::Huber
    }

    /// Whether the residuals of a node count: those of leaves. Where features have directions, inner nodes' own values part
    /// those of the leaves below them.
    pub fn counts(&self, tree: &Tree, node: usize) -> bool {
        self.directions.is_some() || tree.nodes()[node].feature.is_none()
    }

    /// The nodes whose residuals count.
    pub fn nodes(&self, tree: &Tree) -> Vec<usize> {
        (0..tree.nodes().len()).filter(|node| self.counts(tree, *node)).collect()
    }

    /// What the values are made of, from the residuals of the rows in `order`; δ is that of the round.
    pub fn residuals(
        &self,
        grown: &Grown<NodeSums>,
        order: &[u32],
        residuals: &Residuals<'_>,
        delta: f32,
    ) -> NodeResiduals {
        let nodes = self.nodes(&grown.tree);
        let rows: Vec<&[u32]> = nodes.into_iter().map(|node| &order[grown.rows[node].clone()]).collect();
        let quantiles = leaf_quantiles(&rows, self.share(), residuals);
        let mut steps = vec![];
        if self.with_steps() {
            let medians = quantiles.iter().map(|pair| midway(*pair));
            let unit = huber_unit(residuals.largest_weight(), delta);
            let sums = huber_sums(&rows.into_iter().zip(medians).collect::<Vec<_>>(), residuals, delta);
            steps.extend(sums.into_iter().map(|sum| sum as f64 * unit));
        }
        NodeResiduals { quantiles, steps, are_weighted: residuals.largest_weight().is_some() }
    }

    /// Sets the values of a grown tree's leaves; inner nodes get the mean of their children's, by weight. `sums` has those of
    /// the gradients and Hessians of leaves, in fixed point.
    pub fn set_values(
        &self,
        grown: &mut Grown<NodeSums>,
        found: &NodeResiduals,
        sums: &[[i64; 2]],
        fixed: &FixedPoint,
    ) {
        let mut values = vec![0.0; grown.tree.nodes().len()];
        let weights = match found.are_weighted && self.with_steps() {
            // The Hessian of a row is its weight.
            true => node_weights(&grown.tree, sums).iter().map(|sum| *sum as f64 * fixed.fine_units()[1]).collect(),
            false => grown.rows.iter().map(|rows| rows.len() as f64).collect::<Vec<f64>>(),
        };
        for (at, node) in self.nodes(&grown.tree).into_iter().enumerate() {
            let pair = found.quantiles[at];
            values[node] = match found.steps.get(at) {
                None => f64::midpoint(f64::from(pair[0]), f64::from(pair[1])),
                Some(step) if weights[node] > 0.0 => f64::from(midway(pair)) + step / weights[node],
                Some(_) => f64::from(midway(pair)),
            };
        }
        if let Some(directions) = self.directions {
            hold(&grown.tree, directions, &mut values);
        }
        // Children stand behind their parents.
        for (node, own) in values.iter().enumerate().rev() {
            let is_leaf = grown.tree.nodes()[node].feature.is_none();
            let value = if is_leaf { self.learning_rate * own } else { grown.tree.mean_of_children(node) };
            grown.tree.value_mut(node as u32)[0] = value;
        }
    }
}

/// The Hessians of each node's rows, from those of leaves.
fn node_weights(tree: &Tree, sums: &[[i64; 2]]) -> Vec<i64> {
    let mut weights: Vec<i64> = sums.iter().map(|sums| sums[1]).collect();
    for (number, node) in tree.nodes().iter().enumerate().rev().filter(|(_, node)| node.feature.is_some()) {
        weights[number] = node.children.iter().map(|child| weights[*child as usize]).sum();
    }
    weights
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
