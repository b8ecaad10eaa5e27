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
        &'a self,
        table: &'a TreeTable<'a>,
        limits: TreeLimits,
        target: &T,
        x: &Matrix,
        random_cuts: bool,
    ) -> Result<ForestPlan<'a>> {
        let ForestSettings { bootstrap, max_samples, oob_score, seed, .. } = *self;
        let bootstrap = Bootstrap::wanted(bootstrap, max_samples, oob_score, seed, target, x.rows())?;
        let draw = FeatureDraw::new(seed, 0, x.columns(), self.max_features.of(x.columns())?);
        Ok(ForestPlan { settings: self, table, limits, bootstrap, draw: draw.with_random_cuts(random_cuts) })
    }
}

/// What a forest grows.
pub(super) struct ForestPlan<'a> {
    settings: &'a ForestSettings,
    table: &'a TreeTable<'a>,
    limits: TreeLimits,
    /// None: every tree has all rows.
    bootstrap: Option<Bootstrap>,
    /// The features of the first tree's nodes.
    draw: FeatureDraw,
}

impl ForestPlan<'_> {
    /// Grows the trees, one on each core at a time, or as many as it holds together on a GPU; `target_of` makes what a
    /// tree learns from how often it counts each row. An observer may end the forest early.
    pub(super) fn grow<T: TreeTarget>(
        &self,
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<Tree>, Vec<InBag>)> {
        let n_estimators = self.settings.n_estimators;
        let (mut trees, mut bags) = (Vec::with_capacity(n_estimators), vec![]);
        let whole = target_of(None);
        // Random cuts and medians are not found by histograms.
        let by_histograms = !self.draw.cuts_at_random() && whole.by_medians().is_none();
        let mut on_gpu = if by_histograms { self.table.on_gpu()? } else { None };
        let step = match &on_gpu {
            Some(batched) => batched.max_trees(&whole),
            None => REPORT.max(2 * rayon::current_num_threads()),
        };
        while trees.len() < n_estimators {
            let numbers = trees.len()..trees.len().saturating_add(step).min(n_estimators);
            let grown: Vec<(Tree, Option<InBag>)> = match &mut on_gpu {
                Some(batched) => self.grow_together(numbers, batched, &target_of)?,
                None => numbers.into_par_iter().map(|tree| self.grow_one(tree, &target_of)).collect(),
            };
            for (tree, bag) in grown {
                trees.push(tree);
                bags.extend(bag);
            }
            if reporter.report(trees.len(), None, trees.len() as f64 / n_estimators as f64)? {
                break;
            }
        }
        Ok((trees, bags))
    }

    fn grow_one<T: TreeTarget>(&self, tree: usize, target_of: impl Fn(Option<&[u32]>) -> T) -> (Tree, Option<InBag>) {
        let (target, bag) = self.target(tree, target_of);
        (self.table.grow_on_one(&target, &self.limits, self.draw.of_tree(tree as u32)), bag)
    }

    /// Grows some of the trees, all nodes of a level in one batch.
    fn grow_together<T: TreeTarget>(
        &self,
        numbers: Range<usize>,
        batched: &mut BatchedForest<'_>,
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
    ) -> Result<Vec<(Tree, Option<InBag>)>> {
        let (targets, bags): (Vec<T>, Vec<_>) = numbers.clone().map(|tree| self.target(tree, &target_of)).unzip();
        let learner = |(target, tree)| TreeLearner { target, draw: self.draw.of_tree(tree as u32) };
        let learners: Vec<TreeLearner<'_, T>> = targets.iter().zip(numbers).map(learner).collect();
        let trees = batched.grow(&learners, &self.limits)?;
        Ok(trees.into_iter().map(|tree| tree.pruned_by(&self.limits)).zip(bags).collect())
    }

    /// What a tree learns, and which rows it drew.
    fn target<T>(&self, tree: usize, target_of: impl Fn(Option<&[u32]>) -> T) -> (T, Option<InBag>) {
        let times = self.bootstrap.as_ref().map(|bootstrap| bootstrap.times(tree));
        let bag = times.as_ref().filter(|_| self.settings.oob_score).map(|times| InBag::new(times));
        (target_of(times.as_deref()), bag)
    }
}
