//! Numbers by one tree.

use super::cost::growing;
use super::grow::{BatchedForest, TreeBatch, TreeTable};
use super::model::{PruningPath, SingleTree, TreeEstimator, TreeModel, Trees, rows_to_learn};
use super::parameters::{MaxFeatures, Ties, TreeLimits, with_tree_limits};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::cpu::tree::target::{FixedValues, RegressionCriterion};
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FitShape, Parameters, Rows, Targets, parameters};
use crate::ops::tree::bootstrap::TreeDraws;

const OP: &str = "DecisionTreeRegressor";

with_tree_limits! {
    /// A decision tree regressor: a leaf's value is the mean of its rows, or their median by
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
    /// - A missing value (NaN) goes to the side where the split gains more; where a node had none to learn from, one
    ///   that comes later goes with the larger child.
    /// - Columns that [`Matrix::with_categories`] marked are split by sets of categories; a category that was not
    ///   fitted counts as missing.
    /// - Of equally good splits the lowest feature wins, or a random one by `ties`, then the lowest threshold. A node
    ///   whose targets differ is split even where no split gains anything, as in scikit-learn, if it allows one.
    /// - Rows of weight 0 are as good as absent. For splits, weights that are not all integers below 2¹⁶ are
    ///   rounded to 16 bits; from 2²³ rows on to 15, and two less for each doubling. The values of leaves use them as
    ///   they are.
    /// - The same seed gives the same bits on any number of threads.
    pub struct DecisionTreeRegressor: regressor("decision-tree-regressor") -> DecisionTreeRegressorModel;
    about "one decision tree that predicts numbers";
    {
        /// The error that splits reduce: squared_error, or absolute_error, which takes longer.
        criterion: RegressionCriterion = RegressionCriterion::SquaredError;
        /// How many features each split considers: sqrt, log2, a number, a share such as 0.5; none: all.
        max_features: MaxFeatures = MaxFeatures::All;
        /// Maximum number of bins of a feature; none: exact splits at every value, which takes longer.
        max_bins: Option<usize> = Some(255), from_to(2.0, 255.0);
        /// Which of equally good features is split: first, the lowest, or random, by the seed.
        ties: Ties = Ties::First;
        /// Seed of the random features and of random ties.
        seed: u64 = 0;
    }
}

impl DecisionTreeRegressor {
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
}

impl Estimator for DecisionTreeRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    /// Exact splits and absolute errors are found on the CPU.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let on_gpu = self.max_bins.is_some() && self.criterion == RegressionCriterion::SquaredError;
        let drawn = self.max_features.of(shape.columns).unwrap_or(shape.columns);
        on_gpu.then(|| growing(shape, 1, drawn, (self.max_depth, self.max_leaf_nodes.is_some())))
    }

    /// With sample weights.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<DecisionTreeRegressorModel> {
        let (x, device) = rows_to_learn(OP, x)?;
        let draw = FeatureDraw::new(self.seed, 0, x.columns(), self.max_features.of(x.columns())?)
            .with_random_ties(self.ties == Ties::Random);
        let weights = options.weights(OP, x.rows())?;
        let y = y.complete(OP, x.rows())?;
        let values = FixedValues::new(OP, y.as_slice(), y.columns(), weights)?.with_criterion(self.criterion);
        let target = values.target(None);
        let table = TreeTable::new(&x, &target, self.max_bins)?.on(device);
        let trees = Trees::new(vec![table.grow(&target, &TreeLimits::from(self), draw)?], &x, None)?;
        Ok(TreeModel { params: self.clone().into(), trees, out_of_bag: None, oob_score: None })
    }
}

/// Rows and numbers that a tree learns again and again, each time with other draws of the rows.
pub(crate) struct RedrawnRows<'a> {
    x: &'a Matrix,
    values: FixedValues<'a>,
    table: TreeTable<'a>,
}

impl<'a> RedrawnRows<'a> {
    /// The rows of `x` in the bins of a regressor's parameters, each once, with one number each; those that are not `kept` never
    /// count. For trees that grow on a device.
    pub(crate) fn new(
        tree: &DecisionTreeRegressor,
        (x, device): (&'a Matrix, Device),
        y: &'a Matrix,
        kept: &[f32],
    ) -> Result<RedrawnRows<'a>> {
        tree.check()?;
        let values = FixedValues::new(OP, y.as_slice(), y.columns(), Some(kept))?.with_criterion(tree.criterion);
        let table = TreeTable::new(x, &values.target(None), tree.max_bins)?.on(device);
        Ok(RedrawnRows { x, values, table })
    }

    /// The rows on the device, if trees grow on a GPU.
    pub(crate) fn on_gpu(&self) -> Result<Option<BatchedForest<'_>>> {
        self.table.on_gpu()
    }

    /// The tree of the rows as often as `times` says; on the device that has them, if one has. `known`: not the first there.
    pub(crate) fn fit(
        &self,
        tree: &DecisionTreeRegressor,
        (there, known): (Option<&mut BatchedForest<'_>>, bool),
        times: &[u32],
    ) -> Result<DecisionTreeRegressorModel> {
        let columns = self.x.columns();
        let draw = FeatureDraw::new(tree.seed, 0, columns, tree.max_features.of(columns)?)
            .with_random_ties(tree.ties == Ties::Random);
        let (target, limits) = (self.values.target(Some(times)), TreeLimits::from(tree));
        let grown = match there {
            Some(there) => {
                let whole = &self.values.target(None);
                let batch = TreeBatch { whole, known, draws: Some(TreeDraws::Given(times)) };
                self.table.grow_in(there, &target, batch, &limits, draw)?
            }
            None => self.table.grow(&target, &limits, draw)?,
        };
        let trees = Trees::new(vec![grown], self.x, None)?;
        Ok(TreeModel { params: tree.clone().into(), trees, out_of_bag: None, oob_score: None })
    }
}

impl TreeEstimator for DecisionTreeRegressor {
    type Output = Matrix;
    const IS_FOREST: bool = false;
}

impl SingleTree for DecisionTreeRegressor {}

/// A fitted tree of numbers.
pub type DecisionTreeRegressorModel = TreeModel<DecisionTreeRegressor>;
