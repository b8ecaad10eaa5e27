//! Which leaf is split when.

use std::ops::Range;

use super::leaf::{Child, ChildPlace, Leaf, NodeBatch, OpenLeaf, Pair, PlacedLeaf, Sides, open_leaves};
use super::node_rules::children_of;
use super::{Cells, GrowLimits, GrowOrder, Grown, NodeSplit, OpenNode, Root, SplitSource, TwoLevelSplits};
use crate::error::Result;
use crate::ops::tree::HistogramFill;
use crate::tree::model::{Node, Tree};

/// Grows a tree from each root; all trees advance together, so that each step is one batch. Nodes with histograms are split
/// first, then those that are searched by their rows.
pub(crate) fn grow<C: Cells>(
    cells: &mut C,
    roots: Vec<Root<C::Totals>>,
    limits: &GrowLimits,
) -> Result<Vec<Grown<C::Totals>>> {
    let begin = |Root { rows, totals }| {
        let node = Node { count: C::count(&totals), ..Node::default() };
        let tree = Tree::leaf(1, node).with_categories(cells.context().bins.categories());
        Grown { tree, totals: vec![totals], rows: vec![rows] }
    };
    let grown = roots.into_iter().map(begin).collect();
    let source = SplitSource::Histogram;
    let mut grower = Grower { cells, limits, source, grown, slots: vec![], used: 0, unused: vec![] };
    grower.go_on()?;
    grower.source = SplitSource::Rows;
    grower.go_on()?;
    let Grower { cells, grown, unused, .. } = grower;
    cells.restore_order(unused);
    Ok(grown)
}

struct Grower<'a, C: Cells> {
    cells: &'a mut C,
    limits: &'a GrowLimits,
    /// What the nodes that are split now are searched by; others wait.
    source: SplitSource,
    grown: Vec<Grown<C::Totals>>,
    /// Slots that are free, and how many there are.
    slots: Vec<usize>,
    used: usize,
    /// Nodes whose rows were partitioned for nothing.
    unused: Vec<Range<usize>>,
}

impl<C: Cells> Grower<'_, C> {
    /// Splits the leaves of the trees and what comes of them, until no node is left that is searched like that.
    fn go_on(&mut self) -> Result<()> {
        let leaves = open_leaves(self.cells, self.limits, &self.grown, self.source);
        let numbers: Vec<u32> = leaves.iter().map(|leaf| leaf.number).collect();
        let alone = |OpenLeaf { open, .. }: OpenLeaf<C::Totals>| {
            let (tree, rows) = (open.tree, open.rows.clone());
            Pair { sides: [None, Some(open)], goes_on: true, ranges: [rows.start..rows.start, rows], tree, slot: None }
        };
        let found = self.find_splits(leaves.into_iter().map(alone).collect())?;
        let leaf =
            |(sides, node): (Sides<C::Totals>, u32)| sides.into_iter().flatten().map(move |leaf| Leaf { node, ..leaf });
        let mut open: Vec<Leaf<C::Totals>> = found.into_iter().zip(numbers).flat_map(leaf).collect();
        while !open.is_empty() {
            let mut chosen = self.choose(&mut open);
            self.work_out(&mut chosen, &mut open)?;
            for leaf in chosen {
                self.split(leaf, &mut open);
            }
        }
        Ok(())
    }

    fn slot(&mut self) -> usize {
        self.slots.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        })
    }

    /// Takes the leaves to split next out of the open ones, those of each tree in the order of their numbers; leaves
    /// that can no longer be split are dropped.
    fn choose(&mut self, open: &mut Vec<Leaf<C::Totals>>) -> Vec<Leaf<C::Totals>> {
        // Best first within each tree; of equal gains the one made first.
        open.sort_by(|a, b| a.tree.cmp(&b.tree).then(b.split.gain.total_cmp(&a.split.gain)).then(a.node.cmp(&b.node)));
        let mut taken = vec![0; self.grown.len()];
        let (mut chosen, mut rest) = (vec![], vec![]);
        for leaf in open.drain(..) {
            let room = self.limits.max_leaves - self.grown[leaf.tree].tree.leaves();
            let most = if self.limits.order == GrowOrder::BestFirst { room.min(1) } else { room };
            if taken[leaf.tree] < most {
                taken[leaf.tree] += 1;
                chosen.push(leaf);
            } else if taken[leaf.tree] < room {
                rest.push(leaf);
            } else {
                self.drop(leaf);
            }
        }
        *open = rest;
        if self.limits.order == GrowOrder::BestFirst && chosen.iter().any(|leaf| leaf.children.is_some()) {
            // Trees whose next leaf is worked out go on alone: then all wait at once.
            open.extend(chosen.extract_if(.., |leaf| leaf.children.is_none()));
        }
        chosen.sort_by_key(|leaf| (leaf.tree, leaf.node));
        chosen
    }

    /// Forgets a leaf, and what was worked out of it by looking ahead.
    fn drop(&mut self, leaf: Leaf<C::Totals>) {
        if leaf.children.is_some() {
            self.unused.push(leaf.rows.clone());
        }
        leaf.free_slots(&mut self.slots);
    }

    /// Finds the children of leaves and their splits. Where the best leaf comes first and a step is dear, the children of
    /// the leaves that are likely to follow are found along with it.
    fn work_out(&mut self, chosen: &mut [Leaf<C::Totals>], open: &mut [Leaf<C::Totals>]) -> Result<()> {
        // What is kept for leaves that wait must leave room for those that are worked on.
        let context = self.cells.context();
        let lookahead = context.state.lookahead().min(context.slots() / 4).max(1);
        let mut left_over = vec![0; self.grown.len()];
        let mut leaves: Vec<&mut Leaf<C::Totals>> = vec![];
        for leaf in chosen.iter_mut().filter(|leaf| leaf.children.is_none()) {
            let room = self.limits.max_leaves - self.grown[leaf.tree].tree.leaves();
            // Some of those that are likely to follow will not: with twice as many, a tree of 31 leaves waits as often.
            left_over[leaf.tree] = lookahead.min(room).saturating_sub(1);
            leaves.push(leaf);
        }
        if self.limits.order == GrowOrder::BestFirst && lookahead > 1 {
            let mut likely = vec![];
            open.iter_mut().for_each(|leaf| leaf.collect_undone(&mut likely));
            likely.sort_by(|a, b| b.split.gain.total_cmp(&a.split.gain));
            for leaf in likely {
                if left_over[leaf.tree] > 0 {
                    left_over[leaf.tree] -= 1;
                    leaves.push(leaf);
                }
            }
        }
        if leaves.is_empty() {
            return Ok(());
        }
        leaves.sort_by_key(|leaf| leaf.rows.start);
        let (mut pairs, mut partitions) = (vec![], vec![]);
        for leaf in &mut leaves {
            let pair = self.pair(leaf);
            // The order of rows that nobody looks at again may stay as it is.
            if pair.goes_on || self.cells.keeps_order() {
                let rows = leaf.rows.clone();
                partitions.push(context.node_partition(rows, &leaf.split.rule, pair.ranges[0].len()));
            }
            pairs.push(pair);
        }
        if !partitions.is_empty() {
            self.cells.partition(&partitions)?;
        }
        let ranges: Vec<[Range<usize>; 2]> = pairs.iter().map(|pair| pair.ranges.clone()).collect();
        let found = self.find_splits(pairs)?;
        for ((leaf, [left_rows, right_rows]), [left, right]) in leaves.into_iter().zip(ranges).zip(found) {
            let [left_totals, right_totals] = leaf.split.children.clone();
            let left = Child { rows: left_rows, totals: left_totals, leaf: left };
            let right = Child { rows: right_rows, totals: right_totals, leaf: right };
            leaf.children = Some(Box::new([left, right]));
        }
        Ok(())
    }

    /// The children of a leaf.
    fn pair(&self, leaf: &mut Leaf<C::Totals>) -> Pair<C::Totals> {
        let Leaf { tree, path, depth, rows, split, slot, .. } = leaf;
        let (tree, depth) = (*tree, *depth + 1);
        let room = self.grown[tree].tree.leaves() + 1 < self.limits.max_leaves && depth < self.limits.max_depth;
        let places = children_of(*path, rows, C::count(&split.children[0]) as usize);
        let mut goes_on = false;
        let sides = [0, 1].map(|side| {
            let (totals, (path, rows)) = (&split.children[side], places[side].clone());
            let source = if room { self.cells.split_source(totals) } else { SplitSource::None };
            goes_on |= source != SplitSource::None;
            (source == self.source).then(|| OpenNode { tree, path, depth, rows, totals: totals.clone(), slot: None })
        });
        let ranges = places.map(|(_, rows)| rows);
        Pair { sides, goes_on, ranges, tree, slot: slot.take() }
    }

    /// Puts the split of a leaf into its tree; its children that can be split are open.
    fn split(&mut self, leaf: Leaf<C::Totals>, open: &mut Vec<Leaf<C::Totals>>) {
        let Leaf { tree, node, split, children, .. } = leaf;
        let Some(children) = children else { return };
        let grown = &mut self.grown[tree];
        let numbers = grown.tree.split(node, &split.rule, split.gain);
        for (child, number) in children.into_iter().zip(numbers) {
            grown.tree.node_mut(number).count = C::count(&child.totals);
            grown.rows.push(child.rows);
            grown.totals.push(child.totals);
            open.extend(child.leaf.map(|leaf| Leaf { node: number, ..leaf }));
        }
    }

    /// Makes the histograms of new nodes, a batch that the slots can hold at a time, and searches them: what was found
    /// for the two sides of each pair.
    fn find_splits(&mut self, pairs: Vec<Pair<C::Totals>>) -> Result<Vec<Sides<C::Totals>>> {
        let by_rows = self.source == SplitSource::Rows;
        let most = if by_rows { usize::MAX } else { self.cells.context().slots().max(2) };
        let mut all: Vec<Sides<C::Totals>> = pairs.iter().map(|_| [None, None]).collect();
        let mut pairs = pairs.into_iter().enumerate().peekable();
        while pairs.peek().is_some() {
            let mut batch = NodeBatch { fills: vec![], wanted: vec![], free: vec![] };
            while let Some((number, pair)) = pairs.next_if(|_| batch.wanted.len() + 2 <= most) {
                match by_rows {
                    true => {
                        let sides = pair.sides.into_iter().enumerate();
                        batch.wanted.extend(sides.filter_map(|(side, open)| open.map(|open| ((number, side), open))));
                    }
                    false => self.plan(number, pair, &mut batch),
                }
            }
            self.cells.fill(&batch.fills)?;
            self.slots.append(&mut batch.free);
            let mut found = self.search(batch.wanted)?;
            if self.used - self.slots.len() > most {
                // Too many histograms are kept: the children of these nodes will be made from their rows.
                found.iter_mut().for_each(|(_, leaf)| self.slots.extend(leaf.slot.take()));
            }
            found.into_iter().for_each(|((pair, side), leaf)| all[pair][side] = Some(leaf));
        }
        Ok(all)
    }

    /// Plans the histograms of two children: that of the smaller from its rows, that of the larger as what remains of
    /// the parent's. Integers make the two ways the same.
    fn plan(&mut self, number: usize, pair: Pair<C::Totals>, batch: &mut NodeBatch<C::Totals>) {
        let Pair { sides: [left, right], ranges, tree, slot: parent, .. } = pair;
        if left.is_none() && right.is_none() {
            self.slots.extend(parent);
            return;
        }
        let left_is_smaller = ranges[0].len() <= ranges[1].len();
        let (sides, smaller, larger) = if left_is_smaller { ([0, 1], left, right) } else { ([1, 0], right, left) };
        let [smaller_range, larger_range] = sides.map(|side| ranges[side].clone());
        let places = sides.map(|side| (number, side));
        let slot = self.slot();
        match (parent, larger) {
            (Some(parent), Some(larger)) => {
                batch.fills.push(HistogramFill { tree, rows: smaller_range, slot, parent: Some(parent) });
                batch.wanted.push((places[1], OpenNode { slot: Some(parent), ..larger }));
                match smaller {
                    Some(smaller) => batch.wanted.push((places[0], OpenNode { slot: Some(slot), ..smaller })),
                    // Free only when the batch is done, as it is written and read in it.
                    None => batch.free.push(slot),
                }
            }
            (parent, larger) => {
                self.slots.extend(parent);
                let mut free = Some(slot);
                for (candidate, rows, place) in [(smaller, smaller_range, places[0]), (larger, larger_range, places[1])]
                {
                    if let Some(candidate) = candidate {
                        let slot = free.take().unwrap_or_else(|| self.slot());
                        batch.fills.push(HistogramFill { tree, rows, slot, parent: None });
                        batch.wanted.push((place, OpenNode { slot: Some(slot), ..candidate }));
                    }
                }
                self.slots.extend(free);
            }
        }
    }

    /// The nodes that have a split; the slots of the others are free again. Where a wait is dear, the children of nodes
    /// are searched along with them.
    fn search(&mut self, wanted: Vec<(ChildPlace, OpenNode<C::Totals>)>) -> Result<Vec<PlacedLeaf<C::Totals>>> {
        let (places, nodes): (Vec<ChildPlace>, Vec<OpenNode<C::Totals>>) = wanted.into_iter().unzip();
        let mut parents: Vec<(usize, usize)> = vec![];
        for node in self.nodes_to_look_beyond(&nodes) {
            parents.push((node, self.slot()));
        }
        let both = match parents.is_empty() {
            true => None,
            false => self.cells.search_two_levels(&nodes, &parents)?,
        };
        let (splits, children) = match both {
            Some(TwoLevelSplits { splits, children }) => (splits, children),
            None => {
                self.slots.extend(parents.drain(..).map(|(_, slot)| slot));
                (self.cells.search(&nodes)?, vec![])
            }
        };
        let mut beyond: Vec<_> = nodes.iter().map(|_| None).collect();
        for ((node, slot), children) in parents.into_iter().zip(children) {
            beyond[node] = Some((slot, children));
        }
        let mut found = vec![];
        for (((place, node), split), beyond) in places.into_iter().zip(nodes).zip(splits).zip(beyond) {
            let OpenNode { tree, path, depth, rows, slot, .. } = node;
            let Some(split) = split else {
                self.slots.extend(slot);
                self.slots.extend(beyond.map(|(slot, _)| slot));
                continue;
            };
            let mut leaf = Leaf { tree, node: 0, path, depth, rows, split, slot, children: None };
            if let Some((slot, children)) = beyond {
                self.add_children(&mut leaf, slot, children);
            }
            found.push((place, leaf));
        }
        Ok(found)
    }

    /// The nodes whose children are searched along with them, those of most rows first, as many as may be of use.
    fn nodes_to_look_beyond(&self, nodes: &[OpenNode<C::Totals>]) -> Vec<usize> {
        let GrowLimits { order, max_depth, max_leaves } = *self.limits;
        let context = self.cells.context();
        let lookahead = context.state.lookahead();
        if lookahead == 1 || !self.cells.looks_beyond() {
            return vec![];
        }
        let mut slots = context.slots().saturating_sub(self.used - self.slots.len()) / 2;
        let mut left_over = vec![0; self.grown.len()];
        nodes.iter().for_each(|node| left_over[node.tree] += 1);
        for (left, grown) in left_over.iter_mut().zip(&self.grown) {
            let room = max_leaves.saturating_sub(grown.tree.leaves());
            *left = match order {
                GrowOrder::BestFirst if room < 2 => 0,
                GrowOrder::BestFirst => lookahead.min(room),
                // A level is looked beyond as a whole, if leaves are left when it and its parents are split.
                GrowOrder::LevelByLevel if room > *left + left.div_ceil(2) => *left,
                GrowOrder::LevelByLevel => 0,
            };
        }
        let mut by_rows: Vec<usize> = (0..nodes.len()).filter(|node| nodes[*node].depth + 1 < max_depth).collect();
        by_rows.sort_by_key(|node| std::cmp::Reverse(nodes[*node].rows.len()));
        by_rows.retain(|node| {
            let left = &mut left_over[nodes[*node].tree];
            let is_in = *left > 0 && slots > 0;
            (*left, slots) = (*left - usize::from(is_in), slots - usize::from(is_in));
            is_in
        });
        by_rows.sort_by_key(|node| nodes[*node].rows.start);
        by_rows
    }

    /// Gives a leaf its children, which were searched along with it. The histogram of the smaller one is in `slot`, that of
    /// the larger one in the leaf's own.
    fn add_children(&mut self, leaf: &mut Leaf<C::Totals>, slot: usize, splits: [Option<NodeSplit<C::Totals>>; 2]) {
        let places = children_of(leaf.path, &leaf.rows, C::count(&leaf.split.children[0]) as usize);
        let mut slots = [leaf.slot.take(), Some(slot)];
        if places[0].1.len() <= places[1].1.len() {
            slots.reverse();
        }
        let (tree, depth) = (leaf.tree, leaf.depth + 1);
        let mut splits = splits.into_iter();
        let children = [0, 1].map(|side| {
            let ((path, rows), totals) = (places[side].clone(), leaf.split.children[side].clone());
            let split = splits.next().flatten().filter(|_| self.cells.split_source(&totals) == self.source);
            let slot = slots[side].take();
            let leaf = match split {
                Some(split) => {
                    Some(Leaf { tree, node: 0, path, depth, rows: rows.clone(), split, slot, children: None })
                }
                None => {
                    self.slots.extend(slot);
                    None
                }
            };
            Child { rows, totals, leaf }
        });
        leaf.children = Some(Box::new(children));
    }
}
