//! Trees by gradients and Hessians.

use rayon::prelude::*;

use super::chance::features_of_node;
use super::fixed_point::totals;
use super::{Cells, Cut, Fill, FixedPoint, Root, Search, Split};
use crate::cpu::tree::best_split::{Found, Rules, best_split};
use crate::cpu::tree::histogram::{Histogram, Job, Sums, histograms};
use crate::cpu::tree::partition::partition;
use crate::error::Result;
use crate::tree::{BinnedMatrix, Bins};

/// Bytes of kept histograms.
const KEPT: usize = 1 << 28;
/// Features that one task searches at least.
const FEATURES_PER_TASK: usize = 4;

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
    order: Vec<u32>,
    scratch: Vec<u32>,
    slots: Vec<Histogram>,
    spare: Vec<Histogram>,
}

/// The gradients of one tree.
struct Tree {
    /// What numbers the tree among all of the ensemble, for the draws.
    number: u64,
    packed: Vec<u64>,
    units: [f64; 2],
}

impl<'a> GradientCells<'a> {
    /// Cells for trees that are grown together; buffers are kept from one growth to the next.
    pub fn new(matrix: &'a BinnedMatrix, bins: &'a Bins, rules: SplitRules) -> GradientCells<'a> {
        let (order, scratch, slots, spare) = (vec![], vec![], vec![], vec![]);
        GradientCells { matrix, bins, rules, trees: vec![], order, scratch, slots, spare }
    }

    /// Begins new trees, each of the rows `rows` (ascending): `gradients[k]` has the gradient and the Hessian of every
    /// row for the k-th tree and the largest of each. The first tree is number `number` of the ensemble.
    pub fn begin(&mut self, rows: &[u32], gradients: &[Gradients], number: u64) -> Vec<Root<Sums>> {
        self.trees.resize_with(gradients.len(), || Tree { number: 0, packed: vec![], units: [1.0; 2] });
        self.order.clear();
        let mut roots = vec![];
        for (at, (tree, gradients)) in self.trees.iter_mut().zip(gradients).enumerate() {
            let fixed = FixedPoint::new(gradients.largest[0], gradients.largest[1], rows.len());
            tree.number = number + at as u64;
            tree.units = fixed.units();
            tree.packed.resize(gradients.gradients.len(), 0);
            fixed.pack(&gradients.gradients, &gradients.hessians, &mut tree.packed);
            let start = self.order.len();
            self.order.extend_from_slice(rows);
            roots.push(Root { rows: start..self.order.len(), totals: totals(&tree.packed, rows) });
        }
        self.scratch.resize(self.order.len(), 0);
        roots
    }

    /// Row numbers; a node is a range of them, in which they ascend.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// What one unit of the gradients and of the Hessians of a tree stands for.
    pub fn units(&self, tree: usize) -> [f64; 2] {
        self.trees[tree].units
    }

    fn split_rules(&self, tree: usize) -> Rules {
        let SplitRules { l1, l2, min_hessian, min_count, min_gain, .. } = self.rules;
        Rules { units: self.trees[tree].units, l1, l2, min_hessian, min_count, min_gain }
    }

    fn features(&self, tree: usize, node: u32) -> Vec<u32> {
        let (SplitRules { seed, features, .. }, all) = (self.rules, self.bins.features());
        match features < all {
            true => features_of_node(seed, self.trees[tree].number, node, features, all),
            false => (0..all as u32).collect(),
        }
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

    fn threshold(&self, feature: u32, bin: u16) -> f32 {
        self.bins.threshold(feature as usize, bin)
    }

    fn slots(&self) -> usize {
        KEPT / (16 * self.matrix.layout().cells().max(1))
    }

    fn fill(&mut self, fills: &[Fill]) -> Result<()> {
        let most = fills.iter().map(|fill| fill.slot + 1).max().unwrap_or(0);
        if self.slots.len() < most {
            self.slots.resize(most, Histogram::default());
        }
        // Each histogram is taken out of its slot while it is made.
        let mut made: Vec<Histogram> = fills.iter().map(|fill| std::mem::take(&mut self.slots[fill.slot])).collect();
        let jobs = fills.iter().zip(&mut made).map(|(fill, into)| Job {
            rows: &self.order[fill.rows.clone()],
            packed: &self.trees[fill.tree].packed,
            into,
        });
        histograms(self.matrix.view(), self.matrix.layout().starts(), jobs.collect(), &mut self.spare);
        for (fill, made) in fills.iter().zip(made) {
            if let Some(parent) = fill.parent {
                self.slots[parent].subtract(&made);
            }
            self.slots[fill.slot] = made;
        }
        Ok(())
    }

    fn search(&mut self, searches: &[Search<Sums>]) -> Result<Vec<Option<Split<Sums>>>> {
        let rules: Vec<Rules> = searches.iter().map(|search| self.split_rules(search.tree)).collect();
        let features = self.matrix.layout().features();
        let tasks: Vec<(usize, u32)> = searches
            .iter()
            .enumerate()
            .flat_map(|(at, search)| {
                self.features(search.tree, search.node).into_iter().map(move |feature| (at, feature))
            })
            .collect();
        let best = |&(at, feature): &(usize, u32)| {
            let search = &searches[at];
            let cells = &features[feature as usize];
            best_split(&self.slots[search.slot], feature, cells, search.totals, &rules[at])
        };
        let found: Vec<Option<Found>> = tasks.par_iter().with_min_len(FEATURES_PER_TASK).map(best).collect();
        let mut winners: Vec<Option<Found>> = vec![None; searches.len()];
        for ((at, _), found) in tasks.into_iter().zip(found) {
            if let Some(found) = found.filter(|found| winners[at].is_none_or(|winner| found.beats(&winner))) {
                winners[at] = Some(found);
            }
        }
        let split = |(found, search): (Option<Found>, &Search<Sums>)| {
            let Found { feature, bin, missing_left, gain, left } = found?;
            Some(Split { feature, bin, missing_left, gain, left, right: search.totals.minus(left) })
        };
        Ok(winners.into_iter().zip(searches).map(split).collect())
    }

    fn partition(&mut self, cuts: &[Cut]) -> Result<Vec<usize>> {
        let route = |cut: &Cut| self.matrix.layout().route(cut.feature, cut.bin, cut.missing_left);
        let routes: Vec<_> = cuts.iter().map(|cut| (cut.rows.clone(), route(cut))).collect();
        Ok(partition(self.matrix.view(), &mut self.order, &mut self.scratch, &routes))
    }
}
