//! Trees by classes or numbers, all nodes of a level together: the target cells of the grower, on any device.

use std::collections::HashMap;
use std::ops::Range;

use rayon::prelude::*;

use super::{Cells, GrowContext, Grown, NodeSplit, OpenNode, Root};
use crate::cpu::tree::TargetRows;
use crate::cpu::tree::split::first_best;
use crate::cpu::tree::splitters::{
    BinnedSplitter, CellScratch, FeatureDraw, FeatureOrder, NodeSplitter, TargetNode, TargetSplit, scan,
};
use crate::cpu::tree::target::{NodeSummary, SplitBounds, TargetTotals, TreeTarget, take_cell};
use crate::error::Result;
use crate::ops::tree::target_histogram::{read, target_histogram};
use crate::ops::tree::{HistogramFill, NodePartition};
use crate::tree::model::{Node, Tree};
use crate::tree::parameters::TreeLimits;

/// Bins times words that one task searches at least.
const SEARCHED: usize = 1 << 12;
/// Bytes of histograms that are brought to the host together.
const MAX_READ: usize = 1 << 26;

/// The sums of a node.
#[derive(Debug, Clone)]
pub(crate) struct NodeCell {
    words: Vec<u64>,
    count: u64,
}

/// What a node predicts, found when its rows were in ascending order.
type NodeDescription = (NodeSummary, Vec<f64>);

/// What one of the trees learns.
#[derive(Debug)]
pub(crate) struct TreeLearner<'a, T> {
    pub(crate) target: &'a T,
    pub(crate) draw: FeatureDraw,
}

/// Binned rows with targets, for trees that grow together.
pub(super) struct TargetCells<'a, 'b, T> {
    context: &'b mut GrowContext<'a>,
    pub(super) learners: &'b [TreeLearner<'b, T>],
    targets: Vec<TargetRows<'b>>,
    /// Where the rows of each tree end.
    ends: Vec<usize>,
    limits: &'b TreeLimits,
    /// Nodes of up to so many rows are left as leaves.
    small: u64,
    /// The least gain of a split of each tree, in units of the target.
    pub(super) min_gains: Vec<f64>,
    described: HashMap<Range<usize>, NodeDescription>,
}

impl<'a, 'b, T: TreeTarget> TargetCells<'a, 'b, T> {
    /// Begins trees, and returns their roots.
    pub(super) fn begin(
        context: &'b mut GrowContext<'a>,
        learners: &'b [TreeLearner<'b, T>],
        limits: &'b TreeLimits,
        small: u64,
    ) -> Result<(TargetCells<'a, 'b, T>, Vec<Root<NodeCell>>)> {
        let targets: Vec<TargetRows<'b>> = learners.iter().map(|learner| learner.target.rows()).collect();
        let (mut order, mut ranges) = (vec![], vec![]);
        for learner in learners {
            let start = order.len();
            order.extend((0..context.matrix.rows() as u32).filter(|row| learner.target.counts(*row as usize)));
            ranges.push(start..order.len());
        }
        context.state.begin_targets(&mut context.stream, &mut order, &targets)?;
        let (min_gains, ends) = (vec![0.0; learners.len()], ranges.iter().map(|range| range.end).collect());
        let described = HashMap::new();
        let mut cells = TargetCells { context, learners, targets, ends, limits, small, min_gains, described };
        let described: Vec<_> = ranges.par_iter().zip(learners).map(|(rows, own)| cells.describe(own, rows)).collect();
        let mut roots = vec![];
        for (number, (rows, (totals, described))) in ranges.into_iter().zip(described).enumerate() {
            let unit = learners[number].target.gain_unit();
            cells.min_gains[number] = limits.min_impurity_decrease * described.0.weight / unit;
            cells.described.insert(rows.clone(), described);
            roots.push(Root { rows, totals });
        }
        Ok((cells, roots))
    }

    /// The rows of all trees, as the partitions so far left them.
    pub(super) fn order(&self) -> &[u32] {
        self.context.state.known_order()
    }

    /// The sums of a range of rows and what it predicts.
    fn describe(&self, learner: &TreeLearner<'_, T>, rows: &Range<usize>) -> (NodeCell, NodeDescription) {
        let (rows, target) = (&self.order()[rows.clone()], learner.target);
        let mut words = vec![0; target.words()];
        rows.iter().for_each(|row| target.add(*row as usize, &mut words));
        let mut values = Vec::with_capacity(target.outputs());
        let summary = target.summary(rows, &words, &mut values);
        (NodeCell { words, count: summary.count }, (summary, values))
    }

    /// Whose rows these are.
    fn learner(&self, rows: &Range<usize>) -> &TreeLearner<'b, T> {
        &self.learners[self.ends.partition_point(|end| *end <= rows.start).min(self.learners.len() - 1)]
    }

    /// A grown tree with the values of its nodes and all gains in weight × impurity.
    pub(super) fn finish(&self, learner: &TreeLearner<'_, T>, grown: &Grown<NodeCell>) -> Tree {
        let mut finished = grown.tree.clone().with_outputs(learner.target.outputs());
        for (number, rows) in (0..).zip(&grown.rows) {
            let node = finished.node_mut(number);
            node.gain *= learner.target.gain_unit();
            if let Some((summary, values)) = self.described.get(rows) {
                let NodeSummary { weight, count, impurity, .. } = *summary;
                *node = Node { weight, count, impurity, ..*node };
                finished.value_mut(number).copy_from_slice(values);
            }
        }
        finished
    }

    /// The best split of each node, whose histograms are `cells`.
    fn best(&self, nodes: &[&OpenNode<NodeCell>], cells: &[&[u64]]) -> Vec<Option<TargetSplit>> {
        let layout = self.context.matrix.layout();
        let features = layout.places().len();
        let words = self.targets.first().map_or(1, TargetRows::words);
        let cells_of_feature = (layout.cells() * words).div_ceil(features.max(1)).max(1);
        let share = SEARCHED.div_ceil(cells_of_feature);
        let drawn: Vec<(TargetTotals, FeatureOrder)> = nodes.iter().map(|node| self.prepare(node)).collect();
        let shares = |at: usize| {
            let count = drawn[at].1.drawn().len();
            (0..count).step_by(share).map(move |first| (at, first..(first + share).min(count)))
        };
        let tasks: Vec<(usize, Range<usize>)> = (0..nodes.len()).flat_map(shares).collect();
        let found: Vec<Option<TargetSplit>> = tasks
            .par_iter()
            .map(|(at, range)| {
                let (totals, order) = &drawn[*at];
                self.scan(nodes[*at], totals, &order.drawn()[range.clone()], cells[*at])
            })
            .collect();
        let mut winners: Vec<Option<TargetSplit>> = vec![None; nodes.len()];
        for ((at, _), found) in tasks.into_iter().zip(found) {
            winners[at] = first_best(winners[at].take(), found);
        }
        let finished = |(at, found): (usize, Option<TargetSplit>)| found.or_else(|| self.redraw(nodes[at], &drawn[at]));
        winners.into_par_iter().enumerate().map(finished).collect()
    }

    /// The sums of a node as numbers, and the features it looks at.
    fn prepare(&self, node: &OpenNode<NodeCell>) -> (TargetTotals, FeatureOrder) {
        let TreeLearner { target, draw } = &self.learners[node.tree];
        let (mut totals, mut order) = (TargetTotals::default(), FeatureOrder::default());
        target.totals(&node.totals.words, &mut totals);
        draw.start(node.path, &mut order);
        (totals, order)
    }

    fn target_node<'c>(&'c self, node: &'c OpenNode<NodeCell>, totals: &'c TargetTotals) -> TargetNode<'c, T> {
        let NodeCell { words: cell, count } = &node.totals;
        let min_samples_leaf = self.limits.min_samples_leaf as u64;
        let bounds = SplitBounds { totals, count: *count, min_samples_leaf };
        TargetNode { target: self.learners[node.tree].target, cell, bounds }
    }

    /// The best split of one node by some of the features.
    fn scan(
        &self,
        node: &OpenNode<NodeCell>,
        totals: &TargetTotals,
        features: &[u32],
        cells: &[u64],
    ) -> Option<TargetSplit> {
        let node = self.target_node(node, totals);
        let (mut scratch, mut best) = (CellScratch::default(), None);
        for &feature in features {
            let place = &self.context.matrix.layout().places()[feature as usize];
            let own = &cells[place.first as usize * node.cell.len()..];
            let thresholds = self.context.bins.thresholds(feature as usize);
            scan(&node, (feature, place, thresholds), own, &mut scratch, &mut best);
        }
        best
    }

    /// A node that found no split by the features it drew goes on drawing: rare, so its rows are counted here.
    fn redraw(&self, node: &OpenNode<NodeCell>, drawn: &(TargetTotals, FeatureOrder)) -> Option<TargetSplit> {
        let draw = self.learners[node.tree].draw;
        if draw.takes_all() {
            return None;
        }
        let (target_node, table) = (self.target_node(node, &drawn.0), self.context.matrix.table(self.context.bins));
        BinnedSplitter::new(table, draw).best_split(&target_node, node.path, &self.order()[node.rows.clone()])
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

impl<T: TreeTarget> Cells for TargetCells<'_, '_, T> {
    type Totals = NodeCell;

    fn count(totals: &NodeCell) -> u64 {
        totals.count
    }

    fn may_split(&self, totals: &NodeCell) -> bool {
        let TreeLimits { min_samples_split, min_samples_leaf, .. } = *self.limits;
        let small = totals.count < min_samples_split as u64 || totals.count / 2 < min_samples_leaf as u64;
        let pure = self.learners.first().is_some_and(|learner| learner.target.is_pure(&totals.words));
        !small && !pure && totals.count > self.small
    }

    fn context(&self) -> &GrowContext<'_> {
        self.context
    }

    /// Nodes were described before their rows were partitioned, and nobody reads the order later.
    fn restore_order(&mut self, _: Vec<Range<usize>>) {}

    fn fill(&mut self, fills: &[HistogramFill]) -> Result<()> {
        let GrowContext { stream, binned, state, .. } = &mut *self.context;
        target_histogram(stream, binned, state, &self.targets, fills)
    }

    fn search(&mut self, nodes: &[OpenNode<NodeCell>]) -> Result<Vec<Option<NodeSplit<NodeCell>>>> {
        let pure = |node: &OpenNode<NodeCell>| self.described.get(&node.rows).is_some_and(|own| own.0.pure);
        let open: Vec<usize> = (0..nodes.len()).filter(|at| !pure(&nodes[*at])).collect();
        let mut winners: Vec<Option<TargetSplit>> = vec![None; nodes.len()];
        let words = self.targets.first().map_or(1, TargetRows::words);
        let together = MAX_READ / (8 * words * self.context.binned.cells()).max(1);
        for open in open.chunks(together.max(1)) {
            let wanted: Vec<&OpenNode<NodeCell>> = open.iter().map(|at| &nodes[*at]).collect();
            let slots: Vec<usize> = wanted.iter().map(|node| node.slot).collect();
            let cells = read(&mut self.context.stream, &self.context.binned, &self.context.state, &slots)?;
            let cells: Vec<&[u64]> = cells.iter().map(|cells| &**cells).collect();
            open.iter().zip(self.best(&wanted, &cells)).for_each(|(at, found)| winners[*at] = found);
        }
        let allowed = |split: &TargetSplit, node: &OpenNode<NodeCell>| split.gain >= self.min_gains[node.tree];
        let splits = winners
            .into_iter()
            .zip(nodes)
            .map(|(split, node)| split.filter(|split| allowed(split, node)).map(|split| self.node_split(split, node)));
        Ok(splits.collect())
    }

    fn partition(&mut self, nodes: &[NodePartition]) -> Result<Vec<usize>> {
        let lefts = self.context.partition(nodes)?;
        self.context.state.order(&mut self.context.stream)?;
        let children = nodes.iter().zip(&lefts).flat_map(|(NodePartition { rows, .. }, left)| {
            let middle = rows.start + left;
            [rows.start..middle, middle..rows.end]
        });
        let children: Vec<Range<usize>> = children.collect();
        let described: Vec<_> = children.par_iter().map(|rows| self.describe(self.learner(rows), rows).1).collect();
        self.described.extend(children.into_iter().zip(described));
        Ok(lefts)
    }
}
