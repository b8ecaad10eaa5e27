//! Classes by extremely randomised trees.

use serde::{Deserialize, Serialize};

use super::{ForestKind, RandomForestClassifier, RandomForestClassifierModel};
use crate::array::Matrix;
use crate::data::Labels;
use crate::ensemble::margins::ForestStrength;
use crate::error::Result;
use crate::estimator::{Fit, Predict, PredictProba, Rows};
use crate::model_file::{Container, Persist};
use crate::tree::{ClassWeight, Criterion, MaxFeatures, Tree};

/// Extremely randomised trees for classes (Geurts, Ernst and Wehenkel 2006). Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let (train, test) = datasets::breast_cancer()?.split(0.8, 42)?;
/// let model = ExtraTreesClassifier::default().n_estimators(50).fit(&train.x, train.labels()?)?;
/// assert!(model.score(&test.x, test.labels()?)? > 0.9);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - Each node draws √d features and for each of them one threshold, uniform between the smallest and the largest value
///   in the node; the best of these few splits is taken. Each tree learns from all rows, unless `bootstrap` is set.
/// - Trees are larger than those of a [`RandomForestClassifier`], sooner grown and less alike. The chances are the mean
///   of the trees' chances.
/// - A missing value goes to the side where the split gains more. Ties and weights are as in
///   [`DecisionTreeClassifier`](crate::tree::DecisionTreeClassifier).
/// - The same seed gives the same bits on any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtraTreesClassifier {
    /// Number of trees, at least 1. Default 100.
    pub n_estimators: usize,
    /// What a split lessens. Default [`Criterion::Gini`].
    pub criterion: Criterion,
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
    /// How many features each split looks at. Default [`MaxFeatures::Sqrt`].
    pub max_features: MaxFeatures,
    /// Bins of a feature at most, from 2 to 255: a cut is then drawn among those between the bins of a node. `None`
    /// draws thresholds among all numbers. Default 255.
    pub max_bins: Option<usize>,
    /// How much the rows of each class count. Default [`ClassWeight::Uniform`].
    pub class_weight: ClassWeight,
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

impl Default for ExtraTreesClassifier {
    fn default() -> ExtraTreesClassifier {
        ExtraTreesClassifier {
            n_estimators: 100,
            criterion: Criterion::Gini,
            max_depth: None,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_impurity_decrease: 0.0,
            ccp_alpha: 0.0,
            max_features: MaxFeatures::Sqrt,
            max_bins: Some(255),
            class_weight: ClassWeight::Uniform,
            bootstrap: false,
            max_samples: None,
            oob_score: false,
            seed: 0,
        }
    }
}

impl ExtraTreesClassifier {
    /// So many trees.
    pub fn new(n_estimators: usize) -> ExtraTreesClassifier {
        ExtraTreesClassifier { n_estimators, ..ExtraTreesClassifier::default() }
    }

    /// Sets the number of trees.
    pub fn n_estimators(mut self, n_estimators: usize) -> ExtraTreesClassifier {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets the criterion.
    pub fn criterion(mut self, criterion: Criterion) -> ExtraTreesClassifier {
        self.criterion = criterion;
        self
    }

    /// Sets the largest depth.
    pub fn max_depth(mut self, max_depth: usize) -> ExtraTreesClassifier {
        self.max_depth = Some(max_depth);
        self
    }

    /// Sets the largest number of leaves.
    pub fn max_leaf_nodes(mut self, max_leaf_nodes: usize) -> ExtraTreesClassifier {
        self.max_leaf_nodes = Some(max_leaf_nodes);
        self
    }

    /// Sets the least rows of a node that is divided.
    pub fn min_samples_split(mut self, min_samples_split: usize) -> ExtraTreesClassifier {
        self.min_samples_split = min_samples_split;
        self
    }

    /// Sets the least rows of a leaf.
    pub fn min_samples_leaf(mut self, min_samples_leaf: usize) -> ExtraTreesClassifier {
        self.min_samples_leaf = min_samples_leaf;
        self
    }

    /// Sets the least decrease of the impurity.
    pub fn min_impurity_decrease(mut self, min_impurity_decrease: f64) -> ExtraTreesClassifier {
        self.min_impurity_decrease = min_impurity_decrease;
        self
    }

    /// Sets how much is pruned.
    pub fn ccp_alpha(mut self, ccp_alpha: f64) -> ExtraTreesClassifier {
        self.ccp_alpha = ccp_alpha;
        self
    }

    /// Sets how many features each split looks at.
    pub fn max_features(mut self, max_features: MaxFeatures) -> ExtraTreesClassifier {
        self.max_features = max_features;
        self
    }

    /// Sets the number of bins; `None` for exact splits.
    pub fn max_bins(mut self, max_bins: impl Into<Option<usize>>) -> ExtraTreesClassifier {
        self.max_bins = max_bins.into();
        self
    }

    /// Sets how much the classes count.
    pub fn class_weight(mut self, class_weight: ClassWeight) -> ExtraTreesClassifier {
        self.class_weight = class_weight;
        self
    }

    /// Sets whether trees learn from bootstrap samples.
    pub fn bootstrap(mut self, bootstrap: bool) -> ExtraTreesClassifier {
        self.bootstrap = bootstrap;
        self
    }

    /// Sets the share of the rows that a sample draws.
    pub fn max_samples(mut self, max_samples: f64) -> ExtraTreesClassifier {
        self.max_samples = Some(max_samples);
        self
    }

    /// Sets whether rows are scored by the trees that did not draw them.
    pub fn oob_score(mut self, oob_score: bool) -> ExtraTreesClassifier {
        self.oob_score = oob_score;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> ExtraTreesClassifier {
        self.seed = seed;
        self
    }

    /// Grows the trees of the rows of `x` (n×d, NaN is missing) with their classes. Costs about n·√d steps for each
    /// level of each tree.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<ExtraTreesClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights or an observer. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the forest
    /// with the trees it has.
    pub fn fit_with<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<ExtraTreesClassifierModel> {
        Ok(ExtraTreesClassifierModel { forest: self.forest().fit_kind(ForestKind::ExtraTrees, x.into(), y, options)? })
    }

    /// The forest with these parameters.
    fn forest(&self) -> RandomForestClassifier {
        RandomForestClassifier {
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
            class_weight: self.class_weight.clone(),
            bootstrap: self.bootstrap,
            max_samples: self.max_samples,
            oob_score: self.oob_score,
            seed: self.seed,
        }
    }
}

/// Fitted extra trees of classes.
#[derive(Debug, Clone)]
pub struct ExtraTreesClassifierModel {
    pub(super) forest: RandomForestClassifierModel,
}

impl ExtraTreesClassifierModel {
    /// The trees; the values of a node are the chances of the classes.
    pub fn trees(&self) -> &[Tree] {
        self.forest.trees()
    }

    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.forest.classes()
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.forest.column_names()
    }

    /// How much each column lessened the impurity, the mean over the trees: shares with the sum 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.forest.feature_importances()
    }

    /// The share of right classes among the rows that some tree did not draw, each by those trees alone; none if it was
    /// not asked for, or every tree drew every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.forest.oob_score()
    }

    /// The chances of the fitted rows by the trees that did not draw them, n×k; missing where all did.
    pub fn oob_decision_function(&self) -> Option<&Matrix> {
        self.forest.oob_decision_function()
    }

    /// The margin of each row of `x` (Breiman 2001): the share of the trees that vote for its class `y`
    /// minus the largest share for another. Negative where the majority is wrong.
    pub fn margins<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<Vec<f64>> {
        self.forest.margins(x, y)
    }

    /// How strong the trees are on these rows and how alike they vote; it bounds the error of larger ones of this kind.
    pub fn strength<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<ForestStrength> {
        self.forest.strength(x, y)
    }

    /// The leaf of each row of `x` in each tree, by its number in [`Tree::nodes`], n×trees.
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        self.forest.apply(x)
    }

    /// How much each feature moves the chance of each row away from the expected one: a matrix n×(d + 1) for each class,
    /// with the expected chance in the last column; a row of it adds up to the chance. As for random forests.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.forest.shapley_values(x)
    }
}

impl Predict for ExtraTreesClassifierModel {
    type Output = Labels;

    /// The class of the largest mean chance; the lowest of equals.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        self.forest.predict(x)
    }
}

impl PredictProba for ExtraTreesClassifierModel {
    /// The mean of the trees' chances, n×k.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.forest.predict_proba(x)
    }
}

impl Persist for ExtraTreesClassifierModel {
    const KIND: &'static str = "extra-trees-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        self.forest.store(container)
    }

    fn restore(container: &mut Container) -> Result<ExtraTreesClassifierModel> {
        Ok(ExtraTreesClassifierModel { forest: RandomForestClassifierModel::restore(container)? })
    }
}
