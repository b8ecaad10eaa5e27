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
    small: u64,
}

impl<'a> BatchedForest<'a> {
    /// Brings the binned rows to the device.
    pub(crate) fn new(matrix: &'a BinnedMatrix, bins: &'a Bins, device: &Device) -> Result<BatchedForest<'a>> {
        let small = if matches!(device, Device::Cpu) { 0 } else { SMALL };
        Ok(BatchedForest { context: GrowContext::new(matrix, bins, device)?, small })
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
        let trees: Vec<Tree> = learners.iter().zip(&grown).map(|(own, grown)| cells.finish(own, grown)).collect();
        Ok(if small == 0 { trees } else { complete(&cells, trees, &grown, limits) })
    }
}

/// A leaf that the host may split.
struct SmallNode {
    tree: usize,
    node: u32,
    start: SubtreeStart,
}

/// Splits the leaves that were left because they are small, each on one core.
fn complete<T: TreeTarget>(
    cells: &TargetCells<'_, '_, T>,
    mut trees: Vec<Tree>,
    grown: &[Grown<NodeCell>],
    limits: &TreeLimits,
) -> Vec<Tree> {
    let GrowContext { matrix, bins, .. } = cells.context();
    let small: Vec<SmallNode> = trees.iter().enumerate().flat_map(|(tree, grown)| leaves(tree, grown)).collect();
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
    for (SmallNode { tree, node, .. }, subtree) in small.iter().zip(&subtrees) {
        trees[*tree].graft(*node, subtree);
    }
    trees.par_iter().map(|tree| tree.by_level(|_| true).with_categories(bins.categories())).collect()
}

/// The leaves of a tree, with their ways from the root.
fn leaves(tree: usize, grown: &Tree) -> Vec<SmallNode> {
    let mut ways = vec![(ROOT, 0); grown.nodes().len()];
    let mut leaves = vec![];
    for (number, node) in grown.nodes().iter().enumerate() {
        let (path, depth) = ways[number];
        if node.feature.is_none() {
            let start = SubtreeStart { path, depth, min_gain: None };
            leaves.push(SmallNode { tree, node: number as u32, start });
        } else {
            let first = path.wrapping_mul(2);
            ways[node.children[0] as usize] = (first, depth + 1);
            ways[node.children[1] as usize] = (first.wrapping_add(1), depth + 1);
        }
    }
    leaves
}
