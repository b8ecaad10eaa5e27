//! Which leaf is divided when.

use super::{Cells, Cut, Fill, Grown, Limits, Order, Root, Search, Split};
use crate::error::Result;
use crate::tree::tree::{Node, Tree};

/// A leaf that can be divided.
struct Leaf<Totals> {
    tree: usize,
    node: u32,
    depth: usize,
    split: Split<Totals>,
    /// The slot of its histogram, if that is still kept.
    slot: Option<usize>,
}

/// A new node that may be divided, before its split is known.
struct Candidate<Totals> {
    tree: usize,
    node: u32,
    depth: usize,
    totals: Totals,
}

/// The children of a divided node: those that may be divided again, and the slot of their parent's histogram.
struct Children<Totals> {
    sides: [Option<Candidate<Totals>>; 2],
    slot: Option<usize>,
}

/// New nodes that are worked on together.
struct Batch<Totals> {
    fills: Vec<Fill>,
    /// Nodes to search, each with its slot.
    candidates: Vec<(Candidate<Totals>, usize)>,
    /// Slots that nobody needs afterwards.
    free: Vec<usize>,
}

/// Grows a tree from each root; all trees advance together, so that each step is one batch.
pub(crate) fn grow<C: Cells>(
    cells: &mut C,
    roots: Vec<Root<C::Totals>>,
    limits: &Limits,
) -> Result<Vec<Grown<C::Totals>>> {
    let mut grower = Grower { cells, limits, grown: vec![], slots: vec![], used: 0 };
    let mut fills = vec![];
    let mut candidates = vec![];
    for (tree, root) in roots.into_iter().enumerate() {
        if limits.max_depth > 0 && limits.max_leaves > 1 && grower.cells.may_divide(&root.totals) {
            let slot = grower.slot();
            fills.push(Fill { tree, rows: root.rows.clone(), slot, parent: None });
            candidates.push((Candidate { tree, node: 0, depth: 0, totals: root.totals.clone() }, slot));
        }
        let node = Node { count: C::count(&root.totals), ..Node::default() };
        grower.grown.push(Grown {
            tree: Tree::leaf(1, node).with_levels(grower.cells.levels()),
            totals: vec![root.totals],
            rows: vec![root.rows],
        });
    }
    grower.cells.fill(&fills)?;
    let mut open = grower.search(candidates)?;
    while !open.is_empty() {
        let chosen = grower.choose(&mut open);
        open.extend(grower.divide(chosen)?);
    }
    Ok(grower.grown)
}

struct Grower<'a, C: Cells> {
    cells: &'a mut C,
    limits: &'a Limits,
    grown: Vec<Grown<C::Totals>>,
    /// Slots that are free, and how many there are.
    slots: Vec<usize>,
    used: usize,
}

impl<C: Cells> Grower<'_, C> {
    fn slot(&mut self) -> usize {
        self.slots.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        })
    }

    /// Takes the leaves to divide next out of the open ones, those of each tree in the order of their numbers; leaves
    /// that can no longer be divided are dropped.
    fn choose(&mut self, open: &mut Vec<Leaf<C::Totals>>) -> Vec<Leaf<C::Totals>> {
        // Best first within each tree; a stable sort leaves equal gains in the order of the nodes.
        open.sort_by(|a, b| a.tree.cmp(&b.tree).then(b.split.gain.total_cmp(&a.split.gain)).then(a.node.cmp(&b.node)));
        let mut taken = vec![0; self.grown.len()];
        let (mut chosen, mut rest) = (vec![], vec![]);
        for leaf in open.drain(..) {
            let room = self.limits.max_leaves - self.grown[leaf.tree].tree.leaves();
            let most = if self.limits.order == Order::BestFirst { room.min(1) } else { room };
            if taken[leaf.tree] < most {
                taken[leaf.tree] += 1;
                chosen.push(leaf);
            } else if taken[leaf.tree] < room {
                rest.push(leaf);
            } else {
                self.slots.extend(leaf.slot);
            }
        }
        *open = rest;
        chosen.sort_by_key(|leaf| (leaf.tree, leaf.node));
        chosen
    }

    /// Divides leaves and finds the splits of their children.
    fn divide(&mut self, chosen: Vec<Leaf<C::Totals>>) -> Result<Vec<Leaf<C::Totals>>> {
        let range = |leaf: &Leaf<C::Totals>| self.grown[leaf.tree].rows[leaf.node as usize].clone();
        let mut order: Vec<usize> = (0..chosen.len()).collect();
        order.sort_by_key(|at| range(&chosen[*at]).start);
        let cut = |at: &usize| {
            let Leaf { split, .. } = &chosen[*at];
            let rows = range(&chosen[*at]);
            let Split { feature, bin, levels, missing_left, .. } = *split;
            Cut { rows, feature, bin, levels, missing_left, left: C::count(&split.left) as usize }
        };
        let cuts: Vec<Cut> = order.iter().map(cut).collect();
        let lefts = self.cells.partition(&cuts)?;
        let mut left_of = vec![0; chosen.len()];
        order.iter().zip(lefts).for_each(|(at, left)| left_of[*at] = left);
        let children: Vec<_> =
            chosen.into_iter().zip(left_of).map(|(leaf, left)| self.add_children(leaf, left)).collect();
        self.find_splits(children)
    }

    /// Puts the division of a leaf into its tree.
    fn add_children(&mut self, leaf: Leaf<C::Totals>, left: usize) -> Children<C::Totals> {
        let Leaf { tree, node, depth, split, slot } = leaf;
        let threshold = self.cells.threshold(split.feature, split.bin);
        let grown = &mut self.grown[tree];
        let numbers = grown.tree.divide(node, split.feature, threshold, split.missing_left, split.gain);
        if let Some(levels) = split.levels {
            grown.tree.divide_levels(node, levels);
        }
        let rows = grown.rows[node as usize].clone();
        let middle = rows.start + left;
        grown.rows.extend([rows.start..middle, middle..rows.end]);
        grown.totals.extend([split.left.clone(), split.right.clone()]);
        let room = grown.tree.leaves() < self.limits.max_leaves && depth + 1 < self.limits.max_depth;
        let sides = [(numbers[0], split.left), (numbers[1], split.right)].map(|(number, totals)| {
            grown.tree.node_mut(number).count = C::count(&totals);
            let open = room && self.cells.may_divide(&totals);
            open.then_some(Candidate { tree, node: number, depth: depth + 1, totals })
        });
        Children { sides, slot }
    }

    /// Makes the histograms of new nodes, a batch that the slots can hold at a time, and searches them.
    fn find_splits(&mut self, children: Vec<Children<C::Totals>>) -> Result<Vec<Leaf<C::Totals>>> {
        let most = self.cells.slots().max(2);
        let mut open = vec![];
        let mut children = children.into_iter().peekable();
        while children.peek().is_some() {
            let mut batch = Batch { fills: vec![], candidates: vec![], free: vec![] };
            while let Some(children) = children.next_if(|_| batch.candidates.len() + 2 <= most) {
                self.plan(children, &mut batch);
            }
            self.cells.fill(&batch.fills)?;
            self.slots.append(&mut batch.free);
            let mut found = self.search(batch.candidates)?;
            if self.used - self.slots.len() > most {
                // Too many histograms are kept: the children of these nodes will be made from their rows.
                found.iter_mut().for_each(|leaf| self.slots.extend(leaf.slot.take()));
            }
            open.extend(found);
        }
        Ok(open)
    }

    /// Plans the histograms of two children: that of the smaller from its rows, that of the larger as what remains of
    /// the parent's. Integers make the two ways the same.
    fn plan(&mut self, children: Children<C::Totals>, batch: &mut Batch<C::Totals>) {
        let Children { sides: [left, right], slot: parent } = children;
        let Some(any) = left.as_ref().or(right.as_ref()) else {
            self.slots.extend(parent);
            return;
        };
        let tree = any.tree;
        let numbers = [any.node - u32::from(left.is_none()), any.node + u32::from(left.is_some())];
        let ranges = numbers.map(|number| self.grown[tree].rows[number as usize].clone());
        let left_is_smaller = ranges[0].len() <= ranges[1].len();
        let [smaller_range, larger_range] = if left_is_smaller {
            ranges
        } else {
            let [a, b] = ranges;
            [b, a]
        };
        let (smaller, larger) = if left_is_smaller { (left, right) } else { (right, left) };
        let slot = self.slot();
        match (parent, larger) {
            (Some(parent), Some(larger)) => {
                batch.fills.push(Fill { tree, rows: smaller_range, slot, parent: Some(parent) });
                batch.candidates.push((larger, parent));
                match smaller {
                    Some(smaller) => batch.candidates.push((smaller, slot)),
                    // Free only when the batch is done, as it is written and read in it.
                    None => batch.free.push(slot),
                }
            }
            (parent, larger) => {
                self.slots.extend(parent);
                let mut free = Some(slot);
                for (candidate, rows) in [(smaller, smaller_range), (larger, larger_range)] {
                    if let Some(candidate) = candidate {
                        let slot = free.take().unwrap_or_else(|| self.slot());
                        batch.fills.push(Fill { tree, rows, slot, parent: None });
                        batch.candidates.push((candidate, slot));
                    }
                }
                self.slots.extend(free);
            }
        }
    }

    /// The nodes that have a split; the slots of the others are free again.
    fn search(&mut self, mut candidates: Vec<(Candidate<C::Totals>, usize)>) -> Result<Vec<Leaf<C::Totals>>> {
        candidates.sort_by_key(|(candidate, _)| (candidate.tree, candidate.node));
        let search = |(candidate, slot): &(Candidate<C::Totals>, usize)| Search {
            tree: candidate.tree,
            node: candidate.node,
            slot: *slot,
            totals: candidate.totals.clone(),
        };
        let splits = self.cells.search(&candidates.iter().map(search).collect::<Vec<_>>())?;
        let mut open = vec![];
        for ((candidate, slot), split) in candidates.into_iter().zip(splits) {
            match split {
                Some(split) => open.push(Leaf {
                    tree: candidate.tree,
                    node: candidate.node,
                    depth: candidate.depth,
                    split,
                    slot: Some(slot),
                }),
                None => self.slots.push(slot),
            }
        }
        Ok(open)
    }
}
