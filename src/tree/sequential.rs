//! One tree, node after node: by exact splits, or as one of the many trees of a forest.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::features::ROOT;
use super::parameters::Limits;
use super::split::{Node, Split};
use super::target::{Bounds, Summary, Target, Totals, take_cell};
use super::tree::{self, Tree};

/// Finds the splits of nodes and divides their rows.
pub(crate) trait Splitter<T> {
    /// The best split of a node; equal gains go to the lowest feature, then to the lowest threshold, then to missing
    /// values on the right. `path` names the node, see [`ROOT`].
    fn best_split(&mut self, node: &Node<'_, T>, path: u64, rows: &[u32]) -> Option<Split>;

    /// Brings the rows that go left before the others, each in their order, and says how many they are.
    fn partition(&mut self, split: &Split, rows: &mut [u32], scratch: &mut Vec<u32>) -> usize;
}

/// A leaf that can be split.
struct Candidate {
    number: u32,
    path: u64,
    depth: usize,
    rows: Range<usize>,
    cell: Vec<u64>,
    split: Split,
}

/// A tree that grows.
struct Growing<'a, T, S> {
    target: &'a T,
    splitter: &'a mut S,
    limits: &'a Limits,
    /// The least gain of a split, in units of the target.
    least_gain: f64,
    rows: Vec<u32>,
    scratch: Vec<u32>,
    totals: Totals,
    values: Vec<f64>,
    tree: Tree,
}

/// Grows a tree from rows, in ascending order, that all count; there is one at least.
///
/// Without a limit of the leaves every node is split that may be, and nodes are numbered level by level. With one, the
/// split that gains most comes first, of equal ones that of the lowest node, and nodes are numbered as they arise.
pub(crate) fn grow<T: Target, S: Splitter<T>>(target: &T, splitter: &mut S, rows: Vec<u32>, limits: &Limits) -> Tree {
    let tree = grow_from(target, splitter, rows, limits, Start { path: ROOT, depth: 0, least_gain: None });
    if limits.max_leaf_nodes.is_some() { tree } else { tree.by_level(|_| true) }
}

/// Where a tree begins: at the root, or as a part of a tree whose other nodes were grown elsewhere.
pub(crate) struct Start {
    pub(crate) path: u64,
    pub(crate) depth: usize,
    /// The least gain of a split, in units of the target; by the rows themselves if none.
    pub(crate) least_gain: Option<f64>,
}

/// The same from a node on. Without a limit of the leaves, nodes are numbered as they arise.
pub(crate) fn grow_from<T: Target, S: Splitter<T>>(
    target: &T,
    splitter: &mut S,
    rows: Vec<u32>,
    limits: &Limits,
    start: Start,
) -> Tree {
    let mut cell = vec![0; target.words()];
    rows.iter().for_each(|row| target.add(*row as usize, &mut cell));
    let tree = Tree::leaf(target.outputs(), tree::Node::default());
    let (scratch, totals, values) = (Vec::with_capacity(rows.len()), Totals::default(), vec![]);
    let all = 0..rows.len();
    let mut growing = Growing { target, splitter, limits, least_gain: 0.0, rows, scratch, totals, values, tree };
    let summary = growing.describe(0, &all, &cell);
    let least_gain = limits.min_impurity_decrease * summary.weight / target.gain_unit();
    growing.least_gain = start.least_gain.unwrap_or(least_gain);
    let root = growing.candidate(0, start.path, start.depth, all, cell, summary);
    match limits.max_leaf_nodes {
        Some(leaves) => growing.best_first(root, leaves),
        None => growing.depth_first(root),
    }
    growing.tree
}

impl<T: Target, S: Splitter<T>> Growing<'_, T, S> {
    /// A subtree is finished before the next is begun, so that its rows stay near.
    fn depth_first(&mut self, root: Option<Candidate>) {
        let mut open: Vec<Candidate> = root.into_iter().collect();
        while let Some(candidate) = open.pop() {
            let [left, right] = self.divide(candidate);
            open.extend(right);
            open.extend(left);
        }
    }

    fn best_first(&mut self, root: Option<Candidate>, leaves: usize) {
        let mut open: BinaryHeap<Candidate> = root.into_iter().collect();
        for _ in 1..leaves {
            let Some(candidate) = open.pop() else { break };
            open.extend(self.divide(candidate).into_iter().flatten());
        }
    }

    /// Splits a leaf in two; those of the two that can be split again are returned.
    fn divide(&mut self, candidate: Candidate) -> [Option<Candidate>; 2] {
        let Candidate { number, path, depth, rows, cell: mut right_cell, split } = candidate;
        let left_rows = self.splitter.partition(&split, &mut self.rows[rows.clone()], &mut self.scratch);
        let gain = split.gain * self.target.gain_unit();
        let [left, right] = self.tree.divide(number, split.feature, split.threshold, split.missing_left, gain);
        if let Some(levels) = split.levels {
            self.tree.divide_levels(number, levels);
        }
        take_cell(&mut right_cell, &split.left);
        let middle = rows.start + left_rows;
        let (left_rows, right_rows) = (rows.start..middle, middle..rows.end);
        let (left_summary, right_summary) =
            (self.describe(left, &left_rows, &split.left), self.describe(right, &right_rows, &right_cell));
        let path = path.wrapping_mul(2);
        [
            self.candidate(left, path, depth + 1, left_rows, split.left, left_summary),
            self.candidate(right, path.wrapping_add(1), depth + 1, right_rows, right_cell, right_summary),
        ]
    }

    /// Fills in what is known of a new leaf.
    fn describe(&mut self, number: u32, rows: &Range<usize>, cell: &[u64]) -> Summary {
        self.values.clear();
        let summary = self.target.summary(&self.rows[rows.clone()], cell, &mut self.values);
        self.tree.value_mut(number).copy_from_slice(&self.values);
        let Summary { weight, count, impurity, .. } = summary;
        let node = self.tree.node_mut(number);
        *node = tree::Node { weight, count, impurity, ..*node };
        summary
    }

    /// A leaf with its best split, if it may be split at all.
    fn candidate(
        &mut self,
        number: u32,
        path: u64,
        depth: usize,
        rows: Range<usize>,
        cell: Vec<u64>,
        summary: Summary,
    ) -> Option<Candidate> {
        let Limits { max_depth, min_samples_split, min_samples_leaf, .. } = *self.limits;
        let (count, min_samples_leaf) = (summary.count, min_samples_leaf as u64);
        let small = count < min_samples_split as u64 || count / 2 < min_samples_leaf;
        if summary.pure || small || max_depth.is_some_and(|most| depth >= most) {
            return None;
        }
        self.target.totals(&cell, &mut self.totals);
        let bounds = Bounds { totals: &self.totals, count, min_samples_leaf };
        let node = Node { target: self.target, cell: &cell, bounds };
        let split = self.splitter.best_split(&node, path, &self.rows[rows.clone()])?;
        (split.gain >= self.least_gain).then_some(Candidate { number, path, depth, rows, cell, split })
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.split.gain.total_cmp(&other.split.gain).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}
