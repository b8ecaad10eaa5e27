//! Numbers by one tree.

use serde::{Deserialize, Serialize};

use super::grow::TreeTable;
use super::model::{PruningPath, Tree, Trees, rows_to_learn, to_matrix};
use super::parameters::{MaxFeatures, TreeLimits, check_bins};
use crate::array::Matrix;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::cpu::tree::target::{FixedValues, RegressionCriterion};
use crate::error::Result;
use crate::estimator::{Fit, Predict, Rows, Targets};
use crate::model_file::{Container, Persist};

/// A decision tree for numbers: a leaf's value is the mean of its rows, or their median by
/// [`AbsoluteError`](RegressionCriterion::AbsoluteError). Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = DecisionTreeRegressor::default().max_depth(1).fit(&x, &[1.0, 1.0, 5.0, 7.0])?;
/// assert_eq!(model.predict(&Matrix::from_rows(&[[0.5], [9.0]])?)?.as_slice(), [1.0, 6.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - A missing value (NaN) goes to the side where the split gains more; where a node had none to learn from, one that
///   comes later goes with the larger child.
/// - Columns that [`Matrix::with_categories`] marked are divided by sets of levels; a level that was not fitted is
///   missing.
/// - Of equally good splits the lowest feature wins, then the lowest threshold. A node whose targets differ is split
///   even where no split gains anything, as in scikit-learn, if it allows one.
/// - Rows of weight 0 are as good as absent. For splits, weights that are not all whole numbers below 2¹⁶ are rounded
///   to 16 bits; from 2²³ rows on to 15, and two less for each doubling. The values of leaves use them as they are.
/// - The same seed gives the same bits on any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DecisionTreeRegressor {
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
    /// Prunes the grown tree: a division stays whose subtree lessens the impurity by more than this for each leaf it
    /// adds, impurities being weighted by the nodes' shares of all weights. At 0, the default, nothing is pruned, not
    /// even what gains nothing.
    pub ccp_alpha: f64,
    /// How many features each split looks at. Default [`MaxFeatures::All`].
    pub max_features: MaxFeatures,
    /// Bins of a feature at most, from 2 to 255; `None` splits exactly at every value, which takes longer.
    /// Default 255.
    pub max_bins: Option<usize>,
    /// Decides which features are drawn. Default 0.
    pub seed: u64,
}

impl Default for DecisionTreeRegressor {
    fn default() -> DecisionTreeRegressor {
        DecisionTreeRegressor {
            criterion: RegressionCriterion::SquaredError,
            max_depth: None,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_impurity_decrease: 0.0,
            ccp_alpha: 0.0,
            max_features: MaxFeatures::All,
            max_bins: Some(255),
            seed: 0,
        }
    }
}

impl DecisionTreeRegressor {
    /// Sets the criterion.
    pub fn criterion(mut self, criterion: RegressionCriterion) -> DecisionTreeRegressor {
        self.criterion = criterion;
        self
    }

    /// Sets the largest depth.
    pub fn max_depth(mut self, max_depth: usize) -> DecisionTreeRegressor {
        self.max_depth = Some(max_depth);
        self
    }

    /// Sets the largest number of leaves.
    pub fn max_leaf_nodes(mut self, max_leaf_nodes: usize) -> DecisionTreeRegressor {
        self.max_leaf_nodes = Some(max_leaf_nodes);
        self
    }

    /// Sets the least rows of a node that is divided.
    pub fn min_samples_split(mut self, min_samples_split: usize) -> DecisionTreeRegressor {
        self.min_samples_split = min_samples_split;
        self
    }

    /// Sets the least rows of a leaf.
    pub fn min_samples_leaf(mut self, min_samples_leaf: usize) -> DecisionTreeRegressor {
        self.min_samples_leaf = min_samples_leaf;
        self
    }

    /// Sets the least decrease of the impurity.
    pub fn min_impurity_decrease(mut self, min_impurity_decrease: f64) -> DecisionTreeRegressor {
        self.min_impurity_decrease = min_impurity_decrease;
        self
    }

    /// Sets how much is pruned.
    pub fn ccp_alpha(mut self, ccp_alpha: f64) -> DecisionTreeRegressor {
        self.ccp_alpha = ccp_alpha;
        self
    }

    /// Sets how many features each split looks at.
    pub fn max_features(mut self, max_features: MaxFeatures) -> DecisionTreeRegressor {
        self.max_features = max_features;
        self
    }

    /// Sets the number of bins; `None` for exact splits.
    pub fn max_bins(mut self, max_bins: impl Into<Option<usize>>) -> DecisionTreeRegressor {
        self.max_bins = max_bins.into();
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> DecisionTreeRegressor {
        self.seed = seed;
        self
    }

    /// Grows the tree of the rows of `x` (n×d, NaN is missing) with their targets (n numbers, or n×p). Costs about
    /// n·(d + p) steps a level.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<DecisionTreeRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// How the tree that these parameters grow shrinks as `ccp_alpha` rises: the values at which it changes.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let diabetes = datasets::diabetes()?;
    /// let tree = DecisionTreeRegressor::default();
    /// let path = tree.cost_complexity_pruning_path(&diabetes.x, diabetes.values()?)?;
    /// let largest = *path.alphas.last().unwrap();
    /// let root = tree.ccp_alpha(largest).fit(&diabetes.x, diabetes.values()?)?;
    /// assert_eq!(root.tree().leaves(), 1);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn cost_complexity_pruning_path<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
    ) -> Result<PruningPath> {
        self.cost_complexity_pruning_path_with(x, y, Fit::default())
    }

    /// The same with sample weights.
    pub fn cost_complexity_pruning_path_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<PruningPath> {
        Ok(self.clone().ccp_alpha(0.0).fit_with(x, y, options)?.tree().pruning_path())
    }

    /// The same with sample weights.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<DecisionTreeRegressorModel> {
        const OP: &str = "DecisionTreeRegressor";
        let (x, device) = rows_to_learn(OP, x.into())?;
        let limits = self.limits();
        limits.check()?;
        check_bins(self.max_bins)?;
        let draw = FeatureDraw::new(self.seed, 0, x.columns(), self.max_features.of(x.columns())?);
        let weights = options.weights(OP, x.rows())?;
        let y = y.into().complete(OP, x.rows())?;
        let values = FixedValues::new(OP, y.as_slice(), y.columns(), weights)?.with_criterion(self.criterion);
        let target = values.target(None);
        let tree = TreeTable::new(&x, &target, self.max_bins)?.on(device).grow(&target, &limits, draw)?;
        Ok(DecisionTreeRegressorModel { params: self.clone(), trees: Trees::new(vec![tree], &x) })
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

/// A fitted tree of numbers.
#[derive(Debug, Clone)]
pub struct DecisionTreeRegressorModel {
    params: DecisionTreeRegressor,
    trees: Trees,
}

impl DecisionTreeRegressorModel {
    /// The tree; the values of a node are the means of the targets, or their medians by
    /// [`AbsoluteError`](RegressionCriterion::AbsoluteError).
    pub fn tree(&self) -> &Tree {
        &self.trees.trees()[0]
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.trees.names()
    }

    /// How much each column lessened the criterion: shares with the sum 1, or zeros in a tree that gains nothing.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// The leaf of each row of `x`, by its number in [`Tree::nodes`].
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        let x = self.trees.queries("DecisionTreeRegressor", x.into())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves the prediction of each row away from the expected one: a matrix n×(d + 1) for each
    /// target, with the expected prediction in the last column; a row of it adds up to the prediction.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.trees.shapley_values("DecisionTreeRegressor", x.into())
    }

    /// The tree as lines of text, with the names of the columns.
    pub fn to_text(&self) -> String {
        self.tree().to_text(self.trees.names())
    }
}

impl Predict for DecisionTreeRegressorModel {
    type Output = Matrix;

    /// The value of the leaf of each row, n×p.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = self.trees.queries("DecisionTreeRegressor", x.into())?;
        to_matrix(&self.trees.mean_values(&x)?, x.rows(), self.tree().outputs())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Stored {
    estimator: DecisionTreeRegressor,
    columns: usize,
    outputs: usize,
}

impl Persist for DecisionTreeRegressorModel {
    const KIND: &'static str = "decision-tree-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (columns, outputs) = (self.trees.columns(), self.tree().outputs());
        container.set_parameters(&Stored { estimator: self.params.clone(), columns, outputs })?;
        self.trees.store(container)
    }

    fn restore(container: &mut Container) -> Result<DecisionTreeRegressorModel> {
        let Stored { estimator, columns, outputs } = container.parameters()?;
        let trees = Trees::restore(container, columns, outputs)?;
        if trees.trees().len() != 1 || outputs == 0 {
            return Err(container.refuse(format!("{} trees of {outputs} outputs", trees.trees().len())));
        }
        Ok(DecisionTreeRegressorModel { params: estimator, trees })
    }
}
