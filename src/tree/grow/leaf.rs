//! Nodes that can be split, and what is known of their children; the leaves from which trees grow on.

use std::ops::Range;

use super::{Cells, GrowLimits, Grown, NodeSplit, OpenNode, SplitSource};
use crate::cpu::tree::splitters::{ROOT, paths_below};
use crate::ops::tree::HistogramFill;

/// A leaf of a grown tree that may be split.
pub(super) struct OpenLeaf<Totals> {
    /// Its number in its tree.
    pub(super) number: u32,
    pub(super) open: OpenNode<Totals>,
}

/// The leaves of grown trees whose splits are found by `source`, with their ways from the root.
pub(super) fn open_leaves<C: Cells>(
    cells: &C,
    limits: &GrowLimits,
    grown: &[Grown<C::Totals>],
    source: SplitSource,
) -> Vec<OpenLeaf<C::Totals>> {
    let mut found = vec![];
    let has_room = |grown: &Grown<C::Totals>| grown.tree.leaves() < limits.max_leaves;
    for (tree, Grown { tree: nodes, totals, rows }) in grown.iter().enumerate().filter(|(_, grown)| has_room(grown)) {
        let mut ways = vec![(ROOT, 0); totals.len()];
        for (at, (node, totals)) in nodes.nodes().iter().zip(totals).enumerate() {
            let (path, depth) = ways[at];
            if node.feature.is_some() {
                for (child, path) in node.children.into_iter().zip(paths_below(path)) {
                    ways[child as usize] = (path, depth + 1);
                }
            } else if depth < limits.max_depth && cells.split_source(totals) == source {
                let open = OpenNode { tree, path, depth, rows: rows[at].clone(), totals: totals.clone(), slot: None };
                found.push(OpenLeaf { number: at as u32, open });
            }
        }
    }
    found
}

/// A node that can be split: a leaf of its tree, or the child of one that was worked out by looking ahead.
pub(super) struct Leaf<Totals> {
    pub(super) tree: usize,
    /// Its number; 0 until its parent is split.
    pub(super) node: u32,
    pub(super) path: u64,
    pub(super) depth: usize,
    pub(super) rows: Range<usize>,
    pub(super) split: NodeSplit<Totals>,
    /// The slot of its histogram, if that is still kept.
    pub(super) slot: Option<usize>,
    /// Its children, once they are worked out.
    pub(super) children: Option<Box<[Child<Totals>; 2]>>,
}

impl<Totals> Leaf<Totals> {
    /// The nodes from here on that can be split and whose children are not worked out.
    pub(super) fn collect_undone<'a>(&'a mut self, undone: &mut Vec<&'a mut Leaf<Totals>>) {
        if self.children.is_none() {
            undone.push(self);
        } else if let Some(children) = &mut self.children {
            children.iter_mut().filter_map(|child| child.leaf.as_mut()).for_each(|leaf| leaf.collect_undone(undone));
        }
    }

    /// Gives back the slots from here on.
    pub(super) fn free_slots(self, slots: &mut Vec<usize>) {
        slots.extend(self.slot);
        let children = self.children.into_iter().flat_map(|children| *children);
        children.filter_map(|child| child.leaf).for_each(|leaf| leaf.free_slots(slots));
    }
}

/// The child of a leaf.
pub(super) struct Child<Totals> {
    pub(super) rows: Range<usize>,
    pub(super) totals: Totals,
    /// What is known of it if it can be split.
    pub(super) leaf: Option<Leaf<Totals>>,
}

/// The two children of a node: those that are searched now, all their rows, and the slot of their parent's histogram.
pub(super) struct Pair<Totals> {
    pub(super) sides: [Option<OpenNode<Totals>>; 2],
    /// Whether one of them may be split, now or later.
    pub(super) goes_on: bool,
    pub(super) ranges: [Range<usize>; 2],
    pub(super) tree: usize,
    pub(super) slot: Option<usize>,
}

/// Whose child a node is: number of the pair, side.
pub(super) type ChildPlace = (usize, usize);
/// What was found for the two sides of a pair.
pub(super) type Sides<Totals> = [Option<Leaf<Totals>>; 2];
/// A node that can be split, and whose child it is.
pub(super) type PlacedLeaf<Totals> = (ChildPlace, Leaf<Totals>);

/// New nodes that are worked on together.
pub(super) struct NodeBatch<Totals> {
    pub(super) fills: Vec<HistogramFill>,
    pub(super) wanted: Vec<(ChildPlace, OpenNode<Totals>)>,
    /// Slots that nobody needs afterwards.
    pub(super) free: Vec<usize>,
}
