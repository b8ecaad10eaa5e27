//! The values of the leaves, and the scores of the rows in them.

use std::ops::Range;

use rayon::prelude::*;

use super::settings::Settings;
use crate::array::Matrix;
use crate::cpu::tree::best_split::GradientRules;
use crate::cpu::tree::monotone::held;
use crate::tree::Tree;
use crate::tree::grow::{Gradients, Grown, NodeSums};

/// Rows of a leaf added together, then the blocks in order.
const BLOCK: usize = 1 << 12;
/// Rows whose scores one task updates.
const ROWS: usize = 1 << 14;

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

    /// A Newton step held within bounds, times the learning rate.
    fn value(&self, sums: [f64; 2], bounds: [f64; 2]) -> f64 {
        let newton = held(self.rules.newton_step(sums), bounds);
        self.learning_rate * if self.logarithmic && newton > 0.0 { newton.ln_1p() } else { newton }
    }
}

/// Sets the values of a grown tree: of leaves from the gradients of their rows, added in f64 in the order of the rows,
/// of inner nodes from their integer sums.
pub(super) fn set_values(
    grown: &mut Grown<NodeSums>,
    order: &[u32],
    gradients: &Gradients,
    units: [f64; 2],
    step: LeafStep,
) {
    let nodes = grown.tree.nodes();
    let leaf = |node: &usize| nodes[*node].feature.is_none();
    let pieces: Vec<(usize, Range<usize>)> =
        (0..nodes.len()).filter(leaf).flat_map(|node| cut(&grown.rows[node]).map(move |piece| (node, piece))).collect();
    let add = |(node, piece): &(usize, Range<usize>)| {
        let mut sums = [0.0_f64; 2];
        for row in &order[piece.clone()] {
            sums[0] += f64::from(gradients.gradients[*row as usize]);
            sums[1] += f64::from(gradients.hessians[*row as usize]);
        }
        (*node, sums)
    };
    let parts: Vec<(usize, [f64; 2])> = pieces.par_iter().map(add).collect();
    let known = |node: &NodeSums| [node.sums.gradient as f64 * units[0], node.sums.hessian as f64 * units[1]];
    let mut sums: Vec<[f64; 2]> = grown.totals.iter().map(known).collect();
    (0..sums.len()).filter(leaf).for_each(|node| sums[node] = [0.0; 2]);
    for (node, [gradient, hessian]) in parts {
        sums[node][0] += gradient;
        sums[node][1] += hessian;
    }
    for ((node, sums), totals) in (0..).zip(sums).zip(&grown.totals) {
        grown.tree.value_mut(node)[0] = step.value(sums, totals.bounds);
        grown.tree.node_mut(node).weight = sums[1];
    }
}

fn cut(range: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let Range { start, end } = *range;
    (start..end).step_by(BLOCK).map(move |from| from..end.min(from + BLOCK))
}

/// Adds the value of its leaf to the score of each row that the tree was grown on.
pub(super) fn add_to_scores(grown: &Grown<NodeSums>, order: &[u32], scores: &mut [f32]) {
    let nodes = grown.tree.nodes();
    let leaves: Vec<(f32, &[u32])> = (0..nodes.len())
        .filter(|node| nodes[*node].feature.is_none())
        .map(|node| (grown.tree.value(node as u32)[0] as f32, &order[grown.rows[node].clone()]))
        .collect();
    // The rows of a leaf ascend, so each task finds those of its own stretch in every leaf.
    scores.par_chunks_mut(ROWS).enumerate().for_each(|(task, scores)| {
        let first = task * ROWS;
        for (value, rows) in &leaves {
            let start = rows.partition_point(|row| (*row as usize) < first);
            let own = &rows[start..];
            let end = own.partition_point(|row| (*row as usize) < first + scores.len());
            own[..end].iter().for_each(|row| scores[*row as usize - first] += value);
        }
    });
}

/// Adds the value of its leaf to the score of each of these other rows (ascending).
pub(super) fn add_to_others(tree: &Tree, x: &Matrix, others: &[u32], scores: &mut [f32]) {
    scores.par_chunks_mut(ROWS).enumerate().for_each(|(task, scores)| {
        let first = task * ROWS;
        let end = first + scores.len();
        let start = others.partition_point(|row| (*row as usize) < first);
        for row in others[start..].iter().map(|row| *row as usize).take_while(|row| *row < end) {
            scores[row - first] += tree.value(tree.leaf_of(x.row(row)))[0] as f32;
        }
    });
}
