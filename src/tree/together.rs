//! Trees that grow together on a device: all their nodes of a level are one batch.

use rayon::prelude::*;

use super::binned::BinnedSplitter;
use super::bins::{BinnedMatrix, Bins};
use super::features::ROOT;
use super::grow::{self, Grown, Order};
use super::parameters::Limits;
use super::sequential::{Start, grow_from};
use super::target::Target;
use super::target_cells::{Ground, Learner, NodeCell, TargetCells};
use super::tree::Tree;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops::tree::{Binned, Growing};

/// On a GPU nodes of up to so many rows are finished by the host: the cells of a histogram are thousands, and to clear
/// them and bring them back costs more than to count so few rows.
const SMALL: u64 = 1024;

/// Binned rows on a device, for trees that grow there.
pub(crate) struct Together<'a> {
    matrix: &'a BinnedMatrix,
    bins: &'a Bins,
    stream: Stream,
    binned: Binned<'a>,
    growing: Growing,
    small: u64,
}

impl<'a> Together<'a> {
    /// Brings the binned rows to the device.
    pub(crate) fn new(matrix: &'a BinnedMatrix, bins: &'a Bins, device: &Device) -> Result<Together<'a>> {
        let mut stream = device.stream();
        let layout = matrix.layout();
        let binned = Binned::new(&mut stream, matrix.view(), layout.starts(), layout.features())?;
        let growing = Growing::new(&stream);
        let small = if matches!(device, Device::Cpu) { 0 } else { SMALL };
        Ok(Together { matrix, bins, stream, binned, growing, small })
    }

    /// How many trees with such targets may grow together.
    pub(crate) fn most_trees<T: Target>(&self, target: &T) -> usize {
        self.growing.most_trees(&target.rows())
    }

    /// Grows a tree for each learner; each has a row that counts. The same trees as those of
    /// [`sequential::grow`](super::sequential::grow).
    pub(crate) fn grow<T: Target>(&mut self, learners: &[Learner<'_, T>], limits: &Limits) -> Result<Vec<Tree>> {
        let order = if limits.max_leaf_nodes.is_some() { Order::BestFirst } else { Order::LevelByLevel };
        // The best leaf can only be told when the gains of all are known.
        let small = if order == Order::BestFirst { 0 } else { self.small };
        let Together { matrix, bins, stream, binned, growing, .. } = self;
        let ground = Ground { matrix, bins, stream, binned, growing };
        let (mut cells, roots) = TargetCells::begin(ground, learners, limits, small)?;
        let max_depth = limits.max_depth.unwrap_or(usize::MAX);
        let max_leaves = limits.max_leaf_nodes.unwrap_or(usize::MAX);
        let grown = grow::grow(&mut cells, roots, &grow::Limits { order, max_depth, max_leaves })?;
        let trees: Vec<Tree> = learners.iter().zip(&grown).map(|(own, grown)| cells.finish(own, grown)).collect();
        match small {
            0 => Ok(trees),
            _ => Ok(complete((matrix, bins), &cells, trees, &grown, limits)),
        }
    }
}

/// A leaf that the host may divide.
struct SmallNode {
    tree: usize,
    node: u32,
    start: Start,
}

/// Divides the leaves that were left because they are small, each on one core.
fn complete<T: Target>(
    (matrix, bins): (&BinnedMatrix, &Bins),
    cells: &TargetCells<'_, T>,
    trees: Vec<Tree>,
    grown: &[Grown<NodeCell>],
    limits: &Limits,
) -> Vec<Tree> {
    let small: Vec<SmallNode> = trees.iter().enumerate().flat_map(|(tree, grown)| leaves(tree, grown)).collect();
    let subtrees: Vec<Tree> = small
        .par_iter()
        .map_init(
            || None,
            |splitter, SmallNode { tree, node, start }| {
                let Learner { target, draw } = &cells.learners[*tree];
                let splitter = splitter.get_or_insert_with(|| BinnedSplitter::new(matrix, bins, *draw));
                splitter.draw_by(*draw);
                let rows = cells.order()[grown[*tree].rows[*node as usize].clone()].to_vec();
                let start = Start { least_gain: Some(cells.least_gains[*tree]), ..*start };
                grow_from(*target, splitter, rows, limits, start)
            },
        )
        .collect();
    let mut trees = trees;
    for (SmallNode { tree, node, .. }, subtree) in small.iter().zip(&subtrees) {
        trees[*tree].graft(*node, subtree);
    }
    trees.par_iter().map(|tree| tree.by_level(|_| true).with_levels(bins.levels())).collect()
}

/// The leaves of a tree, with their ways from the root.
fn leaves(tree: usize, grown: &Tree) -> Vec<SmallNode> {
    let mut ways = vec![(ROOT, 0); grown.nodes().len()];
    let mut leaves = vec![];
    for (number, node) in grown.nodes().iter().enumerate() {
        let (path, depth) = ways[number];
        if node.feature.is_none() {
            leaves.push(SmallNode { tree, node: number as u32, start: Start { path, depth, least_gain: None } });
        } else {
            let first = path.wrapping_mul(2);
            ways[node.children[0] as usize] = (first, depth + 1);
            ways[node.children[1] as usize] = (first.wrapping_add(1), depth + 1);
        }
    }
    leaves
}
