//! Trees by classes or numbers, all nodes of a level together: the target cells of the grower.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::bins::{BinnedMatrix, Bins};
use super::grow::{self, Cells, Cut, Fill, Order, Root, Search};
use super::levels::Levels;
use super::parameters::Limits;
use super::scan::{ScanRoom, scan};
use super::split::{Node, Split};
use super::target::{Bounds, Summary, Target, Totals, take_cell};
use super::tree::{self, Tree};
use crate::cpu::tree::class_histogram::Column;
use crate::cpu::tree::partition::partition;
use crate::error::Result;

/// Bytes of kept histograms.
const KEPT: usize = 1 << 28;
/// Bytes of the cells that one task counts in: what the first cache holds beside the rows.
const CACHED: usize = 1 << 14;
/// Bins times words that one task searches at least.
const SEARCHED: usize = 1 << 12;

/// The sums of a node.
#[derive(Debug, Clone)]
pub(crate) struct NodeCell {
    words: Vec<u64>,
    count: u64,
}

/// What a node says, found when its rows were in ascending order.
type Described = (Summary, Vec<f64>);

/// Binned rows with a target, for one tree that looks at all features.
struct TargetCells<'a, T> {
    target: &'a T,
    matrix: &'a BinnedMatrix,
    bins: &'a Bins,
    limits: &'a Limits,
    /// The least gain of a split, in units of the target.
    least_gain: f64,
    order: Vec<u32>,
    scratch: Vec<u32>,
    /// Ranges of columns that one task counts.
    groups: Vec<Range<usize>>,
    slots: Vec<Vec<u64>>,
    /// The rows that each slot has counted.
    slot_rows: Vec<Range<usize>>,
    described: HashMap<Range<usize>, Described>,
    /// The thresholds of the nodes' splits.
    thresholds: HashMap<Range<usize>, f32>,
}

/// Grows a tree from rows, in ascending order, that all count; there is one at least. The same tree as
/// [`sequential::grow`](super::sequential::grow) with all features.
pub(crate) fn grow_together<T: Target>(
    target: &T,
    matrix: &BinnedMatrix,
    bins: &Bins,
    rows: Vec<u32>,
    limits: &Limits,
) -> Result<Tree> {
    let all = 0..rows.len();
    let groups = groups(matrix.layout().starts(), target.words());
    let (described, slots, slot_rows, scratch) = (HashMap::new(), vec![], vec![], vec![0; rows.len()]);
    let order = rows;
    let mut cells = TargetCells {
        target,
        matrix,
        bins,
        limits,
        least_gain: 0.0,
        order,
        scratch,
        groups,
        slots,
        slot_rows,
        described,
        thresholds: HashMap::new(),
    };
    let (root, described) = cells.describe(all.clone());
    cells.least_gain = limits.min_impurity_decrease * described.0.weight / target.gain_unit();
    let divisible = !described.0.pure;
    cells.described.insert(all.clone(), described);
    let order = if limits.max_leaf_nodes.is_some() { Order::BestFirst } else { Order::LevelByLevel };
    let max_depth = if divisible { limits.max_depth.unwrap_or(usize::MAX) } else { 0 };
    let max_leaves = limits.max_leaf_nodes.unwrap_or(usize::MAX);
    let roots = vec![Root { rows: all, totals: root }];
    let grown = grow::grow(&mut cells, roots, &grow::Limits { order, max_depth, max_leaves })?;
    let outputs = target.outputs();
    Ok(grown.into_iter().next().map_or_else(|| Tree::leaf(outputs, tree::Node::default()), |grown| cells.finish(grown)))
}

/// Columns that are counted together, so that their cells stay in the first cache.
fn groups(starts: &[u32], words: usize) -> Vec<Range<usize>> {
    let columns = starts.len() - 1;
    let mut groups: Vec<Range<usize>> = vec![];
    for column in 0..columns {
        match groups.last_mut() {
            Some(group) if (starts[column + 1] - starts[group.start]) as usize * words * 8 <= CACHED => {
                group.end = column + 1;
            }
            _ => groups.push(column..column + 1),
        }
    }
    groups
}

impl<T: Target> TargetCells<'_, T> {
    /// The sums of a range of rows and what it says.
    fn describe(&self, rows: Range<usize>) -> (NodeCell, Described) {
        let rows = &self.order[rows];
        let mut words = vec![0; self.target.words()];
        rows.iter().for_each(|row| self.target.add(*row as usize, &mut words));
        let mut values = Vec::with_capacity(self.target.outputs());
        let summary = self.target.summary(rows, &words, &mut values);
        (NodeCell { words, count: summary.count }, (summary, values))
    }

    /// The grown tree with the values of its nodes and all gains in weight × impurity.
    fn finish(&self, grown: grow::Grown<NodeCell>) -> Tree {
        let mut finished = grown.tree.with_outputs(self.target.outputs());
        for (number, rows) in grown.rows.iter().enumerate() {
            let number = number as u32;
            let node = finished.node_mut(number);
            node.gain *= self.target.gain_unit();
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

    /// The best split of one node by some of the features.
    fn best(&self, search: &Search<NodeCell>, totals: &Totals, features: Range<usize>) -> Option<Split> {
        let NodeCell { words: cell, count } = &search.totals;
        let min_samples_leaf = self.limits.min_samples_leaf as u64;
        let node = Node { target: self.target, cell, bounds: Bounds { totals, count: *count, min_samples_leaf } };
        let (mut room, mut best) = (ScanRoom::default(), None);
        for feature in features {
            let place = &self.matrix.layout().features()[feature];
            let cells = &self.slots[search.slot][place.first as usize * cell.len()..];
            scan(&node, self.bins, feature as u32, place, cells, &mut room, &mut best);
        }
        best
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
        !small && !self.target.is_pure(&totals.words)
    }

    fn levels(&self) -> &Arc<Levels> {
        self.bins.levels()
    }

    fn threshold(&self, feature: u32, bin: u16) -> f32 {
        self.bins.threshold(feature as usize, bin)
    }

    fn slots(&self) -> usize {
        KEPT / (8 * self.matrix.layout().cells() * self.target.words()).max(1)
    }

    fn fill(&mut self, fills: &[Fill]) -> Result<()> {
        let most = fills.iter().map(|fill| fill.slot + 1).max().unwrap_or(0).max(self.slots.len());
        self.slots.resize(most, vec![]);
        self.slot_rows.resize(most, 0..0);
        let (words, starts) = (self.target.words(), self.matrix.layout().starts());
        let mut made: Vec<Vec<u64>> = fills.iter().map(|fill| std::mem::take(&mut self.slots[fill.slot])).collect();
        let mut tasks: Vec<(&[u32], &Range<usize>, &mut [u64])> = vec![];
        for (fill, made) in fills.iter().zip(&mut made) {
            made.resize(self.matrix.layout().cells() * words, 0);
            let mut rest = made.as_mut_slice();
            for group in &self.groups {
                let cells = (starts[group.end] - starts[group.start]) as usize;
                let (own, others) = rest.split_at_mut(cells * words);
                tasks.push((&self.order[fill.rows.clone()], group, own));
                rest = others;
            }
        }
        let count = |(rows, group, cells): (&[u32], &Range<usize>, &mut [u64])| {
            cells.fill(0);
            let column = |column: usize| Column { column: column as u32, first: starts[column] - starts[group.start] };
            let columns: Vec<Column> = group.clone().map(column).collect();
            self.target.fill(self.matrix.view(), &columns, rows, cells);
        };
        tasks.into_par_iter().for_each(count);
        for (fill, made) in fills.iter().zip(made) {
            if let Some(parent) = fill.parent {
                take_cell(&mut self.slots[parent], &made);
                // The sibling has the rows before or behind.
                let all = &mut self.slot_rows[parent];
                *all = if all.start == fill.rows.start { fill.rows.end..all.end } else { all.start..fill.rows.start };
            }
            self.slots[fill.slot] = made;
            self.slot_rows[fill.slot] = fill.rows.clone();
        }
        Ok(())
    }

    fn search(&mut self, searches: &[Search<NodeCell>]) -> Result<Vec<Option<grow::Split<NodeCell>>>> {
        let features = self.matrix.layout().features().len();
        let cells_of_feature = (self.matrix.layout().cells() * self.target.words()).div_ceil(features.max(1)).max(1);
        let share = SEARCHED.div_ceil(cells_of_feature);
        let totals: Vec<Totals> = searches
            .iter()
            .map(|search| {
                let mut totals = Totals::default();
                self.target.totals(&search.totals.words, &mut totals);
                totals
            })
            .collect();
        let pure = |search: &Search<NodeCell>| {
            self.described.get(&self.slot_rows[search.slot]).is_some_and(|(summary, _)| summary.pure)
        };
        let shares =
            |at: usize| (0..features).step_by(share).map(move |first| (at, first..(first + share).min(features)));
        let open = (0..searches.len()).filter(|at| !pure(&searches[*at]));
        let tasks: Vec<(usize, Range<usize>)> = open.flat_map(shares).collect();
        let best = |(at, features): &(usize, Range<usize>)| self.best(&searches[*at], &totals[*at], features.clone());
        let found: Vec<Option<Split>> = tasks.par_iter().map(best).collect();
        let mut winners: Vec<Option<Split>> = vec![None; searches.len()];
        for ((at, _), found) in tasks.into_iter().zip(found) {
            // Features ascend, so that the first of equal splits has the lowest.
            if let Some(found) = found
                && winners[at].as_ref().is_none_or(|winner| found.gain > winner.gain)
            {
                winners[at] = Some(found);
            }
        }
        let whole = |words: Vec<u64>| NodeCell { count: self.target.count(&words), words };
        let mut splits = Vec::with_capacity(searches.len());
        for (winner, search) in winners.into_iter().zip(searches) {
            splits.push(winner.filter(|winner| winner.gain >= self.least_gain).map(|winner| {
                let Split { feature, bin, threshold, levels, missing_left, gain, left } = winner;
                self.thresholds.insert(self.slot_rows[search.slot].clone(), threshold);
                let mut right = search.totals.words.clone();
                take_cell(&mut right, &left);
                grow::Split { feature, bin, levels, missing_left, gain, left: whole(left), right: whole(right) }
            }));
        }
        Ok(splits)
    }

    fn partition(&mut self, cuts: &[Cut]) -> Result<Vec<usize>> {
        let route = |cut: &Cut| self.matrix.layout().route(cut.feature, cut.bin, cut.levels.as_ref(), cut.missing_left);
        let routes: Vec<_> = cuts.iter().map(|cut| (cut.rows.clone(), route(cut))).collect();
        let lefts = partition(self.matrix.view(), &mut self.order, &mut self.scratch, &routes);
        let children = cuts.iter().zip(&lefts).flat_map(|(Cut { rows, .. }, left)| {
            let middle = rows.start + left;
            [rows.start..middle, middle..rows.end]
        });
        let children: Vec<Range<usize>> = children.collect();
        let described: Vec<_> = children.par_iter().map(|rows| self.describe(rows.clone()).1).collect();
        self.described.extend(children.into_iter().zip(described));
        Ok(lefts)
    }
}
