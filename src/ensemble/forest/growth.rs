//! Growing the trees of a forest.

use std::ops::Range;

use rayon::prelude::*;

use super::bootstrap::Bootstrap;
use super::out_of_bag::InBag;
use crate::array::Matrix;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::cpu::tree::target::TreeTarget;
use crate::error::Result;
use crate::estimator::Reporter;
use crate::tree::grow::{BatchedForest, TreeLearner, TreeTable};
use crate::tree::{MaxFeatures, Tree, TreeLimits};

/// Trees between two reports at least.
const REPORT: usize = 20;

/// The parameters that all forests have.
#[derive(Debug, Clone)]
pub(super) struct ForestSettings {
    pub(super) n_estimators: usize,
    pub(super) max_features: MaxFeatures,
    pub(super) max_bins: Option<usize>,
    pub(super) bootstrap: bool,
    pub(super) max_samples: Option<f64>,
    pub(super) oob_score: bool,
    pub(super) seed: u64,
}

impl ForestSettings {
    /// What a forest of rows with so many columns grows.
    pub(super) fn plan<'a, T: TreeTarget>(
        &self,
        table: &'a TreeTable<'a>,
        limits: TreeLimits,
        target: &T,
        x: &Matrix,
        random_cuts: bool,
    ) -> Result<ForestPlan<'a>> {
        let ForestSettings { bootstrap, max_samples, oob_score, seed, .. } = *self;
        Ok(ForestPlan {
            bootstrap: Bootstrap::wanted(bootstrap, max_samples, oob_score, seed, target, x.rows())?,
            table,
            limits,
            n_estimators: self.n_estimators,
            columns: x.columns(),
            features: self.max_features.of(x.columns())?,
            seed,
            random_cuts,
            keep_bags: oob_score,
        })
    }
}

/// What a forest grows.
pub(super) struct ForestPlan<'a> {
    pub(super) table: &'a TreeTable<'a>,
    pub(super) limits: TreeLimits,
    pub(super) n_estimators: usize,
    /// None: every tree has all rows.
    pub(super) bootstrap: Option<Bootstrap>,
    pub(super) columns: usize,
    /// Features that each node draws.
    pub(super) features: usize,
    pub(super) seed: u64,
    /// Whether thresholds are random, as in extra trees.
    pub(super) random_cuts: bool,
    /// Whether to remember which rows each tree drew.
    pub(super) keep_bags: bool,
}

impl ForestPlan<'_> {
    /// Grows the trees, one on each core at a time, or as many as it holds together on a GPU; `target_of` makes what a
    /// tree learns from how often it counts each row. An observer may end the forest early.
    pub(super) fn grow<T: TreeTarget>(
        &self,
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<Tree>, Vec<InBag>)> {
        let (mut trees, mut bags) = (Vec::with_capacity(self.n_estimators), vec![]);
        let whole = target_of(None);
        // Random cuts and medians are not found by histograms.
        let by_histograms = !self.random_cuts && whole.by_medians().is_none();
        let mut on_gpu = if by_histograms { self.table.on_gpu()? } else { None };
        let step = match &on_gpu {
            Some(batched) => batched.max_trees(&whole),
            None => REPORT.max(2 * rayon::current_num_threads()),
        };
        while trees.len() < self.n_estimators {
            let numbers = trees.len()..trees.len().saturating_add(step).min(self.n_estimators);
            let grown: Vec<(Tree, Option<InBag>)> = match &mut on_gpu {
                Some(batched) => self.grow_together(numbers, batched, &target_of)?,
                None => numbers.into_par_iter().map(|tree| self.grow_one(tree, &target_of)).collect(),
            };
            for (tree, bag) in grown {
                trees.push(tree);
                bags.extend(bag);
            }
            if reporter.report(trees.len(), None, trees.len() as f64 / self.n_estimators as f64)? {
                break;
            }
        }
        Ok((trees, bags))
    }

    fn grow_one<T: TreeTarget>(&self, tree: usize, target_of: impl Fn(Option<&[u32]>) -> T) -> (Tree, Option<InBag>) {
        let (target, bag) = self.target(tree, target_of);
        (self.table.grow_on_one(&target, &self.limits, self.draw(tree)), bag)
    }

    /// Grows some of the trees, all nodes of a level in one batch.
    fn grow_together<T: TreeTarget>(
        &self,
        numbers: Range<usize>,
        batched: &mut BatchedForest<'_>,
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
    ) -> Result<Vec<(Tree, Option<InBag>)>> {
        let (targets, bags): (Vec<T>, Vec<_>) = numbers.clone().map(|tree| self.target(tree, &target_of)).unzip();
        let learner = |(target, tree)| TreeLearner { target, draw: self.draw(tree) };
        let learners: Vec<TreeLearner<'_, T>> = targets.iter().zip(numbers).map(learner).collect();
        let trees = batched.grow(&learners, &self.limits)?;
        Ok(trees.into_iter().map(|tree| tree.pruned_by(&self.limits)).zip(bags).collect())
    }

    /// What a tree learns, and which rows it drew.
    fn target<T>(&self, tree: usize, target_of: impl Fn(Option<&[u32]>) -> T) -> (T, Option<InBag>) {
        let times = self.bootstrap.as_ref().map(|bootstrap| bootstrap.times(tree));
        let bag = times.as_ref().filter(|_| self.keep_bags).map(|times| InBag::new(times));
        (target_of(times.as_deref()), bag)
    }

    fn draw(&self, tree: usize) -> FeatureDraw {
        FeatureDraw::new(self.seed, tree as u32, self.columns, self.features).with_random_cuts(self.random_cuts)
    }
}
