//! Classes by many trees.

use serde::{Deserialize, Serialize};

use super::ForestKind;
use super::bootstrap::Bootstrap;
use super::growth::ForestPlan;
use super::out_of_bag::{accuracy_of_known, out_of_bag};
use crate::array::Matrix;
use crate::cpu::tree::target::{ClassTarget, FixedWeights};
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{Fit, Predict, PredictProba, Rows};
use crate::model_file::{Container, Persist};
use crate::tree::grow::TreeTable;
use crate::tree::{ClassWeight, Criterion, MaxFeatures, Tree, TreeLimits, Trees};
use crate::tree::{at_least, check_bins, check_classes, likeliest, rows_to_learn, to_matrix};

/// A random forest for classes. Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let (train, test) = datasets::breast_cancer()?.split(0.8, 42)?;
/// let forest = RandomForestClassifier::default().n_estimators(50).oob_score(true);
/// let model = forest.fit(&train.x, train.labels()?)?;
/// assert!(model.score(&test.x, test.labels()?)? > 0.9);
/// assert!(model.oob_score().is_some_and(|score| score > 0.9));
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - Each tree learns from a bootstrap sample, and each node looks at √d features, drawn anew. The chances are the mean
///   of the trees' chances.
/// - Missing values, ties and weights are as in [`DecisionTreeClassifier`](crate::tree::DecisionTreeClassifier); a row
///   of weight 0 is never drawn.
/// - The same seed gives the same bits on any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RandomForestClassifier {
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
    /// Bins of a feature at most, from 2 to 255; `None` splits exactly at every value, which takes longer.
    /// Default 255.
    pub max_bins: Option<usize>,
    /// How much the rows of each class count. Default [`ClassWeight::Uniform`].
    pub class_weight: ClassWeight,
    /// Whether each tree learns from a bootstrap sample: as many rows as there are, drawn with replacement. Default
    /// true.
    pub bootstrap: bool,
    /// The share of the rows that a bootstrap sample draws, above 0 and up to 1. Default: all.
    pub max_samples: Option<f64>,
    /// Whether to score each row by the trees that did not draw it. Default false.
    pub oob_score: bool,
    /// Decides what is drawn. Default 0.
    pub seed: u64,
}

impl Default for RandomForestClassifier {
    fn default() -> RandomForestClassifier {
        RandomForestClassifier {
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
            bootstrap: true,
            max_samples: None,
            oob_score: false,
            seed: 0,
        }
    }
}

impl RandomForestClassifier {
    /// A forest of so many trees.
    pub fn new(n_estimators: usize) -> RandomForestClassifier {
        RandomForestClassifier { n_estimators, ..RandomForestClassifier::default() }
    }

    /// Sets the number of trees.
    pub fn n_estimators(mut self, n_estimators: usize) -> RandomForestClassifier {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets the criterion.
    pub fn criterion(mut self, criterion: Criterion) -> RandomForestClassifier {
        self.criterion = criterion;
        self
    }

    /// Sets the largest depth.
    pub fn max_depth(mut self, max_depth: usize) -> RandomForestClassifier {
        self.max_depth = Some(max_depth);
        self
    }

    /// Sets the largest number of leaves.
    pub fn max_leaf_nodes(mut self, max_leaf_nodes: usize) -> RandomForestClassifier {
        self.max_leaf_nodes = Some(max_leaf_nodes);
        self
    }

    /// Sets the least rows of a node that is divided.
    pub fn min_samples_split(mut self, min_samples_split: usize) -> RandomForestClassifier {
        self.min_samples_split = min_samples_split;
        self
    }

    /// Sets the least rows of a leaf.
    pub fn min_samples_leaf(mut self, min_samples_leaf: usize) -> RandomForestClassifier {
        self.min_samples_leaf = min_samples_leaf;
        self
    }

    /// Sets the least decrease of the impurity.
    pub fn min_impurity_decrease(mut self, min_impurity_decrease: f64) -> RandomForestClassifier {
        self.min_impurity_decrease = min_impurity_decrease;
        self
    }

    /// Sets how much is pruned.
    pub fn ccp_alpha(mut self, ccp_alpha: f64) -> RandomForestClassifier {
        self.ccp_alpha = ccp_alpha;
        self
    }

    /// Sets how many features each split looks at.
    pub fn max_features(mut self, max_features: MaxFeatures) -> RandomForestClassifier {
        self.max_features = max_features;
        self
    }

    /// Sets the number of bins; `None` for exact splits.
    pub fn max_bins(mut self, max_bins: impl Into<Option<usize>>) -> RandomForestClassifier {
        self.max_bins = max_bins.into();
        self
    }

    /// Sets how much the classes count.
    pub fn class_weight(mut self, class_weight: ClassWeight) -> RandomForestClassifier {
        self.class_weight = class_weight;
        self
    }

    /// Sets whether trees learn from bootstrap samples.
    pub fn bootstrap(mut self, bootstrap: bool) -> RandomForestClassifier {
        self.bootstrap = bootstrap;
        self
    }

    /// Sets the share of the rows that a sample draws.
    pub fn max_samples(mut self, max_samples: f64) -> RandomForestClassifier {
        self.max_samples = Some(max_samples);
        self
    }

    /// Sets whether rows are scored by the trees that did not draw them.
    pub fn oob_score(mut self, oob_score: bool) -> RandomForestClassifier {
        self.oob_score = oob_score;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> RandomForestClassifier {
        self.seed = seed;
        self
    }

    /// Grows the trees of the rows of `x` (n×d, NaN is missing) with their classes. Costs about n·√d steps for each
    /// level of each tree.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<RandomForestClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights or an observer. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the forest
    /// with the trees it has.
    pub fn fit_with<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<RandomForestClassifierModel> {
        self.fit_kind(ForestKind::RandomForest, x.into(), y, options)
    }

    /// A forest of this kind.
    pub(super) fn fit_kind(
        &self,
        kind: ForestKind,
        x: Rows<'_>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<RandomForestClassifierModel> {
        let op = kind.classifier();
        let (x, device) = rows_to_learn(op, x)?;
        check_classes(op, &x, y)?;
        check_bins(self.max_bins)?;
        let limits = self.limits();
        limits.check()?;
        at_least("n_estimators", self.n_estimators, 1)?;
        let weights = self.class_weight.row_weights(y, options.weights(op, x.rows())?)?;
        let weights = FixedWeights::for_classes(op, x.rows(), weights.as_deref())?;
        let target_of = |times: Option<&[u32]>| {
            let weights = times.map_or_else(|| weights.clone(), |times| weights.repeated(times));
            ClassTarget::new(y.codes(), y.classes(), weights, self.criterion)
        };
        let whole = target_of(None);
        let table = TreeTable::new(&x, &whole, self.max_bins)?.on(device);
        let plan = ForestPlan {
            bootstrap: Bootstrap::wanted(
                self.bootstrap,
                self.max_samples,
                self.oob_score,
                self.seed,
                &whole,
                x.rows(),
            )?,
            table: &table,
            limits,
            n_estimators: self.n_estimators,
            columns: x.columns(),
            features: self.max_features.of(x.columns())?,
            seed: self.seed,
            random_cuts: kind == ForestKind::ExtraTrees,
            keep_bags: self.oob_score,
        };
        let (trees, bags) = options.watched(kind.label(), |watch| plan.grow(target_of, watch))?;
        let trees = Trees::new(trees, &x);
        let out_of_bag = match self.oob_score {
            true => Some(to_matrix(&out_of_bag(&x, trees.trees(), &bags), x.rows(), y.classes())?),
            false => None,
        };
        let oob_score = out_of_bag.as_ref().and_then(|chances| accuracy_of_known(chances, y, &weights));
        Ok(RandomForestClassifierModel {
            kind,
            params: self.clone(),
            classes: y.with_codes(vec![])?,
            trees,
            out_of_bag,
            oob_score,
        })
    }

    fn limits(&self) -> TreeLimits {
        TreeLimits {
            max_depth: self.max_depth,
            max_leaf_nodes: self.max_leaf_nodes,
            min_samples_split: self.min_samples_split,
            min_samples_leaf: self.min_samples_leaf,
            min_impurity_decrease: self.min_impurity_decrease,
            ccp_alpha: self.ccp_alpha,
        }
    }
}

/// A fitted forest of classes.
#[derive(Debug, Clone)]
pub struct RandomForestClassifierModel {
    pub(super) kind: ForestKind,
    params: RandomForestClassifier,
    /// The classes; no rows.
    pub(super) classes: Labels,
    pub(super) trees: Trees,
    out_of_bag: Option<Matrix>,
    oob_score: Option<f64>,
}

impl RandomForestClassifierModel {
    /// The trees; the values of a node are the chances of the classes.
    pub fn trees(&self) -> &[Tree] {
        self.trees.trees()
    }

    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.classes.names()
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.trees.names()
    }

    /// How much each column lessened the impurity, the mean over the trees: shares with the sum 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// The share of right classes among the rows that some tree did not draw, each by those trees alone; none if it was
    /// not asked for, or every tree drew every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// The chances of the fitted rows by the trees that did not draw them, n×k; missing where all did.
    pub fn oob_decision_function(&self) -> Option<&Matrix> {
        self.out_of_bag.as_ref()
    }

    /// The leaf of each row of `x` in each tree, by its number in [`Tree::nodes`], n×trees.
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        let x = self.trees.queries(self.kind.classifier(), x.into())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves the chance of each row away from the expected one: a matrix n×(d + 1) for each
    /// class, with the expected chance in the last column; a row of it adds up to the chance.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.trees.shapley_values(self.kind.classifier(), x.into())
    }
}

impl Predict for RandomForestClassifierModel {
    type Output = Labels;

    /// The class of the largest mean chance; the lowest of equals.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        let x = self.trees.queries(self.kind.classifier(), x.into())?;
        self.classes.with_codes(likeliest(&self.trees.mean_values(&x)?, self.classes.classes()))
    }
}

impl PredictProba for RandomForestClassifierModel {
    /// The mean of the trees' chances, n×k.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = self.trees.queries(self.kind.classifier(), x.into())?;
        to_matrix(&self.trees.mean_values(&x)?, x.rows(), self.classes.classes())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Stored {
    estimator: RandomForestClassifier,
    columns: usize,
    oob_score: Option<f64>,
}

impl Persist for RandomForestClassifierModel {
    const KIND: &'static str = "random-forest-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (estimator, columns, oob_score) = (self.params.clone(), self.trees.columns(), self.oob_score);
        container.set_parameters(&Stored { estimator, columns, oob_score })?;
        container.insert_strings("class_names", self.classes.names())?;
        super::out_of_bag::store(container, self.out_of_bag.as_ref())?;
        self.trees.store(container)
    }

    fn restore(container: &mut Container) -> Result<RandomForestClassifierModel> {
        let Stored { estimator, columns, oob_score } = container.parameters()?;
        let names = container.take_strings("class_names")?;
        let trees = Trees::restore(container, columns, names.len())?;
        let out_of_bag = super::out_of_bag::restore(container, names.len())?;
        let classes = Labels::from_codes(vec![], names)?;
        let kind = ForestKind::of_file(container.kind());
        Ok(RandomForestClassifierModel { kind, params: estimator, classes, trees, out_of_bag, oob_score })
    }
}
