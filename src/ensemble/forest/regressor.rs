//! Numbers by many trees.

use serde::{Deserialize, Serialize};

use super::ForestKind;
use super::bootstrap::Bootstrap;
use super::growth::ForestPlan;
use super::out_of_bag::out_of_bag;
use crate::array::Matrix;
use crate::cpu::tree::target::{FixedValues, TreeTarget};
use crate::ensemble::ensemble_variance::EnsembleVariance;
use crate::error::Result;
use crate::estimator::{Fit, Predict, Rows, Targets};
use crate::model_file::{Container, Persist};
use crate::tree::grow::TreeTable;
use crate::tree::{MaxFeatures, RegressionCriterion, Tree, TreeLimits, Trees};
use crate::tree::{at_least, check_bins, rows_to_learn, to_matrix};

/// A random forest for numbers. Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let (train, test) = datasets::diabetes()?.split(0.8, 42)?;
/// let forest = RandomForestRegressor::default().n_estimators(50).min_samples_leaf(5);
/// let model = forest.fit(&train.x, train.values()?)?;
/// assert!(model.score(&test.x, test.values()?)? > 0.3);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - Each tree learns from a bootstrap sample and looks at all features, unless `max_features` says otherwise. The
///   prediction is the mean of the trees'.
/// - Missing values, ties and weights are as in [`DecisionTreeRegressor`](crate::tree::DecisionTreeRegressor); a row of
///   weight 0 is never drawn.
/// - The same seed gives the same bits on any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RandomForestRegressor {
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
    /// Bins of a feature at most, from 2 to 255; `None` splits exactly at every value, which takes longer.
    /// Default 255.
    pub max_bins: Option<usize>,
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

impl Default for RandomForestRegressor {
    fn default() -> RandomForestRegressor {
        RandomForestRegressor {
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
            bootstrap: true,
            max_samples: None,
            oob_score: false,
            seed: 0,
        }
    }
}

impl RandomForestRegressor {
    /// A forest of so many trees.
    pub fn new(n_estimators: usize) -> RandomForestRegressor {
        RandomForestRegressor { n_estimators, ..RandomForestRegressor::default() }
    }

    /// Sets the number of trees.
    pub fn n_estimators(mut self, n_estimators: usize) -> RandomForestRegressor {
        self.n_estimators = n_estimators;
        self
    }

    /// Sets the criterion.
    pub fn criterion(mut self, criterion: RegressionCriterion) -> RandomForestRegressor {
        self.criterion = criterion;
        self
    }

    /// Sets the largest depth.
    pub fn max_depth(mut self, max_depth: usize) -> RandomForestRegressor {
        self.max_depth = Some(max_depth);
        self
    }

    /// Sets the largest number of leaves.
    pub fn max_leaf_nodes(mut self, max_leaf_nodes: usize) -> RandomForestRegressor {
        self.max_leaf_nodes = Some(max_leaf_nodes);
        self
    }

    /// Sets the least rows of a node that is divided.
    pub fn min_samples_split(mut self, min_samples_split: usize) -> RandomForestRegressor {
        self.min_samples_split = min_samples_split;
        self
    }

    /// Sets the least rows of a leaf.
    pub fn min_samples_leaf(mut self, min_samples_leaf: usize) -> RandomForestRegressor {
        self.min_samples_leaf = min_samples_leaf;
        self
    }

    /// Sets the least decrease of the impurity.
    pub fn min_impurity_decrease(mut self, min_impurity_decrease: f64) -> RandomForestRegressor {
        self.min_impurity_decrease = min_impurity_decrease;
        self
    }

    /// Sets how much is pruned.
    pub fn ccp_alpha(mut self, ccp_alpha: f64) -> RandomForestRegressor {
        self.ccp_alpha = ccp_alpha;
        self
    }

    /// Sets how many features each split looks at.
    pub fn max_features(mut self, max_features: MaxFeatures) -> RandomForestRegressor {
        self.max_features = max_features;
        self
    }

    /// Sets the number of bins; `None` for exact splits.
    pub fn max_bins(mut self, max_bins: impl Into<Option<usize>>) -> RandomForestRegressor {
        self.max_bins = max_bins.into();
        self
    }

    /// Sets whether trees learn from bootstrap samples.
    pub fn bootstrap(mut self, bootstrap: bool) -> RandomForestRegressor {
        self.bootstrap = bootstrap;
        self
    }

    /// Sets the share of the rows that a sample draws.
    pub fn max_samples(mut self, max_samples: f64) -> RandomForestRegressor {
        self.max_samples = Some(max_samples);
        self
    }

    /// Sets whether rows are scored by the trees that did not draw them.
    pub fn oob_score(mut self, oob_score: bool) -> RandomForestRegressor {
        self.oob_score = oob_score;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> RandomForestRegressor {
        self.seed = seed;
        self
    }

    /// Grows the trees of the rows of `x` (n×d, NaN is missing) with their targets (n numbers, or n×p). Costs about
    /// n·(d + p) steps for each level of each tree.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<RandomForestRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights or an observer. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the forest
    /// with the trees it has.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<RandomForestRegressorModel> {
        self.fit_kind(ForestKind::RandomForest, x.into(), y.into(), options)
    }

    /// A forest of this kind.
    pub(super) fn fit_kind(
        &self,
        kind: ForestKind,
        x: Rows<'_>,
        y: Targets<'_>,
        options: Fit<'_>,
    ) -> Result<RandomForestRegressorModel> {
        let op = kind.regressor();
        let (x, device) = rows_to_learn(op, x)?;
        check_bins(self.max_bins)?;
        let limits = self.limits();
        limits.check()?;
        at_least("n_estimators", self.n_estimators, 1)?;
        let y = y.complete(op, x.rows())?;
        let weights = options.weights(op, x.rows())?;
        let values = FixedValues::new(op, y.as_slice(), y.columns(), weights)?.with_criterion(self.criterion);
        let whole = values.target(None);
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
        let (trees, bags) = options.watched(kind.label(), |watch| plan.grow(|times| values.target(times), watch))?;
        let trees = Trees::new(trees, &x);
        let out_of_bag = match self.oob_score {
            true => Some(to_matrix(&out_of_bag(&x, trees.trees(), &bags), x.rows(), y.columns())?),
            false => None,
        };
        let oob_score = match &out_of_bag {
            Some(predicted) => score_of_known(predicted, &y, &whole)?,
            None => None,
        };
        Ok(RandomForestRegressorModel { kind, params: self.clone(), trees, out_of_bag, oob_score })
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

/// R² of the rows that count and have a prediction; none of fewer than two.
fn score_of_known<T: TreeTarget>(predicted: &Matrix, y: &Matrix, target: &T) -> Result<Option<f64>> {
    let known = |row: &usize| target.counts(*row) && !predicted.get(*row, 0).is_nan();
    let rows: Vec<usize> = (0..y.rows()).filter(known).collect();
    let of = |matrix: &Matrix| {
        let values = rows.iter().flat_map(|row| matrix.row(*row)).copied().collect();
        Matrix::from_vec(rows.len(), matrix.columns(), values)
    };
    match rows.len() {
        0 | 1 => Ok(None),
        _ => Ok(Some(crate::metrics::r2_score_columns(&of(y)?, &of(predicted)?)?)),
    }
}

/// A fitted forest of numbers.
#[derive(Debug, Clone)]
pub struct RandomForestRegressorModel {
    kind: ForestKind,
    params: RandomForestRegressor,
    trees: Trees,
    out_of_bag: Option<Matrix>,
    oob_score: Option<f64>,
}

impl RandomForestRegressorModel {
    /// The trees; the values of a node are the means of the targets, or their medians by
    /// [`AbsoluteError`](crate::tree::RegressionCriterion::AbsoluteError).
    pub fn trees(&self) -> &[Tree] {
        self.trees.trees()
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.trees.names()
    }

    /// How much each column lessened the criterion, the mean over the trees: shares with the sum 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// R² of the rows that some tree did not draw, each by those trees alone; none if it was not asked for, or there are
    /// fewer than two such rows.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// The predictions of the fitted rows by the trees that did not draw them, n×p; missing where all did.
    pub fn oob_prediction(&self) -> Option<&Matrix> {
        self.out_of_bag.as_ref()
    }

    /// How much averaging the trees lessens the variance of what they predict for the rows of `x`.
    pub fn ensemble_variance<'a>(&self, x: impl Into<Rows<'a>>) -> Result<EnsembleVariance> {
        let x = self.trees.queries(self.kind.regressor(), x.into())?;
        EnsembleVariance::of(self.kind.regressor(), self.trees.predictions(&x)?)
    }

    /// The leaf of each row of `x` in each tree, by its number in [`Tree::nodes`], n×trees.
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        let x = self.trees.queries(self.kind.regressor(), x.into())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves the prediction of each row away from the expected one: a matrix n×(d + 1) for each
    /// target, with the expected prediction in the last column; a row of it adds up to the prediction.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.trees.shapley_values(self.kind.regressor(), x.into())
    }
}

impl Predict for RandomForestRegressorModel {
    type Output = Matrix;

    /// The mean of the trees' values, n×p.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = self.trees.queries(self.kind.regressor(), x.into())?;
        to_matrix(&self.trees.mean_values(&x)?, x.rows(), self.trees.trees()[0].outputs())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Stored {
    estimator: RandomForestRegressor,
    columns: usize,
    outputs: usize,
    oob_score: Option<f64>,
}

impl Persist for RandomForestRegressorModel {
    const KIND: &'static str = "random-forest-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (estimator, oob_score) = (self.params.clone(), self.oob_score);
        let (columns, outputs) = (self.trees.columns(), self.trees.trees()[0].outputs());
        container.set_parameters(&Stored { estimator, columns, outputs, oob_score })?;
        super::out_of_bag::store(container, self.out_of_bag.as_ref())?;
        self.trees.store(container)
    }

    fn restore(container: &mut Container) -> Result<RandomForestRegressorModel> {
        let Stored { estimator, columns, outputs, oob_score } = container.parameters()?;
        if outputs == 0 {
            return Err(container.refuse("there are no outputs"));
        }
        let trees = Trees::restore(container, columns, outputs)?;
        let out_of_bag = super::out_of_bag::restore(container, outputs)?;
        let kind = ForestKind::of_file(container.kind());
        Ok(RandomForestRegressorModel { kind, params: estimator, trees, out_of_bag, oob_score })
    }
}
