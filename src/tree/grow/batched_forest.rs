//! Trees that grow together on a device: all their nodes of a level are one batch.

use rayon::prelude::*;

use super::leaf::{OpenLeaf, open_leaves};
use super::sequential::{SubtreeStart, grow_from};
use super::target_cells::{NodeCell, TargetCells};
use super::{Cells, GrowContext, GrowOrder, SplitSource, TreeBatch, TreeLearner, grow};
use crate::cpu::tree::splitters::{BinnedSplitter, RandomSplitter, SplitterRows};
use crate::cpu::tree::target::TreeTarget;
use crate::device::Device;
use crate::error::Result;
use crate::ops::tree::target_split::takes_rows;
use crate::tree::bins::{BinnedMatrix, Bins};
use crate::tree::model::Tree;
use crate::tree::parameters::TreeLimits;

/// On a GPU nodes of up to so many rows have no histograms: the cells of one are thousands, and to clear them costs more than to
/// count so few rows in the features that are drawn. Where features are categorical the host finishes them.
const SMALL: u64 = 1 << 10;
/// The same where few features are drawn, and a histogram would count the smaller child in all of them. One of 64 lanes then adds
/// 256 rows in turn; where the roots alone are searches enough to fill a card, and so all are busy, 2,048.
const MANY: u64 = 1 << 14;
const MOST: u64 = 1 << 17;
/// Workgroups that fill a card.
const FILL: usize = 256;
/// Of deep trees nodes of up to so many rows are finished by the host, each on one core, for the rows of a node are then fewer
/// bytes than its entries in tables.
const TINY: u64 = 64;

/// Binned rows on a device, for trees that grow there.
pub(crate) struct BatchedForest<'a> {
    context: GrowContext<'a>,
    device: Device,
}

impl<'a> BatchedForest<'a> {
    /// Brings the binned rows to the device.
    pub(crate) fn new(matrix: &'a BinnedMatrix, bins: &'a Bins, device: &Device) -> Result<BatchedForest<'a>> {
        Ok(BatchedForest { context: GrowContext::new(matrix, bins, device)?, device: device.clone() })
    }

    /// How many trees with such targets may grow together, of bootstrap samples or of all rows.
    pub(crate) fn max_trees<T: TreeTarget>(&self, whole: &T, is_drawn: bool) -> usize {
        self.context.state.max_trees(&whole.rows(), is_drawn)
    }

    /// Nodes of up to so many rows have no histograms.
    fn small_rows<T: TreeTarget>(&self, learners: &[TreeLearner<'_, T>]) -> u64 {
        let GrowContext { stream, binned, .. } = &self.context;
        match (&self.device, learners.first()) {
            (Device::Cpu, _) | (_, None) => 0,
            (_, Some(TreeLearner { target, draw })) => {
                let takes_few = draw.takes_few() && takes_rows(stream, binned, target.words());
                rows_without_histogram(takes_few, learners.len() * draw.count())
            }
        }
    }

    /// Grows a tree for each learner; each has a row that counts. The same trees as those of
    /// [`sequential::grow`](super::sequential::grow).
    pub(crate) fn grow<T: TreeTarget>(
        &mut self,
        learners: &[TreeLearner<'_, T>],
        batch: TreeBatch<'_, T>,
        limits: &TreeLimits,
    ) -> Result<Vec<Tree>> {
        let grow_limits = limits.growth();
        let order = grow_limits.order;
        // Which leaf is best is known only when the gains of all are.
        let small = if order == GrowOrder::BestFirst { 0 } else { self.small_rows(learners) };
        let small = (small, tiny(limits, self.context.matrix.rows()));
        let (mut cells, roots) = TargetCells::begin(&mut self.context, learners, batch, limits, small)?;
        let grown = grow(&mut cells, roots, &grow_limits)?;
        let small = open_leaves(&cells, &grow_limits, &grown, SplitSource::Host);
        let squares = cells.learn_of(&grown, !small.is_empty())?;
        let finish =
            |(number, own): (usize, &TreeLearner<'_, T>)| cells.finish(own, &grown[number], squares.get(number));
        let finished: Vec<(Tree, Vec<bool>)> = learners.par_iter().enumerate().map(finish).collect();
        Ok(if order == GrowOrder::BestFirst || matches!(self.device, Device::Cpu) {
            finished.into_iter().map(|(tree, _)| tree).collect()
        } else {
            complete(&cells, finished, &small, limits)
        })
    }
}

/// Up to how many rows nodes have no histograms on a GPU, where the roots of all trees are so many searches of a node and a feature.
pub(crate) fn rows_without_histogram(takes_few: bool, searches: usize) -> u64 {
    match takes_few {
        false => SMALL,
        true if searches < FILL => MANY,
        true => MOST,
    }
}

/// Nodes of up to so many rows are left to the host: 0 where trees stay so small that their nodes, of some 200 bytes each, are
/// less than the order of their rows, or not much more.
fn tiny(limits: &TreeLimits, rows: usize) -> u64 {
    let stays_small = limits.max_depth.is_some_and(|depth| depth < 60 && rows >> 3 >= 1 << depth);
    if stays_small { 0 } else { TINY }
}

/// Splits the leaves that were left because they are small, each on one core. What was split although it was pure, which a
/// device does not see in sums of numbers, is a leaf again.
fn complete<T: TreeTarget>(
    cells: &TargetCells<'_, '_, T>,
    finished: Vec<(Tree, Vec<bool>)>,
    small: &[OpenLeaf<NodeCell>],
    limits: &TreeLimits,
) -> Vec<Tree> {
    let GrowContext { matrix, bins, .. } = cells.context();
    let subtree = |OpenLeaf { open, .. }: &OpenLeaf<NodeCell>| {
        let (TreeLearner { target, draw }, table) = (&cells.learners[open.tree], matrix.table(bins));
        let rows = cells.order()[open.rows.clone()].to_vec();
        let start = SubtreeStart { path: open.path, depth: open.depth, min_gain: Some(cells.min_gains[open.tree]) };
        match draw.cuts_at_random() {
            true => {
                let mut splitter = RandomSplitter::new(SplitterRows::Binned(table), *draw);
                grow_from(*target, &mut splitter, rows, limits, start)
            }
            false => grow_from(*target, &mut BinnedSplitter::new(table, *draw), rows, limits, start),
        }
    };
    let subtrees: Vec<Tree> = small.par_iter().map(subtree).collect();
    let (mut trees, pure): (Vec<Tree>, Vec<Vec<bool>>) = finished.into_iter().unzip();
    for (OpenLeaf { number, open }, subtree) in small.iter().zip(&subtrees) {
        trees[open.tree].graft(*number, subtree);
    }
    let numbered = |(tree, pure): (&Tree, &Vec<bool>)| {
        let keeps = |node: u32| !pure.get(node as usize).copied().unwrap_or(false);
        tree.by_level(keeps).with_categories(bins.categories())
    };
    trees.par_iter().zip(&pure).map(numbered).collect()
}
