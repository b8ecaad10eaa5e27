//! Numbers by extremely randomised trees.

use serde::{Deserialize, Serialize};

use super::{ForestKind, RandomForestRegressor, RandomForestRegressorModel};
use crate::array::Matrix;
use crate::ensemble::ensemble_variance::EnsembleVariance;
use crate::error::Result;
use crate::estimator::{Fit, Predict, Rows, Targets};
use crate::model_file::{Container, Persist};
use crate::tree::{MaxFeatures, RegressionCriterion, Tree};

/// Extremely randomised trees for numbers (Geurts, Ernst and Wehenkel 2006). Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let (train, test) = datasets::diabetes()?.split(0.8, 42)?;
/// let trees = ExtraTreesRegressor::default().n_estimators(50).min_samples_leaf(5);
/// let model = trees.fit(&train.x, train.values()?)?;
/// assert!(model.score(&test.x, test.values()?)? > 0.3);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - Each node draws one threshold for every feature, uniform between the smallest and the largest value in the node,
///   and takes the best of these splits; `max_features` lessens how many. Each tree learns from all rows, unless
///   `bootstrap` is set. The prediction is the mean of the trees'.
/// - A missing value goes to the side where the split gains more. Ties and weights are as in
///   [`DecisionTreeRegressor`](crate::tree::DecisionTreeRegressor).
/// - The same seed gives the same bits on any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtraTreesRegressor {
    /// Number of trees, at least 1. Default 100.
    pub n_estimators: usize,
    /// What a split lessens. Default [`RegressionCriterion::SquaredError`].
    pub criterion: RegressionCriterion,
    /// Divisions on the way to a leaf at most; 0 leaves one leaf. Default: no limit.
    pub max_depth: Option<usize>,
    /// Leaves at most, 2 or more; the leaf whose split gains most is then divided first. Default: no limit.
    pub max_leaf_nodes: Option<usize>,
    /// Rows of a node that is divided, at least; 2 or more. Default 2.
    pub min_samples_split: usize,
    /// Rows of a leaf, at least; 1 or more. A row counts once whatever it weighs. Default 1.
    pub min_samples_leaf: usize,
    /// The least decrease of the impurity by a split, times the node's share of all weights. Default 0.
    pub min_impurity_decrease: f64,
    /// Prunes the grown trees: a division stays whose subtree lessens the impurity by more than this for each leaf it
    /// adds, impurities being weighted by the nodes' shares of all weights. At 0, the default, nothing is pruned, not
    /// even what gains nothing.
    pub ccp_alpha: f64,
    /// How many features each split looks at. Default [`MaxFeatures::All`].
    pub max_features: MaxFeatures,
    /// Bins of a feature at most, from 2 to 255: a cut is then drawn among those between the bins of a node. `None`
    /// draws thresholds among all numbers. Default 255.
    pub max_bins: Option<usize>,
    /// Whether each tree learns from a bootstrap sample: as many rows as there are, drawn with replacement. Default
    /// false.
    pub bootstrap: bool,
    /// The share of the rows that a bootstrap sample draws, above 0 and up to 1. Default: all.
    pub max_samples: Option<f64>,
    /// Whether to score each row by the trees that did not draw it. Default false.
    pub oob_score: bool,
    /// Decides what is drawn. Default 0.
    pub seed: u64,
}

impl Default for ExtraTreesRegressor {
    fn default() -> ExtraTreesRegressor {
        ExtraTreesRegressor {
            n_estimators: 100,
            criterion: RegressionCriterion::SquaredError,
            max_depth: None,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_impurity_decrease: 0.0,
            ccp_alpha: 0.0,
            max_features: MaxFeatures::All,
            max_bins: Some(255),
            bootstrap: false,
            max_samples: None,
            oob_score: false,
            seed: 0,
        }
    }
}

impl ExtraTreesRegressor {
    /// So many trees.
    pub fn new(n_estimators: usize) -> ExtraTreesRegressor {
        ExtraTreesRegressor { n_estimators, ..ExtraTreesRegressor::default() }
    }

    /// Sets the number of trees.
    pub fn n_estimators(mut self, n_estimators: usize) -> ExtraTreesRegressor {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets the criterion.
    pub fn criterion(mut self, criterion: RegressionCriterion) -> ExtraTreesRegressor {
        self.criterion = criterion;
        self
    }

    /// Sets the largest depth.
    pub fn max_depth(mut self, max_depth: usize) -> ExtraTreesRegressor {
        self.max_depth = Some(max_depth);
        self
    }

    /// Sets the largest number of leaves.
    pub fn max_leaf_nodes(mut self, max_leaf_nodes: usize) -> ExtraTreesRegressor {
        self.max_leaf_nodes = Some(max_leaf_nodes);
        self
    }

    /// Sets the least rows of a node that is divided.
    pub fn min_samples_split(mut self, min_samples_split: usize) -> ExtraTreesRegressor {
        self.min_samples_split = min_samples_split;
        self
    }

    /// Sets the least rows of a leaf.
    pub fn min_samples_leaf(mut self, min_samples_leaf: usize) -> ExtraTreesRegressor {
        self.min_samples_leaf = min_samples_leaf;
        self
    }

    /// Sets the least decrease of the impurity.
    pub fn min_impurity_decrease(mut self, min_impurity_decrease: f64) -> ExtraTreesRegressor {
        self.min_impurity_decrease = min_impurity_decrease;
        self
    }

    /// Sets how much is pruned.
    pub fn ccp_alpha(mut self, ccp_alpha: f64) -> ExtraTreesRegressor {
        self.ccp_alpha = ccp_alpha;
        self
    }

    /// Sets how many features each split looks at.
    pub fn max_features(mut self, max_features: MaxFeatures) -> ExtraTreesRegressor {
        self.max_features = max_features;
        self
    }

    /// Sets the number of bins; `None` for exact splits.
    pub fn max_bins(mut self, max_bins: impl Into<Option<usize>>) -> ExtraTreesRegressor {
        self.max_bins = max_bins.into();
        self
    }

    /// Sets whether trees learn from bootstrap samples.
    pub fn bootstrap(mut self, bootstrap: bool) -> ExtraTreesRegressor {
        self.bootstrap = bootstrap;
        self
    }

    /// Sets the share of the rows that a sample draws.
    pub fn max_samples(mut self, max_samples: f64) -> ExtraTreesRegressor {
        self.max_samples = Some(max_samples);
        self
    }

    /// Sets whether rows are scored by the trees that did not draw them.
    pub fn oob_score(mut self, oob_score: bool) -> ExtraTreesRegressor {
        self.oob_score = oob_score;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> ExtraTreesRegressor {
        self.seed = seed;
        self
    }

    /// Grows the trees of the rows of `x` (n×d, NaN is missing) with their targets (n numbers, or n×p). Costs about
    /// n·(d + p) steps for each level of each tree.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<ExtraTreesRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights or an observer. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the forest
    /// with the trees it has.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<ExtraTreesRegressorModel> {
        let forest = self.forest().fit_kind(ForestKind::ExtraTrees, x.into(), y.into(), options)?;
        Ok(ExtraTreesRegressorModel { forest })
    }

    /// The forest with these parameters.
    fn forest(&self) -> RandomForestRegressor {
        RandomForestRegressor {
            n_estimators: self.n_estimators,
            criterion: self.criterion,
            max_depth: self.max_depth,
            max_leaf_nodes: self.max_leaf_nodes,
            min_samples_split: self.min_samples_split,
            min_samples_leaf: self.min_samples_leaf,
            min_impurity_decrease: self.min_impurity_decrease,
            ccp_alpha: self.ccp_alpha,
            max_features: self.max_features,
            max_bins: self.max_bins,
            bootstrap: self.bootstrap,
            max_samples: self.max_samples,
            oob_score: self.oob_score,
            seed: self.seed,
        }
    }
}

/// Fitted extra trees of numbers.
#[derive(Debug, Clone)]
pub struct ExtraTreesRegressorModel {
    pub(super) forest: RandomForestRegressorModel,
}

impl ExtraTreesRegressorModel {
    /// The trees; the values of a node are those of its targets.
    pub fn trees(&self) -> &[Tree] {
        self.forest.trees()
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.forest.column_names()
    }

    /// How much each column lessened the impurity, the mean over the trees: shares with the sum 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.forest.feature_importances()
    }

    /// R² of the rows that some tree did not draw, each by those trees alone; none if it was not asked for, or every
    /// tree drew every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.forest.oob_score()
    }

    /// The predictions of the fitted rows by the trees that did not draw them, n×p; missing where all did.
    pub fn oob_prediction(&self) -> Option<&Matrix> {
        self.forest.oob_prediction()
    }

    /// How much averaging the trees lessens the variance of what they predict for the rows of `x`.
    pub fn ensemble_variance<'a>(&self, x: impl Into<Rows<'a>>) -> Result<EnsembleVariance> {
        self.forest.ensemble_variance(x)
    }

    /// The leaf of each row of `x` in each tree, by its number in [`Tree::nodes`], n×trees.
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        self.forest.apply(x)
    }

    /// How much each feature moves the prediction of each row away from the expected one: a matrix n×(d + 1) for each
    /// target, with the expected prediction in the last column; a row of it adds up to the prediction. As for random
    /// forests.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.forest.shapley_values(x)
    }
}

impl Predict for ExtraTreesRegressorModel {
    type Output = Matrix;

    /// The mean of the trees' values, n×p.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.forest.predict(x)
    }
}

impl Persist for ExtraTreesRegressorModel {
    const KIND: &'static str = "extra-trees-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        self.forest.store(container)
    }

    fn restore(container: &mut Container) -> Result<ExtraTreesRegressorModel> {
        Ok(ExtraTreesRegressorModel { forest: RandomForestRegressorModel::restore(container)? })
    }
}
