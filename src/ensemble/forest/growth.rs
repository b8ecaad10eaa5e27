//! Growing the trees of a forest.

use std::ops::Range;
use std::time::Duration;

use rayon::prelude::*;

use super::Forest;
use super::bootstrap::Bootstrap;
use super::out_of_bag::{InBag, out_of_bag};
use crate::array::Matrix;
use crate::clock::Instant;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::cpu::tree::target::TreeTarget;
use crate::data::Labels;
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{Fit, Reporter};
use crate::ops::tree::bootstrap::TreeDraws;
use crate::tree::grow::{BatchedForest, TreeBatch, TreeLearner, TreeTable};
use crate::tree::{MaxFeatures, Tree, TreeLimits, Trees, to_matrix};

/// How long a round of trees on the CPU may take before the next is made shorter.
const ROUND: Duration = Duration::from_millis(300);

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
    /// Grows the trees of a forest on rows; `target_of` makes what a tree learns from how often it counts each row. With
    /// them come their predictions for the rows they did not draw, if those are asked for.
    pub(super) fn grow<E: Forest, T: TreeTarget>(
        &self,
        limits: TreeLimits,
        (x, device): (&Matrix, Device),
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
        classes: Option<&Labels>,
        options: Fit<'_>,
    ) -> Result<(Trees, Option<Matrix>)> {
        let ForestSettings { bootstrap, max_samples, oob_score, seed, .. } = *self;
        let whole = target_of(None);
        let table = &TreeTable::new(x, &whole, self.max_bins)?.on(device);
        let bootstrap = Bootstrap::wanted(bootstrap, max_samples, oob_score, seed, &whole, x.rows())?;
        let draw = FeatureDraw::new(seed, 0, x.columns(), self.max_features.of(x.columns())?);
        let draw = draw.with_random_cuts(E::RANDOM_CUTS);
        let plan = ForestPlan { settings: self, table, limits, bootstrap, draw };
        let (trees, bags) = options.watched(E::OBSERVED, |reporter| plan.grow(target_of, reporter))?;
        let left_out = oob_score.then(|| to_matrix(&out_of_bag(x, &trees, &bags), x.rows(), whole.outputs()));
        Ok((Trees::new(trees, x, classes)?, left_out.transpose()?))
    }
}

/// What a forest grows.
struct ForestPlan<'a> {
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
    fn grow<T: TreeTarget>(
        &self,
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
        reporter: &mut Reporter<'_>,
    ) -> Result<(Vec<Tree>, Vec<InBag>)> {
        let n_estimators = self.settings.n_estimators;
        let (mut trees, mut bags) = (Vec::with_capacity(n_estimators), vec![]);
        let whole = target_of(None);
        // Medians are not found by histograms.
        let mut on_gpu = if whole.by_medians().is_none() { self.table.on_gpu()? } else { None };
        let cores = rayon::current_num_threads();
        let mut step = on_gpu.as_ref().map_or(cores, |batched| batched.max_trees(&whole, self.bootstrap.is_some()));
        while trees.len() < n_estimators {
            let begun = Instant::now();
            let numbers = trees.len()..trees.len().saturating_add(step).min(n_estimators);
            let grown: Vec<(Tree, Option<InBag>)> = match &mut on_gpu {
                Some(batched) => self.grow_together(numbers, batched, &whole, &target_of)?,
                None => numbers.into_par_iter().map(|tree| self.grow_one(tree, &target_of)).collect(),
            };
            if on_gpu.is_none() {
                // Long enough that cores seldom wait for the last tree, short enough to be stopped.
                step = if begun.elapsed() < ROUND { 2 * step } else { (step / 2).max(cores) };
            }
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

    /// Grows some of the trees, all nodes of a level in one batch. The device draws their rows itself; the host draws them too, for
    /// what it knows of the roots.
    fn grow_together<T: TreeTarget>(
        &self,
        numbers: Range<usize>,
        batched: &mut BatchedForest<'_>,
        whole: &T,
        target_of: impl Fn(Option<&[u32]>) -> T + Sync,
    ) -> Result<Vec<(Tree, Option<InBag>)>> {
        let targets = numbers.clone().into_par_iter().map(|tree| self.target(tree, &target_of));
        let (targets, bags): (Vec<T>, Vec<_>) = targets.unzip();
        let learner = |(target, tree)| TreeLearner { target, draw: self.draw.of_tree(tree as u32) };
        let learners: Vec<TreeLearner<'_, T>> = targets.iter().zip(numbers.clone()).map(learner).collect();
        let known = numbers.start > 0;
        let draws = self.bootstrap.as_ref().map(|own| TreeDraws::Sampled(own.draws(), numbers));
        let trees = batched.grow(&learners, TreeBatch { whole, known, draws }, &self.limits)?;
        Ok(trees.into_iter().map(|tree| tree.pruned_by(&self.limits)).zip(bags).collect())
    }

    /// What a tree learns, and which rows it drew.
    fn target<T>(&self, tree: usize, target_of: impl Fn(Option<&[u32]>) -> T) -> (T, Option<InBag>) {
        let times = self.bootstrap.as_ref().map(|bootstrap| bootstrap.times(tree));
        let bag = times.as_ref().filter(|_| self.settings.oob_score).map(|times| InBag::new(times));
        (target_of(times.as_deref()), bag)
    }
}
