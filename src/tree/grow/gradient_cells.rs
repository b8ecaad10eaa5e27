//! Trees by gradients and Hessians.

use std::ops::Range;
use std::sync::Arc;

use super::{Cells, GrowContext, NodeSplit, OpenNode, Root, SplitSource, TwoLevelSplits};
use crate::cpu::tree::best_split::{GradientRules, GradientSplit};
use crate::cpu::tree::fixed_point::{FixedPoint, totals};
use crate::cpu::tree::gradients::Gradients;
use crate::cpu::tree::monotone::{MonotoneLimit, UNBOUNDED};
use crate::cpu::tree::splitters::{FeatureDraw, FeatureOrder, paths_below};
use crate::cpu::tree::{GradientSums, SplitRule};
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops::tree::RoundTotals;
use crate::ops::tree::best_split::best_split;
use crate::ops::tree::histogram::histogram;
use crate::ops::tree::two_levels::{ChildSearch, are_possible, two_levels};
use crate::ops::tree::{GrowState, HistogramFill, Monotone, NodePartition, SplitSearch};
use crate::tree::bins::{BinnedMatrix, Bins};

/// Rows with a gradient and a Hessian for each tree that is grown.
pub(crate) struct GradientCells<'a> {
    context: GrowContext<'a>,
    /// What is asked of splits; the units come from the gradients of each tree.
    rules: GradientRules,
    /// The features of the first tree's nodes.
    draw: FeatureDraw,
    /// The direction of each feature, if any has one.
    directions: Option<Arc<[i8]>>,
    trees: Vec<GradientTree>,
    /// Rows that were partitioned for nothing.
    unused: Vec<Range<usize>>,
    /// What the trees before had, to be filled anew.
    order: Vec<u32>,
    packed: Vec<Vec<u64>>,
}

/// What the rows of a node add up to, and the smallest and the largest value that it may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NodeSums {
    pub sums: GradientSums,
    pub bounds: [f64; 2],
}

/// What differs from tree to tree.
struct GradientTree {
    fixed: FixedPoint,
    draw: FeatureDraw,
    rules: GradientRules,
}

impl<'a> GradientCells<'a> {
    /// Cells for trees that are grown together on a device; buffers are kept from one growth to the next. `directions`
    /// has 1 for features with which values must not fall, −1 for those with which they must not rise.
    pub fn new(
        (matrix, bins): (&'a BinnedMatrix, &'a Bins),
        rules: GradientRules,
        draw: FeatureDraw,
        directions: Option<&[i8]>,
        device: &Device,
    ) -> Result<GradientCells<'a>> {
        let context = GrowContext::new(matrix, bins, device)?;
        let (directions, trees, unused, order, packed) = (directions.map(Arc::from), vec![], vec![], vec![], vec![]);
        Ok(GradientCells { context, rules, draw, directions, trees, unused, order, packed })
    }

    /// Begins new trees, each of the rows `rows` (ascending), a sample of `of` rows: `gradients[k]` has the gradient and
    /// the Hessian of every row for the k-th tree and the largest of each. The first tree is number `number` of the
    /// ensemble.
    pub fn begin(
        &mut self,
        (rows, of): (&[u32], usize),
        gradients: &[Gradients],
        number: u64,
    ) -> Result<Vec<Root<NodeSums>>> {
        self.trees.clear();
        self.packed.resize_with(gradients.len(), Vec::new);
        self.order.clear();
        let mut roots = vec![];
        for (at, (packed, gradients)) in (0..).zip(self.packed.iter_mut().zip(gradients)) {
            let fixed = FixedPoint::new(gradients.largest[0], gradients.largest[1], of);
            let rules = GradientRules { units: fixed.units(), ..self.rules };
            self.trees.push(GradientTree { fixed, draw: self.draw.of_tree((number + at) as u32), rules });
            packed.resize(gradients.gradients.len(), 0);
            fixed.pack(&gradients.gradients, &gradients.hessians, packed);
            let start = self.order.len();
            self.order.extend_from_slice(rows);
            let totals = NodeSums { sums: totals(packed, rows), bounds: UNBOUNDED };
            roots.push(Root { rows: start..self.order.len(), totals });
        }
        let GrowContext { stream, state, .. } = &mut self.context;
        state.begin(stream, &mut self.order, &mut self.packed)?;
        Ok(roots)
    }

    /// Begins new trees of rows on the device, one for each output. The first is number `number` of the ensemble; each is
    /// grown on the first rows of its `places` places.
    pub fn begin_boosting(&mut self, round: &RoundTotals, places: usize, number: u64) -> Vec<Root<NodeSums>> {
        self.trees.clear();
        let mut roots = vec![];
        for (at, (largest, sums)) in (0..).zip(round.largest.iter().zip(&round.totals)) {
            let fixed = FixedPoint::new(largest[0], largest[1], places);
            let rules = GradientRules { units: fixed.units(), ..self.rules };
            self.trees.push(GradientTree { fixed, draw: self.draw.of_tree((number + at) as u32), rules });
            let first = at as usize * places;
            roots.push(Root { rows: first..first + round.count, totals: NodeSums { sums: *sums, bounds: UNBOUNDED } });
        }
        roots
    }

    /// The stream, and what trees keep on its device.
    pub fn growth(&mut self) -> (&mut Stream, &mut GrowState) {
        let GrowContext { stream, state, .. } = &mut self.context;
        (stream, state)
    }

    /// Brings the order of the rows to the host, when the trees are grown.
    pub fn fetch_order(&mut self) -> Result<()> {
        let GrowContext { stream, state, .. } = &mut self.context;
        state.order(stream)?;
        state.restore_order(&self.unused);
        Ok(())
    }

    /// Row numbers, as they were fetched; a node is a range of them, in which they ascend.
    pub fn order(&self) -> &[u32] {
        self.context.state.known_order()
    }

    /// How the gradients and Hessians of a tree became integers.
    pub fn fixed(&self, tree: usize) -> &FixedPoint {
        &self.trees[tree].fixed
    }

    /// The features that a node of a tree looks at.
    fn drawn_features(&self, tree: usize, path: u64) -> Vec<u32> {
        let mut order = FeatureOrder::default();
        self.trees[tree].draw.start(path, &mut order);
        order.drawn().to_vec()
    }

    fn split_search(&self, node: &OpenNode<NodeSums>) -> SplitSearch {
        let rules = &self.trees[node.tree].rules;
        let bounds = node.totals.bounds;
        SplitSearch {
            slot: node.slot.unwrap_or_default(),
            node: node.totals.sums,
            rules: *rules,
            features: self.drawn_features(node.tree, node.path),
            monotone: self.directions.clone().map(|directions| Monotone { bounds, directions }),
        }
    }

    /// A split with its threshold, and what is known of the two children.
    fn node_split(&self, split: GradientSplit, search: &SplitSearch) -> NodeSplit<NodeSums> {
        let GradientSplit { rule, gain, left } = split;
        let (right, free) = (search.node.minus(left), MonotoneLimit { bounds: UNBOUNDED, direction: 0 });
        let limit = search.monotone.as_ref().map_or(free, |monotone| monotone.limit(rule.feature));
        let bounds = limit.children(&search.rules, left, right);
        let threshold = self.context.bins.threshold(rule.feature as usize, rule.bin);
        let children = [(left, bounds[0]), (right, bounds[1])].map(|(sums, bounds)| NodeSums { sums, bounds });
        NodeSplit { rule: SplitRule { threshold, ..rule }, gain, children }
    }
}

impl Cells for GradientCells<'_> {
    type Totals = NodeSums;

    fn count(totals: &NodeSums) -> u64 {
        totals.sums.count
    }

    fn split_source(&self, totals: &NodeSums) -> SplitSource {
        match totals.sums.count >= 2 * self.rules.min_count.max(1) {
            true => SplitSource::Histogram,
            false => SplitSource::None,
        }
    }

    fn context(&self) -> &GrowContext<'_> {
        &self.context
    }

    fn restore_order(&mut self, unused: Vec<Range<usize>>) {
        self.unused = unused;
    }

    fn fill(&mut self, fills: &[HistogramFill]) -> Result<()> {
        let GrowContext { stream, binned, state, .. } = &mut self.context;
        histogram(stream, binned, state, fills)
    }

    fn search(&mut self, nodes: &[OpenNode<NodeSums>]) -> Result<Vec<Option<NodeSplit<NodeSums>>>> {
        let searches: Vec<SplitSearch> = nodes.iter().map(|node| self.split_search(node)).collect();
        let GrowContext { stream, binned, state, .. } = &mut self.context;
        let found = best_split(stream, binned, state, &searches)?;
        let with_search = found.into_iter().zip(&searches);
        Ok(with_search.map(|(split, search)| split.map(|split| self.node_split(split, search))).collect())
    }

    fn looks_beyond(&self) -> bool {
        self.directions.is_none() && are_possible(&self.context.binned)
    }

    fn search_two_levels(
        &mut self,
        nodes: &[OpenNode<NodeSums>],
        parents: &[(usize, usize)],
    ) -> Result<Option<TwoLevelSplits<NodeSums>>> {
        let searches: Vec<SplitSearch> = nodes.iter().map(|node| self.split_search(node)).collect();
        let child = |(search, slot): &(usize, usize)| {
            let OpenNode { tree, path, rows, .. } = &nodes[*search];
            let features = paths_below(*path).map(|path| self.drawn_features(*tree, path));
            let rows = rows.clone();
            ChildSearch { search: *search, tree: *tree, rows, slot: *slot, features }
        };
        let children: Vec<ChildSearch> = parents.iter().map(child).collect();
        let GrowContext { stream, binned, state, .. } = &mut self.context;
        let Some(found) = two_levels(stream, binned, state, &searches, &children)? else { return Ok(None) };
        let with_search = found.splits.into_iter().zip(&searches);
        let splits: Vec<Option<NodeSplit<NodeSums>>> =
            with_search.map(|(split, search)| split.map(|split| self.node_split(split, search))).collect();
        let of_children = |(parent, found): (&ChildSearch, [Option<GradientSplit>; 2])| {
            let Some(own) = &splits[parent.search] else { return [None, None] };
            let mut sides = own.children.iter().zip(found).map(|(totals, split)| {
                let search = SplitSearch { node: totals.sums, ..searches[parent.search].clone() };
                split.map(|split| self.node_split(split, &search))
            });
            [sides.next().flatten(), sides.next().flatten()]
        };
        let children = children.iter().zip(found.children).map(of_children).collect();
        Ok(Some(TwoLevelSplits { splits, children }))
    }

    fn partition(&mut self, nodes: &[NodePartition]) -> Result<()> {
        self.context.partition(nodes).map(drop)
    }
}
