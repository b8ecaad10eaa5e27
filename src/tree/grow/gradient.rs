//! Trees by gradients and Hessians.

use std::ops::Range;
use std::sync::Arc;

use super::fixed_point::totals;
use super::{Cells, Cut, Fill, FixedPoint, Root, Search, Split};
use crate::cpu::tree::best_split::{Found, Rules};
use crate::cpu::tree::histogram::Sums;
use crate::cpu::tree::monotone::{Limit, UNBOUNDED};
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops::tree::best_split::best_split;
use crate::ops::tree::histogram::histogram;
use crate::ops::tree::partition::partition;
use crate::ops::tree::{self, Binned, Growing, Monotone};
use crate::tree::features::{FeatureDraw, FeatureOrder};
use crate::tree::{BinnedMatrix, Bins, Levels};

/// What is asked of splits; the units come from the gradients of each tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SplitRules {
    pub l1: f64,
    pub l2: f64,
    pub min_hessian: f64,
    pub min_count: u64,
    pub min_gain: f64,
    /// Features drawn for each node; all if as many as there are.
    pub features: usize,
    pub seed: u64,
}

/// Rows with a gradient and a Hessian for each tree that is grown.
pub(crate) struct GradientCells<'a> {
    matrix: &'a BinnedMatrix,
    bins: &'a Bins,
    rules: SplitRules,
    /// The direction of each feature, if any has one.
    directions: Option<Arc<[i8]>>,
    trees: Vec<Tree>,
    stream: Stream,
    binned: Binned<'a>,
    growing: Growing,
    /// Rows that were divided for nothing.
    unused: Vec<Range<usize>>,
    /// What the trees before had, to be filled anew.
    order: Vec<u32>,
    packed: Vec<Vec<u64>>,
}

/// What the rows of a node add up to, and the least and the largest value that it may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NodeSums {
    pub sums: Sums,
    pub bounds: [f64; 2],
}

/// The gradients of one tree.
struct Tree {
    /// What numbers the tree among all of the ensemble, for the draws.
    number: u64,
    units: [f64; 2],
}

impl<'a> GradientCells<'a> {
    /// Cells for trees that are grown together on a device; buffers are kept from one growth to the next. `directions`
    /// has 1 for features with which values must not fall, −1 for those with which they must not rise.
    pub fn new(
        matrix: &'a BinnedMatrix,
        bins: &'a Bins,
        rules: SplitRules,
        directions: Option<&[i8]>,
        device: &Device,
    ) -> Result<GradientCells<'a>> {
        let mut stream = device.stream();
        let layout = matrix.layout();
        let binned = Binned::new(&mut stream, matrix.view(), layout.starts(), layout.features())?;
        let growing = Growing::new(&stream);
        let (directions, trees, unused, order, packed) = (directions.map(Arc::from), vec![], vec![], vec![], vec![]);
        Ok(GradientCells { matrix, bins, rules, directions, trees, stream, binned, growing, unused, order, packed })
    }

    /// Begins new trees, each of the rows `rows` (ascending): `gradients[k]` has the gradient and the Hessian of every
    /// row for the k-th tree and the largest of each. The first tree is number `number` of the ensemble.
    pub fn begin(&mut self, rows: &[u32], gradients: &[Gradients], number: u64) -> Result<Vec<Root<NodeSums>>> {
        self.trees.clear();
        self.packed.resize_with(gradients.len(), Vec::new);
        self.order.clear();
        let mut roots = vec![];
        for (at, (packed, gradients)) in self.packed.iter_mut().zip(gradients).enumerate() {
            let fixed = FixedPoint::new(gradients.largest[0], gradients.largest[1], rows.len());
            self.trees.push(Tree { number: number + at as u64, units: fixed.units() });
            packed.resize(gradients.gradients.len(), 0);
            fixed.pack(&gradients.gradients, &gradients.hessians, packed);
            let start = self.order.len();
            self.order.extend_from_slice(rows);
            let totals = NodeSums { sums: totals(packed, rows), bounds: UNBOUNDED };
            roots.push(Root { rows: start..self.order.len(), totals });
        }
        self.growing.begin(&mut self.stream, &mut self.order, &mut self.packed)?;
        Ok(roots)
    }

    /// Brings the order of the rows to the host, when the trees are grown.
    pub fn fetch_order(&mut self) -> Result<()> {
        self.growing.order(&mut self.stream)?;
        self.growing.rejoin(&self.unused);
        Ok(())
    }

    /// Row numbers, as they were fetched; a node is a range of them, in which they ascend.
    pub fn order(&self) -> &[u32] {
        self.growing.known_order()
    }

    /// What one unit of the gradients and of the Hessians of a tree stands for.
    pub fn units(&self, tree: usize) -> [f64; 2] {
        self.trees[tree].units
    }

    fn split_rules(&self, tree: usize) -> Rules {
        let SplitRules { l1, l2, min_hessian, min_count, min_gain, .. } = self.rules;
        Rules { units: self.trees[tree].units, l1, l2, min_hessian, min_count, min_gain }
    }

    fn features(&self, tree: usize, path: u64) -> Vec<u32> {
        let SplitRules { seed, features, .. } = self.rules;
        let draw = FeatureDraw::new(seed, self.trees[tree].number as u32, self.bins.features(), features);
        let mut order = FeatureOrder::default();
        draw.start(path, &mut order);
        order.drawn().to_vec()
    }
}

/// The gradient and Hessian of every row, and the largest |gradient| and Hessian.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gradients {
    pub gradients: Vec<f32>,
    pub hessians: Vec<f32>,
    pub largest: [f32; 2],
}

impl Cells for GradientCells<'_> {
    type Totals = NodeSums;

    fn count(totals: &NodeSums) -> u64 {
        totals.sums.count
    }

    fn may_divide(&self, totals: &NodeSums) -> bool {
        totals.sums.count >= 2 * self.rules.min_count.max(1)
    }

    fn levels(&self) -> &Arc<Levels> {
        self.bins.levels()
    }

    fn threshold(&self, feature: u32, bin: u16) -> f32 {
        self.bins.threshold(feature as usize, bin)
    }

    fn ahead(&self) -> usize {
        self.growing.ahead()
    }

    fn rejoin(&mut self, unused: Vec<Range<usize>>) {
        self.unused = unused;
    }

    fn slots(&self) -> usize {
        self.growing.slots(&self.binned)
    }

    fn fill(&mut self, fills: &[Fill]) -> Result<()> {
        histogram(&mut self.stream, &self.binned, &mut self.growing, fills)
    }

    fn search(&mut self, searches: &[Search<NodeSums>]) -> Result<Vec<Option<Split<NodeSums>>>> {
        let search = |search: &Search<NodeSums>| tree::Search {
            slot: search.slot,
            node: search.totals.sums,
            rules: self.split_rules(search.tree),
            features: self.features(search.tree, search.path),
            monotone: self.directions.clone().map(|directions| Monotone { bounds: search.totals.bounds, directions }),
        };
        let wanted: Vec<tree::Search> = searches.iter().map(search).collect();
        let winners = best_split(&mut self.stream, &self.binned, &mut self.growing, &wanted)?;
        let split = |(found, search): (Option<Found>, tree::Search)| {
            let Found { feature, bin, levels, missing_left, gain, left } = found?;
            let (right, free) = (search.node.minus(left), Limit { bounds: UNBOUNDED, direction: 0 });
            let limit = search.monotone.map_or(free, |monotone| monotone.limit(feature));
            let bounds = limit.children(&search.rules, left, right);
            let [left, right] = [(left, bounds[0]), (right, bounds[1])].map(|(sums, bounds)| NodeSums { sums, bounds });
            Some(Split { feature, bin, levels, missing_left, gain, left, right })
        };
        Ok(winners.into_iter().zip(wanted).map(split).collect())
    }

    fn partition(&mut self, cuts: &[Cut]) -> Result<Vec<usize>> {
        let cut = |cut: &Cut| tree::Cut {
            rows: cut.rows.clone(),
            route: self.matrix.layout().route(cut.feature, cut.bin, cut.levels.as_ref(), cut.missing_left),
            left: Some(cut.left),
        };
        let cuts: Vec<tree::Cut> = cuts.iter().map(cut).collect();
        partition(&mut self.stream, &self.binned, &mut self.growing, &cuts)
    }
}
