//! Growing the trees of a forest.

use rayon::prelude::*;

use super::bootstrap::Bootstrap;
use super::out_of_bag::InBag;
use crate::error::Result;
use crate::estimator::Watch;
use crate::tree::{FeatureDraw, Limits, Table, Target, Tree};

/// Trees between two reports at least.
const REPORT: usize = 20;

/// What a forest grows.
pub(super) struct Plan<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) limits: Limits,
    pub(super) n_estimators: usize,
    /// None: every tree has all rows.
    pub(super) bootstrap: Option<Bootstrap>,
    pub(super) columns: usize,
    /// Features that each node draws.
    pub(super) features: usize,
    pub(super) seed: u64,
    /// Whether thresholds are drawn by chance, as in extra trees.
    pub(super) random_cuts: bool,
    /// Whether to remember which rows each tree drew.
    pub(super) keep_bags: bool,
}

impl Plan<'_> {
    /// Grows the trees, one on each core at a time; `target_of` makes what a tree learns from how often it counts each
    /// row. An observer may end the forest early.
    pub(super) fn grow<T: Target>(
        &self,
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
        watch: &mut Watch<'_>,
    ) -> Result<(Vec<Tree>, Vec<InBag>)> {
        let (mut trees, mut bags) = (Vec::with_capacity(self.n_estimators), vec![]);
        let step = REPORT.max(2 * rayon::current_num_threads());
        while trees.len() < self.n_estimators {
            let numbers = trees.len()..(trees.len() + step).min(self.n_estimators);
            let grown: Vec<(Tree, Option<InBag>)> =
                numbers.into_par_iter().map(|tree| self.grow_one(tree, &target_of)).collect();
            for (tree, bag) in grown {
                trees.push(tree);
                bags.extend(bag);
            }
            if watch.finishes(trees.len(), None, trees.len() as f64 / self.n_estimators as f64)? {
                break;
            }
        }
        Ok((trees, bags))
    }

    fn grow_one<T: Target>(&self, tree: usize, target_of: impl Fn(Option<&[u32]>) -> T) -> (Tree, Option<InBag>) {
        let draw = FeatureDraw::new(self.seed, tree as u32, self.columns, self.features);
        let draw = draw.with_random_cuts(self.random_cuts);
        let times = self.bootstrap.as_ref().map(|bootstrap| bootstrap.times(tree));
        let bag = times.as_ref().filter(|_| self.keep_bags).map(|times| InBag::new(times));
        (self.table.grow_on_one(&target_of(times.as_deref()), &self.limits, draw), bag)
    }
}
