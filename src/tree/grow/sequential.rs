//! One tree, node after node: by exact splits, or as one of the many trees of a forest.
//!
//! Apart from the grower: most nodes have a few rows, and what a batch keeps of each made forests take 1 to 7 % longer.

use std::collections::BinaryHeap;
use std::ops::Range;

use super::node_rules::{children_of, describe};
use super::{GrowLimits, GrowOrder};
use crate::cpu::tree::splitters::{NodeSplitter, ROOT, TargetNode, TargetSplit};
use crate::cpu::tree::target::{NodeSummary, SplitBounds, TargetTotals, TreeTarget, take_cell};
use crate::tree::model::{Node, Tree};
use crate::tree::parameters::TreeLimits;
use crate::tree::ranked::Ranked;

/// A leaf that can be split.
struct SplitLeaf {
    number: u32,
    path: u64,
    depth: usize,
    rows: Range<usize>,
    cell: Vec<u64>,
    split: TargetSplit,
}

/// A tree that grows.
struct SequentialGrower<'a, T, S> {
    target: &'a T,
    splitter: &'a mut S,
    limits: &'a TreeLimits,
    /// The least gain of a split, in units of the target.
    min_gain: f64,
    max_depth: usize,
    rows: Vec<u32>,
    scratch: Vec<u32>,
    totals: TargetTotals,
    values: Vec<f64>,
    tree: Tree,
}

/// Grows a tree from rows, in ascending order, that all count; there is one at least.
///
/// Without a limit of the leaves every node is split that may be, and nodes are numbered level by level. With one, the
/// split that gains most comes first, of equal ones that of the lowest node, and nodes are numbered as they arise.
pub(super) fn grow<T: TreeTarget, S: NodeSplitter<T>>(
    target: &T,
    splitter: &mut S,
    rows: Vec<u32>,
    limits: &TreeLimits,
) -> Tree {
    let tree = grow_from(target, splitter, rows, limits, SubtreeStart { path: ROOT, depth: 0, min_gain: None });
    if limits.max_leaf_nodes.is_some() { tree } else { tree.by_level(|_| true) }
}

/// Where a tree begins: at the root, or as a part of a tree whose other nodes are grown by other means.
pub(super) struct SubtreeStart {
    pub path: u64,
    pub depth: usize,
    /// The least gain of a split, in units of the target; by the rows themselves if none.
    pub min_gain: Option<f64>,
}

/// The same from a node on. Without a limit of the leaves, nodes are numbered as they arise.
pub(super) fn grow_from<T: TreeTarget, S: NodeSplitter<T>>(
    target: &T,
    splitter: &mut S,
    rows: Vec<u32>,
    limits: &TreeLimits,
    start: SubtreeStart,
) -> Tree {
    let mut cell = vec![0; target.words()];
    rows.iter().for_each(|row| target.add(*row as usize, &mut cell));
    let tree = Tree::leaf(target.outputs(), Node::default());
    let (scratch, totals, values) = (Vec::with_capacity(rows.len()), TargetTotals::default(), vec![]);
    let (all, GrowLimits { order, max_depth, max_leaves }) = (0..rows.len(), limits.growth());
    let mut grower =
        SequentialGrower { target, splitter, limits, min_gain: 0.0, max_depth, rows, scratch, totals, values, tree };
    let summary = grower.describe(0, &all, &cell);
    grower.min_gain = start.min_gain.unwrap_or_else(|| limits.min_gain(summary.weight, target));
    let root = grower.split_leaf(0, start.path, start.depth, all, cell, summary);
    match order {
        GrowOrder::BestFirst => grower.best_first(root, max_leaves),
        // Which node comes first makes no difference to a tree without a limit of its leaves.
        GrowOrder::LevelByLevel => grower.depth_first(root),
    }
    grower.tree
}

impl<T: TreeTarget, S: NodeSplitter<T>> SequentialGrower<'_, T, S> {
    /// A subtree is finished before the next is begun, so that its rows stay near.
    fn depth_first(&mut self, root: Option<SplitLeaf>) {
        let mut open: Vec<SplitLeaf> = root.into_iter().collect();
        while let Some(leaf) = open.pop() {
            let [left, right] = self.split(leaf);
            open.extend(right);
            open.extend(left);
        }
    }

    fn best_first(&mut self, root: Option<SplitLeaf>, leaves: usize) {
        let ranked = |leaf: SplitLeaf| Ranked { rank: leaf.split.gain, number: leaf.number as usize, item: leaf };
        let mut open: BinaryHeap<Ranked<SplitLeaf>> = root.into_iter().map(ranked).collect();
        for _ in 1..leaves {
            let Some(leaf) = open.pop() else { break };
            open.extend(self.split(leaf.item).into_iter().flatten().map(ranked));
        }
    }

    /// Splits a leaf in two; those of the two that can be split again are returned.
    fn split(&mut self, leaf: SplitLeaf) -> [Option<SplitLeaf>; 2] {
        let SplitLeaf { number, path, depth, rows, cell: mut right_cell, split } = leaf;
        let own = &mut self.rows[rows.clone()];
        let left_rows = self.splitter.rows().partition(&split.rule, own, &mut self.scratch);
        let [left, right] = self.tree.split(number, &split.rule, split.gain * self.target.gain_unit());
        take_cell(&mut right_cell, &split.left);
        let [(left_path, left_rows), (right_path, right_rows)] = children_of(path, &rows, left_rows);
        let (left_summary, right_summary) =
            (self.describe(left, &left_rows, &split.left), self.describe(right, &right_rows, &right_cell));
        [
            self.split_leaf(left, left_path, depth + 1, left_rows, split.left, left_summary),
            self.split_leaf(right, right_path, depth + 1, right_rows, right_cell, right_summary),
        ]
    }

    /// Fills in what is known of a new leaf.
    fn describe(&mut self, number: u32, rows: &Range<usize>, cell: &[u64]) -> NodeSummary {
        self.values.clear();
        let summary = self.target.summary(&self.rows[rows.clone()], cell, &mut self.values);
        describe(&mut self.tree, number, &summary, &self.values);
        summary
    }

    /// A leaf with its best split, if it may be split at all.
    fn split_leaf(
        &mut self,
        number: u32,
        path: u64,
        depth: usize,
        rows: Range<usize>,
        cell: Vec<u64>,
        summary: NodeSummary,
    ) -> Option<SplitLeaf> {
        let count = summary.count;
        if summary.pure || !self.limits.allow_rows(count) || depth >= self.max_depth {
            return None;
        }
        self.target.totals(&cell, &mut self.totals);
        let min_samples_leaf = self.limits.min_samples_leaf as u64;
        let bounds = SplitBounds { totals: &self.totals, count, min_samples_leaf };
        let node = TargetNode { target: self.target, cell: &cell, bounds };
        let split = self.splitter.best_split(&node, path, &self.rows[rows.clone()])?;
        (split.gain >= self.min_gain).then_some(SplitLeaf { number, path, depth, rows, cell, split })
    }
}
