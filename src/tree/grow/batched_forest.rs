//! Trees that grow together on a device: all their nodes of a level are one batch.

use rayon::prelude::*;

use super::sequential::{SubtreeStart, grow_from};
use super::target_cells::{NodeCell, TargetCells};
use super::{Cells, GrowContext, GrowLimits, GrowOrder, Grown, TreeLearner, grow};
use crate::cpu::tree::splitters::{BinnedSplitter, ROOT};
use crate::cpu::tree::target::TreeTarget;
use crate::device::Device;
use crate::error::Result;
use crate::tree::bins::{BinnedMatrix, Bins};
use crate::tree::model::Tree;
use crate::tree::parameters::TreeLimits;

/// On a GPU nodes of up to so many rows are finished by the host: the cells of a histogram are thousands, and to clear
/// them and bring them back costs more than to count so few rows.
const SMALL: u64 = 1024;

/// Binned rows on a device, for trees that grow there.
pub(crate) struct BatchedForest<'a> {
    context: GrowContext<'a>,
    device: Device,
    small: u64,
}

impl<'a> BatchedForest<'a> {
    /// Brings the binned rows to the device.
    pub(crate) fn new(matrix: &'a BinnedMatrix, bins: &'a Bins, device: &Device) -> Result<BatchedForest<'a>> {
        let small = if matches!(device, Device::Cpu) { 0 } else { SMALL };
        Ok(BatchedForest { context: GrowContext::new(matrix, bins, device)?, device: device.clone(), small })
    }

    /// How many trees with such targets may grow together.
    pub(crate) fn max_trees<T: TreeTarget>(&self, target: &T) -> usize {
        self.context.state.max_trees(&target.rows())
    }

    /// Grows a tree for each learner; each has a row that counts. The same trees as those of
    /// [`sequential::grow`](super::sequential::grow).
    pub(crate) fn grow<T: TreeTarget>(
        &mut self,
        learners: &[TreeLearner<'_, T>],
        limits: &TreeLimits,
    ) -> Result<Vec<Tree>> {
        let order = if limits.max_leaf_nodes.is_some() { GrowOrder::BestFirst } else { GrowOrder::LevelByLevel };
        // Which leaf is best is known only when the gains of all are.
        let small = if order == GrowOrder::BestFirst { 0 } else { self.small };
        let (mut cells, roots) = TargetCells::begin(&mut self.context, learners, limits, small)?;
        let max_depth = limits.max_depth.unwrap_or(usize::MAX);
        let max_leaves = limits.max_leaf_nodes.unwrap_or(usize::MAX);
        let grown = grow(&mut cells, roots, &GrowLimits { order, max_depth, max_leaves })?;
        let small: Vec<SmallNode> = if small == 0 { vec![] } else { small_nodes(&cells, &grown) };
        // Nodes of numbers are described by their rows.
        if !small.is_empty() || cells.needs_rows() {
            cells.fetch_order()?;
        }
        let finished: Vec<(Tree, Vec<bool>)> =
            learners.par_iter().zip(&grown).map(|(own, grown)| cells.finish(own, grown)).collect();
        Ok(if order == GrowOrder::BestFirst || matches!(self.device, Device::Cpu) {
            finished.into_iter().map(|(tree, _)| tree).collect()
        } else {
            complete(&cells, finished, &grown, &small, limits)
        })
    }
}

/// A leaf that the host may split.
struct SmallNode {
    tree: usize,
    node: u32,
    start: SubtreeStart,
}

/// Splits the leaves that were left because they are small, each on one core. What was split although it was pure, which a
/// device does not see in sums of numbers, is a leaf again.
fn complete<T: TreeTarget>(
    cells: &TargetCells<'_, '_, T>,
    finished: Vec<(Tree, Vec<bool>)>,
    grown: &[Grown<NodeCell>],
    small: &[SmallNode],
    limits: &TreeLimits,
) -> Vec<Tree> {
    let GrowContext { matrix, bins, .. } = cells.context();
    let subtrees: Vec<Tree> = small
        .par_iter()
        .map_init(
            || None,
            |splitter, SmallNode { tree, node, start }| {
                let TreeLearner { target, draw } = &cells.learners[*tree];
                let splitter = splitter.get_or_insert_with(|| BinnedSplitter::new(matrix.table(bins), *draw));
                splitter.draw_by(*draw);
                let rows = cells.order()[grown[*tree].rows[*node as usize].clone()].to_vec();
                let start = SubtreeStart { min_gain: Some(cells.min_gains[*tree]), ..*start };
                grow_from(*target, splitter, rows, limits, start)
            },
        )
        .collect();
    let (mut trees, pure): (Vec<Tree>, Vec<Vec<bool>>) = finished.into_iter().unzip();
    for (SmallNode { tree, node, .. }, subtree) in small.iter().zip(&subtrees) {
        trees[*tree].graft(*node, subtree);
    }
    let numbered = |(tree, pure): (&Tree, &Vec<bool>)| {
        let keeps = |node: u32| !pure.get(node as usize).copied().unwrap_or(false);
        tree.by_level(keeps).with_categories(bins.categories())
    };
    trees.par_iter().zip(&pure).map(numbered).collect()
}

/// The leaves of all trees that the limits allow to split, with their ways from the root.
fn small_nodes<T: TreeTarget>(cells: &TargetCells<'_, '_, T>, grown: &[Grown<NodeCell>]) -> Vec<SmallNode> {
    let mut small = vec![];
    for (tree, Grown { tree: nodes, totals, .. }) in grown.iter().enumerate() {
        let mut ways = vec![(ROOT, 0); totals.len()];
        for (number, (node, totals)) in nodes.nodes().iter().zip(totals).enumerate() {
            let (path, depth) = ways[number];
            if node.feature.is_some() {
                let first = path.wrapping_mul(2);
                ways[node.children[0] as usize] = (first, depth + 1);
                ways[node.children[1] as usize] = (first.wrapping_add(1), depth + 1);
            } else if cells.may_grow(totals, depth) {
                let start = SubtreeStart { path, depth, min_gain: None };
                small.push(SmallNode { tree, node: number as u32, start });
            }
        }
    }
    small
}
