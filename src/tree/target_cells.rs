//! Trees by classes or numbers, all nodes of a level together: the target cells of the grower, on any device.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::binned::BinnedSplitter;
use super::bins::{BinnedMatrix, Bins};
use super::features::{FeatureDraw, FeatureOrder};
use super::grow::{self, Cells, Cut, Fill, Search};
use super::levels::Levels;
use super::parameters::Limits;
use super::scan::{ScanRoom, scan};
use super::sequential::Splitter;
use super::split::{Node, Split};
use super::target::{Bounds, Summary, Target, Totals, take_cell};
use super::tree::{self, Tree};
use crate::cpu::tree::TargetRows;
use crate::device::Stream;
use crate::error::Result;
use crate::ops::tree::partition::partition;
use crate::ops::tree::target_histogram::{read, target_histogram};
use crate::ops::tree::{self as ops, Binned, Growing};

/// Bins times words that one task searches at least.
const SEARCHED: usize = 1 << 12;
/// Bytes of histograms that are brought to the host together.
const TOGETHER: usize = 1 << 26;

/// The sums of a node.
#[derive(Debug, Clone)]
pub(super) struct NodeCell {
    words: Vec<u64>,
    count: u64,
}

/// What a node says, found when its rows were in ascending order.
type Described = (Summary, Vec<f64>);

/// What one of the trees learns.
#[derive(Debug)]
pub(crate) struct Learner<'a, T> {
    pub(crate) target: &'a T,
    pub(crate) draw: FeatureDraw,
}

/// Binned rows with targets, for trees that grow together.
pub(super) struct TargetCells<'a, T> {
    pub(super) learners: &'a [Learner<'a, T>],
    targets: Vec<TargetRows<'a>>,
    /// Where the rows of each tree end.
    ends: Vec<usize>,
    matrix: &'a BinnedMatrix,
    bins: &'a Bins,
    limits: &'a Limits,
    /// Nodes of up to so many rows are left undivided.
    small: u64,
    /// The least gain of a split of each tree, in units of the target.
    pub(super) least_gains: Vec<f64>,
    stream: &'a mut Stream,
    binned: &'a Binned<'a>,
    growing: &'a mut Growing,
    /// The rows that each slot has counted.
    slot_rows: Vec<Range<usize>>,
    described: HashMap<Range<usize>, Described>,
    /// The thresholds of the nodes' splits.
    thresholds: HashMap<Range<usize>, f32>,
}

/// Where trees grow: the binned rows on a device.
pub(super) struct Ground<'a> {
    pub(super) matrix: &'a BinnedMatrix,
    pub(super) bins: &'a Bins,
    pub(super) stream: &'a mut Stream,
    pub(super) binned: &'a Binned<'a>,
    pub(super) growing: &'a mut Growing,
}

impl<'a, T: Target> TargetCells<'a, T> {
    /// Begins trees, and tells their roots.
    pub(super) fn begin(
        ground: Ground<'a>,
        learners: &'a [Learner<'a, T>],
        limits: &'a Limits,
        small: u64,
    ) -> Result<(TargetCells<'a, T>, Vec<grow::Root<NodeCell>>)> {
        let Ground { matrix, bins, stream, binned, growing } = ground;
        let targets: Vec<TargetRows<'a>> = learners.iter().map(|learner| learner.target.rows()).collect();
        let mut order = vec![];
        let mut ranges = vec![];
        for learner in learners {
            let start = order.len();
            order.extend((0..matrix.rows() as u32).filter(|row| learner.target.counts(*row as usize)));
            ranges.push(start..order.len());
        }
        growing.begin_targets(stream, &mut order, &targets)?;
        let (slot_rows, described, thresholds) = (vec![], HashMap::new(), HashMap::new());
        let (least_gains, ends) = (vec![0.0; learners.len()], ranges.iter().map(|range| range.end).collect());
        let mut cells = TargetCells {
            learners,
            targets,
            ends,
            matrix,
            bins,
            limits,
            small,
            least_gains,
            stream,
            binned,
            growing,
            slot_rows,
            described,
            thresholds,
        };
        let described: Vec<_> = ranges.par_iter().zip(learners).map(|(rows, own)| cells.describe(own, rows)).collect();
        let mut roots = vec![];
        for (number, (rows, (totals, described))) in ranges.into_iter().zip(described).enumerate() {
            let unit = learners[number].target.gain_unit();
            cells.least_gains[number] = limits.min_impurity_decrease * described.0.weight / unit;
            cells.described.insert(rows.clone(), described);
            roots.push(grow::Root { rows, totals });
        }
        Ok((cells, roots))
    }

    /// The rows of all trees, as the partitions so far left them.
    pub(super) fn order(&self) -> &[u32] {
        self.growing.known_order()
    }

    /// The sums of a range of rows and what it says.
    fn describe(&self, learner: &Learner<'_, T>, rows: &Range<usize>) -> (NodeCell, Described) {
        let (rows, target) = (&self.order()[rows.clone()], learner.target);
        let mut words = vec![0; target.words()];
        rows.iter().for_each(|row| target.add(*row as usize, &mut words));
        let mut values = Vec::with_capacity(target.outputs());
        let summary = target.summary(rows, &words, &mut values);
        (NodeCell { words, count: summary.count }, (summary, values))
    }

    /// Whose rows these are.
    fn learner(&self, rows: &Range<usize>) -> &Learner<'a, T> {
        &self.learners[self.ends.partition_point(|end| *end <= rows.start).min(self.learners.len() - 1)]
    }

    /// A grown tree with the values of its nodes and all gains in weight × impurity.
    pub(super) fn finish(&self, learner: &Learner<'_, T>, grown: &grow::Grown<NodeCell>) -> Tree {
        let mut finished = grown.tree.clone().with_outputs(learner.target.outputs());
        for (number, rows) in grown.rows.iter().enumerate() {
            let number = number as u32;
            let node = finished.node_mut(number);
            node.gain *= learner.target.gain_unit();
            if node.feature.is_some() {
                node.threshold = self.thresholds.get(rows).copied().unwrap_or(node.threshold);
            }
            if let Some((summary, values)) = self.described.get(rows) {
                let Summary { weight, count, impurity, .. } = *summary;
                *node = tree::Node { weight, count, impurity, ..*node };
                finished.value_mut(number).copy_from_slice(values);
            }
        }
        finished
    }

    /// The best split of each node of a search, whose histograms are `cells`.
    fn best(&self, searches: &[&Search<NodeCell>], cells: &[&[u64]]) -> Vec<Option<Split>> {
        let features = self.matrix.layout().features().len();
        let words = self.targets.first().map_or(1, TargetRows::words);
        let cells_of_feature = (self.matrix.layout().cells() * words).div_ceil(features.max(1)).max(1);
        let share = SEARCHED.div_ceil(cells_of_feature);
        let drawn: Vec<(Totals, FeatureOrder)> = searches.iter().map(|search| self.prepare(search)).collect();
        let shares = |at: usize| {
            let count = drawn[at].1.drawn().len();
            (0..count).step_by(share).map(move |first| (at, first..(first + share).min(count)))
        };
        let tasks: Vec<(usize, Range<usize>)> = (0..searches.len()).flat_map(shares).collect();
        let found: Vec<Option<Split>> = tasks
            .par_iter()
            .map(|(at, range)| {
                let (totals, order) = &drawn[*at];
                self.scan(searches[*at], totals, &order.drawn()[range.clone()], cells[*at])
            })
            .collect();
        let mut winners: Vec<Option<Split>> = vec![None; searches.len()];
        for ((at, _), found) in tasks.into_iter().zip(found) {
            // Features ascend, so that the first of equal splits has the lowest.
            if let Some(found) = found
                && winners[at].as_ref().is_none_or(|winner| found.gain > winner.gain)
            {
                winners[at] = Some(found);
            }
        }
        let finished = |(at, winner): (usize, Option<Split>)| winner.or_else(|| self.redraw(searches[at], &drawn[at]));
        winners.into_par_iter().enumerate().map(finished).collect()
    }

    /// The sums of a node as numbers, and the features it looks at.
    fn prepare(&self, search: &Search<NodeCell>) -> (Totals, FeatureOrder) {
        let Learner { target, draw } = &self.learners[search.tree];
        let (mut totals, mut order) = (Totals::default(), FeatureOrder::default());
        target.totals(&search.totals.words, &mut totals);
        draw.start(search.path, &mut order);
        (totals, order)
    }

    fn node<'b>(&'b self, search: &'b Search<NodeCell>, totals: &'b Totals) -> Node<'b, T> {
        let NodeCell { words: cell, count } = &search.totals;
        let min_samples_leaf = self.limits.min_samples_leaf as u64;
        let bounds = Bounds { totals, count: *count, min_samples_leaf };
        Node { target: self.learners[search.tree].target, cell, bounds }
    }

    /// The best split of one node by some of the features.
    fn scan(&self, search: &Search<NodeCell>, totals: &Totals, features: &[u32], cells: &[u64]) -> Option<Split> {
        let node = self.node(search, totals);
        let (mut room, mut best) = (ScanRoom::default(), None);
        for &feature in features {
            let place = &self.matrix.layout().features()[feature as usize];
            let own = &cells[place.first as usize * node.cell.len()..];
            scan(&node, self.bins, feature, place, own, &mut room, &mut best);
        }
        best
    }

    /// A node that found no split by the features it drew goes on drawing: rare, so its rows are counted here.
    fn redraw(&self, search: &Search<NodeCell>, drawn: &(Totals, FeatureOrder)) -> Option<Split> {
        let draw = self.learners[search.tree].draw;
        if draw.takes_all() {
            return None;
        }
        let rows = &self.order()[self.slot_rows[search.slot].clone()];
        BinnedSplitter::new(self.matrix, self.bins, draw).best_split(&self.node(search, &drawn.0), search.path, rows)
    }
}

impl<T: Target> Cells for TargetCells<'_, T> {
    type Totals = NodeCell;

    fn count(totals: &NodeCell) -> u64 {
        totals.count
    }

    fn may_divide(&self, totals: &NodeCell) -> bool {
        let Limits { min_samples_split, min_samples_leaf, .. } = *self.limits;
        let small = totals.count < min_samples_split as u64 || totals.count / 2 < min_samples_leaf as u64;
        let pure = self.learners.first().is_some_and(|learner| learner.target.is_pure(&totals.words));
        !small && !pure && totals.count > self.small
    }

    fn levels(&self) -> &Arc<Levels> {
        self.bins.levels()
    }

    fn threshold(&self, feature: u32, bin: u16) -> f32 {
        self.bins.threshold(feature as usize, bin)
    }

    fn ahead(&self) -> usize {
        self.growing.ahead()
    }

    /// Nodes were described before their rows were divided, and nobody reads the order later.
    fn rejoin(&mut self, _: Vec<Range<usize>>) {}

    fn slots(&self) -> usize {
        self.growing.slots(self.binned)
    }

    fn fill(&mut self, fills: &[Fill]) -> Result<()> {
        let most = fills.iter().map(|fill| fill.slot + 1).max().unwrap_or(0).max(self.slot_rows.len());
        self.slot_rows.resize(most, 0..0);
        for fill in fills {
            if let Some(parent) = fill.parent {
                // The sibling has the rows before or behind.
                let all = &mut self.slot_rows[parent];
                *all = if all.start == fill.rows.start { fill.rows.end..all.end } else { all.start..fill.rows.start };
            }
            self.slot_rows[fill.slot] = fill.rows.clone();
        }
        target_histogram(self.stream, self.binned, self.growing, &self.targets, fills)
    }

    fn search(&mut self, searches: &[Search<NodeCell>]) -> Result<Vec<Option<grow::Split<NodeCell>>>> {
        let pure = |search: &Search<NodeCell>| {
            self.described.get(&self.slot_rows[search.slot]).is_some_and(|(summary, _)| summary.pure)
        };
        let open: Vec<usize> = (0..searches.len()).filter(|at| !pure(&searches[*at])).collect();
        let mut winners: Vec<Option<Split>> = vec![None; searches.len()];
        let words = self.targets.first().map_or(1, TargetRows::words);
        let together = TOGETHER / (8 * words * self.binned.cells()).max(1);
        for open in open.chunks(together.max(1)) {
            let wanted: Vec<&Search<NodeCell>> = open.iter().map(|at| &searches[*at]).collect();
            let slots: Vec<usize> = wanted.iter().map(|search| search.slot).collect();
            let cells = read(self.stream, self.binned, self.growing, &slots)?;
            let cells: Vec<&[u64]> = cells.iter().map(|cells| &**cells).collect();
            open.iter().zip(self.best(&wanted, &cells)).for_each(|(at, found)| winners[*at] = found);
        }
        let mut splits = Vec::with_capacity(searches.len());
        for (winner, search) in winners.into_iter().zip(searches) {
            let (target, least) = (self.learners[search.tree].target, self.least_gains[search.tree]);
            splits.push(winner.filter(|winner| winner.gain >= least).map(|winner| {
                let Split { feature, bin, threshold, levels, missing_left, gain, left } = winner;
                self.thresholds.insert(self.slot_rows[search.slot].clone(), threshold);
                let whole = |words: Vec<u64>| NodeCell { count: target.count(&words), words };
                let mut right = search.totals.words.clone();
                take_cell(&mut right, &left);
                grow::Split { feature, bin, levels, missing_left, gain, left: whole(left), right: whole(right) }
            }));
        }
        Ok(splits)
    }

    fn partition(&mut self, cuts: &[Cut]) -> Result<Vec<usize>> {
        let cut = |cut: &Cut| ops::Cut {
            rows: cut.rows.clone(),
            route: self.matrix.layout().route(cut.feature, cut.bin, cut.levels.as_ref(), cut.missing_left),
            left: Some(cut.left),
        };
        let routes: Vec<ops::Cut> = cuts.iter().map(cut).collect();
        let lefts = partition(self.stream, self.binned, self.growing, &routes)?;
        self.growing.order(self.stream)?;
        let children = cuts.iter().zip(&lefts).flat_map(|(Cut { rows, .. }, left)| {
            let middle = rows.start + left;
            [rows.start..middle, middle..rows.end]
        });
        let children: Vec<Range<usize>> = children.collect();
        let described: Vec<_> = children.par_iter().map(|rows| self.describe(self.learner(rows), rows).1).collect();
        self.described.extend(children.into_iter().zip(described));
        Ok(lefts)
    }
}
