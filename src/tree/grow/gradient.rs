//! Trees by gradients and Hessians.

use std::ops::Range;
use std::sync::Arc;

use super::fixed_point::totals;
use super::{Cells, Cut, Fill, FixedPoint, Root, Search, Split};
use crate::cpu::tree::best_split::{Found, Rules};
use crate::cpu::tree::histogram::Sums;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops::tree::best_split::best_split;
use crate::ops::tree::histogram::histogram;
use crate::ops::tree::partition::partition;
use crate::ops::tree::{self, Binned, Growing};
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

/// The gradients of one tree.
struct Tree {
    /// What numbers the tree among all of the ensemble, for the draws.
    number: u64,
    units: [f64; 2],
}

impl<'a> GradientCells<'a> {
    /// Cells for trees that are grown together on a device; buffers are kept from one growth to the next.
    pub fn new(
        matrix: &'a BinnedMatrix,
        bins: &'a Bins,
        rules: SplitRules,
        device: &Device,
    ) -> Result<GradientCells<'a>> {
        let mut stream = device.stream();
        let layout = matrix.layout();
        let binned = Binned::new(&mut stream, matrix.view(), layout.starts(), layout.features())?;
        let growing = Growing::new(&stream);
        let (trees, unused, order, packed) = (vec![], vec![], vec![], vec![]);
        Ok(GradientCells { matrix, bins, rules, trees, stream, binned, growing, unused, order, packed })
    }

    /// Begins new trees, each of the rows `rows` (ascending): `gradients[k]` has the gradient and the Hessian of every
    /// row for the k-th tree and the largest of each. The first tree is number `number` of the ensemble.
    pub fn begin(&mut self, rows: &[u32], gradients: &[Gradients], number: u64) -> Result<Vec<Root<Sums>>> {
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
            roots.push(Root { rows: start..self.order.len(), totals: totals(packed, rows) });
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
    type Totals = Sums;

    fn count(totals: &Sums) -> u64 {
        totals.count
    }

    fn may_divide(&self, totals: &Sums) -> bool {
        totals.count >= 2 * self.rules.min_count.max(1)
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
        let fill =
            |fill: &Fill| tree::Fill { tree: fill.tree, rows: fill.rows.clone(), slot: fill.slot, parent: fill.parent };
        let fills: Vec<tree::Fill> = fills.iter().map(fill).collect();
        histogram(&mut self.stream, &self.binned, &mut self.growing, &fills)
    }

    fn search(&mut self, searches: &[Search<Sums>]) -> Result<Vec<Option<Split<Sums>>>> {
        let search = |search: &Search<Sums>| tree::Search {
            slot: search.slot,
            node: search.totals,
            rules: self.split_rules(search.tree),
            features: self.features(search.tree, search.path),
        };
        let wanted: Vec<tree::Search> = searches.iter().map(search).collect();
        let winners = best_split(&mut self.stream, &self.binned, &mut self.growing, &wanted)?;
        let split = |(found, search): (Option<Found>, &Search<Sums>)| {
            let Found { feature, bin, levels, missing_left, gain, left } = found?;
            Some(Split { feature, bin, levels, missing_left, gain, left, right: search.totals.minus(left) })
        };
        Ok(winners.into_iter().zip(searches).map(split).collect())
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
