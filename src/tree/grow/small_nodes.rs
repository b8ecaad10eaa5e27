//! What is left of trees on a device when all open nodes are small: they are searched by their rows, without histograms.

use super::target_cells::{NodeCell, TargetCells};
use super::{Cells, Grown, NodeSplit, OpenNode};
use crate::cpu::tree::splitters::{ROOT, paths_below};
use crate::cpu::tree::target::TreeTarget;
use crate::error::Result;

/// A leaf that may be split.
pub(super) struct SmallNode {
    /// Its number in its tree.
    pub number: u32,
    pub open: OpenNode<NodeCell>,
}

/// The leaves of all trees that the limits allow to split, with their ways from the root.
pub(super) fn small_nodes<T: TreeTarget>(cells: &TargetCells<'_, '_, T>, grown: &[Grown<NodeCell>]) -> Vec<SmallNode> {
    let mut small = vec![];
    for (tree, Grown { tree: nodes, totals, rows }) in grown.iter().enumerate() {
        let mut ways = vec![(ROOT, 0); totals.len()];
        for (at, (node, totals)) in nodes.nodes().iter().zip(totals).enumerate() {
            let (path, depth) = ways[at];
            if node.feature.is_some() {
                for (child, path) in node.children.into_iter().zip(paths_below(path)) {
                    ways[child as usize] = (path, depth + 1);
                }
            } else if cells.may_grow(totals, depth) {
                let open = OpenNode { tree, path, depth, rows: rows[at].clone(), totals: totals.clone(), slot: 0 };
                small.push(SmallNode { number: at as u32, open });
            }
        }
    }
    small
}

/// Splits small nodes until none can be split, all of a level together: one wait for each. Those of up to `tiny` rows are left, and
/// returned.
pub(super) fn grow_by_rows<T: TreeTarget>(
    cells: &mut TargetCells<'_, '_, T>,
    grown: &mut [Grown<NodeCell>],
    mut small: Vec<SmallNode>,
    tiny: u64,
) -> Result<Vec<SmallNode>> {
    let mut left = vec![];
    loop {
        left.extend(small.extract_if(.., |node| TargetCells::<T>::count(&node.open.totals) <= tiny));
        if small.is_empty() {
            return Ok(left);
        }
        // Partitions take ranges that ascend.
        small.sort_by_key(|node| node.open.rows.start);
        let (numbers, open): (Vec<u32>, Vec<OpenNode<NodeCell>>) =
            small.into_iter().map(|node| (node.number, node.open)).unzip();
        let splits = cells.splits_by_rows(&open)?;
        let (mut children, mut partitions) = (vec![], vec![]);
        for ((parent, node), split) in numbers.into_iter().zip(&open).zip(splits) {
            if let Some(split) = split {
                let before = children.len();
                split_leaf(cells, &mut grown[node.tree], (parent, node), &split, &mut children);
                // The order of rows that nobody looks at again may stay as it is.
                if children.len() > before || cells.sums_rows() {
                    let left = TargetCells::<T>::count(&split.children[0]) as usize;
                    partitions.push(cells.context().node_partition(node.rows.clone(), &split.rule, left));
                }
            }
        }
        if !partitions.is_empty() {
            Cells::partition(cells, &partitions)?;
        }
        small = children;
    }
}

/// Puts a split into its tree; its children that may be split are added to `open`.
fn split_leaf<T: TreeTarget>(
    cells: &TargetCells<'_, '_, T>,
    grown: &mut Grown<NodeCell>,
    (parent, node): (u32, &OpenNode<NodeCell>),
    split: &NodeSplit<NodeCell>,
    open: &mut Vec<SmallNode>,
) {
    let (numbers, depth) = (grown.tree.split(parent, &split.rule, split.gain), node.depth + 1);
    let middle = node.rows.start + TargetCells::<T>::count(&split.children[0]) as usize;
    let (paths, ranges) = (paths_below(node.path), [node.rows.start..middle, middle..node.rows.end]);
    for (side, (number, rows)) in numbers.into_iter().zip(ranges).enumerate() {
        let totals = &split.children[side];
        grown.tree.node_mut(number).count = TargetCells::<T>::count(totals);
        grown.rows.push(rows.clone());
        grown.totals.push(totals.clone());
        if cells.may_grow(totals, depth) {
            let path = paths[side];
            let child = OpenNode { tree: node.tree, path, depth, rows, totals: totals.clone(), slot: 0 };
            open.push(SmallNode { number, open: child });
        }
    }
}
