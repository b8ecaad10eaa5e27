//! Trees by classes or numbers, all nodes of a level together: the target cells of the grower, on any device.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::node_rules::describe as write_down;
use super::node_squares::{add_up, leaves};
use super::{Cells, GrowContext, Grown, NodeSplit, OpenNode, Root, SplitSource};
use crate::cpu::tree::splitters::{FeatureDraw, FeatureOrder, TargetNode, TargetSplit};
use crate::cpu::tree::target::{NodeSummary, SplitBounds, SummarySource, TargetTotals, TreeTarget, take_cell};
use crate::cpu::tree::target_squares::target_squares as squares_of_rows;
use crate::cpu::tree::{NodeSquares, TargetRows};
use crate::device::Device;
use crate::error::Result;
use crate::ops::tree::bootstrap::{TreeDraws, TreeRows};
use crate::ops::tree::target_histogram::target_histogram;
use crate::ops::tree::target_split::{NodeCells, TargetSearch, takes_rows, target_split};
use crate::ops::tree::target_squares::target_squares;
use crate::ops::tree::{HistogramFill, NodePartition};
use crate::tree::model::Tree;
use crate::tree::parameters::TreeLimits;

/// The sums of a node.
#[derive(Debug, Clone)]
pub(crate) struct NodeCell {
    words: Vec<u64>,
    count: u64,
}

/// What a node predicts.
type NodeDescription = (NodeSummary, Vec<f64>);

/// What one of the trees learns.
#[derive(Debug)]
pub(crate) struct TreeLearner<'a, T> {
    pub(crate) target: &'a T,
    pub(crate) draw: FeatureDraw,
}

/// What trees that grow together have in common.
#[derive(Debug)]
pub(crate) struct TreeBatch<'a, T> {
    /// The targets, each row once.
    pub(crate) whole: &'a T,
    /// Whether they are those of the batch before.
    pub(crate) known: bool,
    /// How often each tree takes a row; once if none.
    pub(crate) draws: Option<TreeDraws<'a>>,
}

/// Binned rows with targets, for trees that grow together.
pub(super) struct TargetCells<'a, 'b, T> {
    context: &'b mut GrowContext<'a>,
    pub(super) learners: &'b [TreeLearner<'b, T>],
    targets: Vec<TargetRows<'b>>,
    /// Where the rows of each tree end.
    ends: Vec<usize>,
    limits: &'b TreeLimits,
    /// Nodes of up to so many rows have no histograms.
    small: u64,
    /// Of these, nodes of up to so many rows are left to the host.
    tiny: u64,
    /// The least gain of a split of each tree, in units of the target.
    pub(super) min_gains: Vec<f64>,
    /// Whether nodes are described as they arise; else when the trees are grown, as their rows are on a device.
    describes_at_once: bool,
    /// What is known of nodes: what they predict, or their squares, of which the cell makes it.
    described: HashMap<Range<usize>, NodeDescription>,
    squares: HashMap<Range<usize>, NodeSquares>,
}

impl<'a, 'b, T: TreeTarget> TargetCells<'a, 'b, T> {
    /// Begins trees, and returns their roots. Nodes of up to `small` rows are searched by their rows, those of up to `tiny` by
    /// the host; all small ones by the host where a device cannot.
    pub(super) fn begin(
        context: &'b mut GrowContext<'a>,
        learners: &'b [TreeLearner<'b, T>],
        batch: TreeBatch<'_, T>,
        limits: &'b TreeLimits,
        (small, tiny): (u64, u64),
    ) -> Result<(TargetCells<'a, 'b, T>, Vec<Root<NodeCell>>)> {
        let targets: Vec<TargetRows<'b>> = learners.iter().map(|learner| learner.target.rows()).collect();
        let all = context.matrix.rows() as u32;
        let on_cpu = matches!(context.stream.device(), Device::Cpu);
        // A device puts the rows in order itself: the host looks at those of each tree once.
        let begin = |learner: &TreeLearner<'_, T>| {
            let rows: Vec<u32> = (0..all).filter(|row| learner.target.counts(*row as usize)).collect();
            let (count, described) = (rows.len(), describe(learner, &rows));
            (count, (described, if on_cpu { rows } else { vec![] }))
        };
        let (counts, begun): (Vec<usize>, Vec<_>) = learners.par_iter().map(begin).unzip();
        let (described, rows): (Vec<_>, Vec<Vec<u32>>) = begun.into_iter().unzip();
        if on_cpu {
            context.state.begin_targets(&mut context.stream, &mut rows.concat(), &targets)?;
        } else {
            let TreeBatch { whole, known, draws } = batch;
            let rows = TreeRows { whole: whole.rows(), known, draws, counts: &counts };
            context.state.begin_trees(&mut context.stream, &rows)?;
        }
        let mut ends = counts;
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        // The best leaf is chosen among those that are not pure, which sums of numbers do not tell.
        let describes_at_once = on_cpu || source_of(learners) != SummarySource::Cell && limits.max_leaf_nodes.is_some();
        let min_gains = vec![0.0; learners.len()];
        let words = targets.first().map_or(1, TargetRows::words);
        let tiny = if takes_rows(&context.stream, &context.binned, words) { tiny.min(small) } else { small };
        let mut cells = TargetCells {
            context,
            learners,
            targets,
            ends,
            limits,
            small,
            tiny,
            min_gains,
            describes_at_once,
            described: HashMap::new(),
            squares: HashMap::new(),
        };
        let mut roots = vec![];
        for (number, (totals, described)) in described.into_iter().enumerate() {
            cells.min_gains[number] = limits.min_gain(described.0.weight, learners[number].target);
            let rows = number.checked_sub(1).map_or(0, |before| cells.ends[before])..cells.ends[number];
            cells.described.insert(rows.clone(), described);
            roots.push(Root { rows, totals });
        }
        Ok((cells, roots))
    }

    /// The rows of all trees, as the partitions so far left them.
    pub(super) fn order(&self) -> &[u32] {
        self.context.state.known_order()
    }

    /// Whose rows these are.
    fn tree_of(&self, rows: &Range<usize>) -> usize {
        self.ends.partition_point(|end| *end <= rows.start).min(self.learners.len() - 1)
    }

    /// Learns of grown trees what their nodes are described by: the order of the rows, where the host finishes nodes or looks at
    /// rows, else the squares of the leaves. Returns the squares of all nodes, tree after tree.
    pub(super) fn learn_of(&mut self, grown: &[Grown<NodeCell>], is_unfinished: bool) -> Result<Vec<Vec<NodeSquares>>> {
        let source = source_of(self.learners);
        let known = self.describes_at_once || source == SummarySource::Cell;
        let leaves = if known || source == SummarySource::Rows { vec![] } else { leaves(grown) };
        // As bytes: the rows of a tree may be fewer than what comes back of its leaves.
        let outputs = self.learners.first().map_or(1, |learner| learner.target.outputs());
        let takes_order = 4 * self.order().len() <= (4 + 16 * outputs) * leaves.len();
        let reads_order = is_unfinished || !known && (source == SummarySource::Rows || takes_order);
        if reads_order && !matches!(self.context.stream.device(), Device::Cpu) {
            self.context.state.order(&mut self.context.stream)?;
        }
        if leaves.is_empty() {
            return Ok(vec![]);
        }
        let of_leaves = match reads_order {
            true => {
                let order = self.order();
                let of = |(tree, rows): &(usize, Range<usize>)| match &self.targets[*tree] {
                    TargetRows::Values(target) => squares_of_rows(*target, &order[rows.clone()]),
                    TargetRows::Classes(_) => NodeSquares::none(outputs),
                };
                leaves.par_iter().map(of).collect()
            }
            false => target_squares(&mut self.context.stream, &mut self.context.state, &self.targets, &leaves)?,
        };
        Ok(add_up(grown, of_leaves, outputs))
    }

    /// A grown tree with the values of its nodes and all gains in weight × impurity, and which nodes are pure. `squares` are
    /// those of its nodes, where [`TargetCells::learn_of`] found some.
    pub(super) fn finish(
        &self,
        learner: &TreeLearner<'_, T>,
        grown: &Grown<NodeCell>,
        squares: Option<&Vec<NodeSquares>>,
    ) -> (Tree, Vec<bool>) {
        let mut finished = grown.tree.clone().with_outputs(learner.target.outputs());
        let mut pure = Vec::with_capacity(grown.rows.len());
        for ((number, rows), totals) in (0..).zip(&grown.rows).zip(&grown.totals) {
            let squares = squares.map(|squares| &squares[number as usize]).or_else(|| self.squares.get(rows));
            let late = || self.describe_late(learner, rows, (&totals.words, squares));
            let (summary, values) = self.described.get(rows).cloned().unwrap_or_else(late);
            finished.node_mut(number).gain *= learner.target.gain_unit();
            write_down(&mut finished, number, &summary, &values);
            pure.push(summary.pure);
        }
        (finished, pure)
    }

    /// What a node predicts, from its cell and its squares, or from its rows in the order as it was fetched.
    fn describe_late(
        &self,
        learner: &TreeLearner<'_, T>,
        rows: &Range<usize>,
        (words, squares): (&[u64], Option<&NodeSquares>),
    ) -> NodeDescription {
        let mut values = Vec::with_capacity(learner.target.outputs());
        if let Some(squares) = squares {
            return (learner.target.summary_of_squares(squares, words, &mut values), values);
        }
        let mut own = vec![];
        if learner.target.summary_source() == SummarySource::Rows {
            own.extend_from_slice(&self.order()[rows.clone()]);
            // The rows of each leaf ascend: a stable sort merges them.
            own.sort();
        }
        (learner.target.summary(&own, words, &mut values), values)
    }

    /// Whether a node is known to be pure.
    fn is_known_pure(&self, node: &OpenNode<NodeCell>) -> bool {
        if let Some((summary, _)) = self.described.get(&node.rows) {
            return summary.pure;
        }
        let target = self.learners[node.tree].target;
        let of = |squares| target.summary_of_squares(squares, &node.totals.words, &mut vec![]).pure;
        self.squares.get(&node.rows).is_some_and(of)
    }

    /// The sums of a node as numbers, and the features it looks at.
    fn prepare(&self, node: &OpenNode<NodeCell>) -> (TargetTotals, FeatureOrder) {
        let TreeLearner { target, draw } = &self.learners[node.tree];
        let (mut totals, mut order) = (TargetTotals::default(), FeatureOrder::default());
        target.totals(&node.totals.words, &mut totals);
        draw.start(node.path, &mut order);
        (totals, order)
    }

    /// The best split of each node that is not pure. A node that found none by the features it drew goes on drawing, one feature
    /// at a time.
    fn best(&mut self, nodes: &[OpenNode<NodeCell>]) -> Result<Vec<Option<TargetSplit>>> {
        let mut wanted: Vec<usize> = (0..nodes.len()).filter(|at| !self.is_known_pure(&nodes[*at])).collect();
        let mut prepared: Vec<(TargetTotals, FeatureOrder)> = nodes.par_iter().map(|node| self.prepare(node)).collect();
        let mut winners: Vec<Option<TargetSplit>> = vec![None; nodes.len()];
        let (learners, min_samples_leaf) = (self.learners, self.limits.min_samples_leaf as u64);
        let GrowContext { matrix, bins, stream, binned, state } = &mut *self.context;
        let thresholds = matrix.table(bins).thresholds;
        let mut first = 0;
        while !wanted.is_empty() {
            let search = |at: &usize| {
                let (OpenNode { tree, path, slot, totals, rows, .. }, (numbers, order)) = (&nodes[*at], &prepared[*at]);
                let (NodeCell { words: cell, count }, TreeLearner { target, draw }) = (totals, &learners[*tree]);
                let bounds = SplitBounds { totals: numbers, count: *count, min_samples_leaf };
                let cells = slot.map_or_else(|| NodeCells::Rows(*tree, rows.clone()), NodeCells::Slot);
                let features = &order.drawn()[first.min(order.drawn().len())..];
                let at_random = draw.cuts_at_random().then_some((*draw, *path));
                TargetSearch { cells, node: TargetNode { target: *target, cell, bounds }, features, at_random }
            };
            let searches: Vec<TargetSearch<'_, T>> = wanted.iter().map(search).collect();
            let found = target_split(stream, binned, state, thresholds, &searches)?;
            wanted.iter().zip(found).for_each(|(at, found)| winners[*at] = found);
            wanted.retain(|at| {
                let draw = &learners[nodes[*at].tree].draw;
                winners[*at].is_none() && draw.another(&mut prepared[*at].1).is_some()
            });
            first = wanted.iter().map(|at| prepared[*at].1.drawn().len() - 1).min().unwrap_or(0);
        }
        Ok(winners)
    }

    /// A split with what is known of the two children.
    fn node_split(&self, split: TargetSplit, node: &OpenNode<NodeCell>) -> NodeSplit<NodeCell> {
        let mut right = node.totals.words.clone();
        take_cell(&mut right, &split.left);
        let target = self.learners[node.tree].target;
        let children = [split.left, right].map(|words| NodeCell { count: target.count(&words), words });
        NodeSplit { rule: split.rule, gain: split.gain, children }
    }
}

/// What the summaries of nodes are made of.
fn source_of<T: TreeTarget>(learners: &[TreeLearner<'_, T>]) -> SummarySource {
    learners.first().map_or(SummarySource::Cell, |learner| learner.target.summary_source())
}

/// The sums of some rows, ascending, and what they predict.
fn describe<T: TreeTarget>(learner: &TreeLearner<'_, T>, rows: &[u32]) -> (NodeCell, NodeDescription) {
    let target = learner.target;
    let mut words = vec![0; target.words()];
    rows.iter().for_each(|row| target.add(*row as usize, &mut words));
    let mut values = Vec::with_capacity(target.outputs());
    let summary = target.summary(rows, &words, &mut values);
    (NodeCell { words, count: summary.count }, (summary, values))
}

impl<T: TreeTarget> Cells for TargetCells<'_, '_, T> {
    type Totals = NodeCell;

    fn count(totals: &NodeCell) -> u64 {
        totals.count
    }

    fn split_source(&self, totals: &NodeCell) -> SplitSource {
        let is_pure = self.learners.first().is_some_and(|learner| learner.target.is_pure(&totals.words));
        match totals.count {
            count if is_pure || !self.limits.allow_rows(count) => SplitSource::None,
            count if count <= self.tiny => SplitSource::Host,
            count if count <= self.small => SplitSource::Rows,
            _ => SplitSource::Histogram,
        }
    }

    /// Where a node is more than its cell, its rows tell what.
    fn keeps_order(&self) -> bool {
        source_of(self.learners) != SummarySource::Cell
    }

    fn context(&self) -> &GrowContext<'_> {
        self.context
    }

    /// Nodes were described before their rows were partitioned, or by sums that know no order.
    fn restore_order(&mut self, _: Vec<Range<usize>>) {}

    fn fill(&mut self, fills: &[HistogramFill]) -> Result<()> {
        let GrowContext { stream, binned, state, .. } = &mut *self.context;
        target_histogram(stream, binned, state, &self.targets, fills)
    }

    fn search(&mut self, nodes: &[OpenNode<NodeCell>]) -> Result<Vec<Option<NodeSplit<NodeCell>>>> {
        let winners = self.best(nodes)?;
        let allowed = |split: &TargetSplit, node: &OpenNode<NodeCell>| split.gain >= self.min_gains[node.tree];
        let splits = winners
            .into_iter()
            .zip(nodes)
            .map(|(split, node)| split.filter(|split| allowed(split, node)).map(|split| self.node_split(split, node)));
        Ok(splits.collect())
    }

    fn partition(&mut self, nodes: &[NodePartition]) -> Result<()> {
        let lefts = self.context.partition(nodes)?;
        if !self.describes_at_once {
            return Ok(());
        }
        let children = nodes.iter().zip(&lefts).flat_map(|(NodePartition { rows, .. }, left)| {
            let middle = rows.start + left;
            [rows.start..middle, middle..rows.end]
        });
        let children: Vec<Range<usize>> = children.collect();
        let on_cpu = matches!(self.context.stream.device(), Device::Cpu);
        if !on_cpu && source_of(self.learners) == SummarySource::Squares {
            let children: Vec<_> = children.into_iter().map(|rows| (self.tree_of(&rows), rows)).collect();
            let squares = target_squares(&mut self.context.stream, &mut self.context.state, &self.targets, &children)?;
            self.squares.extend(children.into_iter().map(|(_, rows)| rows).zip(squares));
            return Ok(());
        }
        self.context.state.order(&mut self.context.stream)?;
        let of = |rows: &Range<usize>| describe(&self.learners[self.tree_of(rows)], &self.order()[rows.clone()]).1;
        let described: Vec<_> = children.par_iter().map(of).collect();
        self.described.extend(children.into_iter().zip(described));
        Ok(())
    }
}
