//! Numbers by one tree.

use serde::{Deserialize, Serialize};

use super::grow::TreeTable;
use super::model::{PruningPath, Tree, Trees, rows_to_learn, to_matrix};
use super::parameters::{MaxFeatures, TreeLimits, with_tree_limits};
use crate::array::Matrix;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::cpu::tree::target::{FixedValues, RegressionCriterion};
use crate::error::Result;
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, InputColumns, Model, Observer, PictureInput, Predict, Prediction, Rows, Save,
    Targets, parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;

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
    /// - Of equally good splits the lowest feature wins, then the lowest threshold. A node whose targets differ is
    ///   split even where no split gains anything, as in scikit-learn, if it allows one.
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
        /// Seed of the random features.
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

    /// With sample weights.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<DecisionTreeRegressorModel> {
        let (x, device) = rows_to_learn(OP, x)?;
        let draw = FeatureDraw::new(self.seed, 0, x.columns(), self.max_features.of(x.columns())?);
        let weights = options.weights(OP, x.rows())?;
        let y = y.complete(OP, x.rows())?;
        let values = FixedValues::new(OP, y.as_slice(), y.columns(), weights)?.with_criterion(self.criterion);
        let target = values.target(None);
        let tree =
            TreeTable::new(&x, &target, self.max_bins)?.on(device).grow(&target, &TreeLimits::from(self), draw)?;
        Ok(DecisionTreeRegressorModel { params: self.clone(), trees: Trees::new(vec![tree], &x) })
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

    /// How much each column reduced the criterion: shares with the sum 1, or zeros in a tree that gains nothing.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// The leaf of each row of `x`, by its number in [`Tree::nodes`].
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        let x = self.trees.queries(OP, x.into())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves the prediction of each row away from the expected one: a matrix n×(d + 1) for each
    /// target, with the expected prediction in the last column; a row of it adds up to the prediction.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.trees.shapley_values(OP, x.into())
    }

    /// The tree as lines of text, with the names of the columns.
    pub fn to_text(&self) -> String {
        self.tree().to_text(self.trees.names())
    }
}

impl Predict for DecisionTreeRegressorModel {
    type Output = Matrix;
}

impl Model for DecisionTreeRegressorModel {
    /// The values of the leaves, n×p.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let x = self.trees.queries(OP, x)?;
        Ok(to_matrix(&self.trees.mean_values(&x)?, x.rows(), self.tree().outputs())?.into())
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_row("importances", self.feature_importances())
    }

    fn text(&self, columns: &InputColumns) -> Option<String> {
        let names = self.column_names().unwrap_or(&columns.names);
        Some(super::model::draw(self.tree(), Some(names), &columns.categories))
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        super::pictures::regressor_figures(self, input)
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    columns: usize,
    outputs: usize,
}

impl Save for DecisionTreeRegressorModel {
    type Estimator = DecisionTreeRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&Fitted { columns: self.trees.columns(), outputs: self.tree().outputs() })?;
        self.trees.store(container)
    }

    fn load_fitted(params: DecisionTreeRegressor, container: &mut Container) -> Result<DecisionTreeRegressorModel> {
        let Fitted { columns, outputs } = container.fitted()?;
        let trees = Trees::restore(container, columns, outputs)?;
        if trees.trees().len() != 1 || outputs == 0 {
            return Err(container.refuse(format!("{} trees of {outputs} outputs", trees.trees().len())));
        }
        Ok(DecisionTreeRegressorModel { params, trees })
    }
}
