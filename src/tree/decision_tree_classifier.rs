//! Classes by one tree.

use serde::{Deserialize, Serialize};

use super::grow::TreeTable;
use super::model::{CategoryNames, PruningPath, Tree, Trees, check_classes, likeliest, rows_to_learn, to_matrix};
use super::parameters::{ClassWeight, MaxFeatures, TreeLimits, check_bins};
use crate::array::Matrix;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::cpu::tree::target::{ClassTarget, Criterion, FixedWeights};
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Predict, PredictProba, Rows};
use crate::model_file::{Container, Persist};

const OP: &str = "DecisionTreeClassifier";

/// A decision tree for classes. Names and defaults are scikit-learn's.
///
/// ```
/// use gristmill::prelude::*;
/// let iris = datasets::iris()?;
/// let model = DecisionTreeClassifier::default().max_depth(2).fit(&iris.x, iris.labels()?)?;
/// assert_eq!(model.tree().leaves(), 3);
/// assert_eq!(model.score(&iris.x, iris.labels()?)?, 0.96);
/// println!("{}", model.to_text());
/// # Ok::<(), gristmill::Error>(())
/// ```
///
/// # What to expect
/// - A missing value (NaN) goes to the side where the split gains more; where a node had none to learn from, one that
///   comes later goes with the larger child.
/// - Columns that [`Matrix::with_categories`] marked are divided by sets of levels; a level that was not fitted is
///   missing.
/// - Of equally good splits the lowest feature wins, then the lowest threshold. A node that is not pure is split even
///   where no split gains anything, as in scikit-learn, if it allows one.
/// - Rows of weight 0 are as good as absent. Weights that are not all whole numbers below 2³² are rounded to 32 bits;
///   from 2¹⁵ rows on to 31, and two less for each doubling (23 for a million rows).
/// - The same seed gives the same bits on any number of threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DecisionTreeClassifier {
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
    /// Prunes the grown tree: a division stays whose subtree lessens the impurity by more than this for each leaf it
    /// adds, impurities being weighted by the nodes' shares of all weights. At 0, the default, nothing is pruned, not
    /// even what gains nothing.
    pub ccp_alpha: f64,
    /// How many features each split looks at. Default [`MaxFeatures::All`].
    pub max_features: MaxFeatures,
    /// Bins of a feature at most, from 2 to 255; `None` splits exactly at every value, which takes longer.
    /// Default 255.
    pub max_bins: Option<usize>,
    /// How much the rows of each class count. Default [`ClassWeight::Uniform`].
    pub class_weight: ClassWeight,
    /// Decides which features are drawn. Default 0.
    pub seed: u64,
}

impl Default for DecisionTreeClassifier {
    fn default() -> DecisionTreeClassifier {
        DecisionTreeClassifier {
            criterion: Criterion::Gini,
            max_depth: None,
            max_leaf_nodes: None,
            min_samples_split: 2,
            min_samples_leaf: 1,
            min_impurity_decrease: 0.0,
            ccp_alpha: 0.0,
            max_features: MaxFeatures::All,
            max_bins: Some(255),
            class_weight: ClassWeight::Uniform,
            seed: 0,
        }
    }
}

impl DecisionTreeClassifier {
    /// Sets the criterion.
    pub fn criterion(mut self, criterion: Criterion) -> DecisionTreeClassifier {
        self.criterion = criterion;
        self
    }

    /// Sets the largest depth.
    pub fn max_depth(mut self, max_depth: usize) -> DecisionTreeClassifier {
        self.max_depth = Some(max_depth);
        self
    }

    /// Sets the largest number of leaves.
    pub fn max_leaf_nodes(mut self, max_leaf_nodes: usize) -> DecisionTreeClassifier {
        self.max_leaf_nodes = Some(max_leaf_nodes);
        self
    }

    /// Sets the least rows of a node that is divided.
    pub fn min_samples_split(mut self, min_samples_split: usize) -> DecisionTreeClassifier {
        self.min_samples_split = min_samples_split;
        self
    }

    /// Sets the least rows of a leaf.
    pub fn min_samples_leaf(mut self, min_samples_leaf: usize) -> DecisionTreeClassifier {
        self.min_samples_leaf = min_samples_leaf;
        self
    }

    /// Sets the least decrease of the impurity.
    pub fn min_impurity_decrease(mut self, min_impurity_decrease: f64) -> DecisionTreeClassifier {
        self.min_impurity_decrease = min_impurity_decrease;
        self
    }

    /// Sets how much is pruned.
    pub fn ccp_alpha(mut self, ccp_alpha: f64) -> DecisionTreeClassifier {
        self.ccp_alpha = ccp_alpha;
        self
    }

    /// Sets how many features each split looks at.
    pub fn max_features(mut self, max_features: MaxFeatures) -> DecisionTreeClassifier {
        self.max_features = max_features;
        self
    }

    /// Sets the number of bins; `None` for exact splits.
    pub fn max_bins(mut self, max_bins: impl Into<Option<usize>>) -> DecisionTreeClassifier {
        self.max_bins = max_bins.into();
        self
    }

    /// Sets how much the classes count.
    pub fn class_weight(mut self, class_weight: ClassWeight) -> DecisionTreeClassifier {
        self.class_weight = class_weight;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> DecisionTreeClassifier {
        self.seed = seed;
        self
    }

    /// Grows the tree of the rows of `x` (n×d, NaN is missing) with their classes. Costs about n·d steps a level.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<DecisionTreeClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// How the tree that these parameters grow shrinks as `ccp_alpha` rises: the values at which it changes.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let tree = DecisionTreeClassifier::default();
    /// let path = tree.cost_complexity_pruning_path(&iris.x, iris.labels()?)?;
    /// let largest = *path.alphas.last().unwrap();
    /// let root = tree.ccp_alpha(largest).fit(&iris.x, iris.labels()?)?;
    /// assert_eq!(root.tree().leaves(), 1);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn cost_complexity_pruning_path<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<PruningPath> {
        self.cost_complexity_pruning_path_with(x, y, Fit::default())
    }

    /// The same with sample weights.
    pub fn cost_complexity_pruning_path_with<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<PruningPath> {
        Ok(self.clone().ccp_alpha(0.0).fit_with(x, y, options)?.tree().pruning_path())
    }

    /// The same with sample weights.
    pub fn fit_with<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<DecisionTreeClassifierModel> {
        let (x, device) = rows_to_learn(OP, x.into())?;
        self.limits().check()?;
        check_bins(self.max_bins)?;
        check_classes(OP, &x, y)?;
        let weights = self.class_weight.row_weights(y, options.weights(OP, x.rows())?)?;
        let weights = FixedWeights::for_classes(OP, x.rows(), weights.as_deref())?;
        let target = ClassTarget::new(y.codes(), y.classes(), weights, self.criterion);
        self.grow(&TreeTable::new(&x, &target, self.max_bins)?.on(device), &x, y, &target)
    }

    /// The rows of `x` as this tree takes them, for several fits by [`fit_table`](Self::fit_table).
    pub(crate) fn table<'a>(&self, x: &'a Matrix, y: &Labels, weights: &[f64]) -> Result<TreeTable<'a>> {
        self.limits().check()?;
        check_bins(self.max_bins)?;
        check_classes(OP, x, y)?;
        let weights = FixedWeights::for_classes(OP, x.rows(), Some(weights))?;
        TreeTable::new(x, &ClassTarget::new(y.codes(), y.classes(), weights, self.criterion), self.max_bins)
    }

    /// The tree of these weights, times those of the classes.
    pub(crate) fn fit_table(
        &self,
        table: &TreeTable<'_>,
        x: &Matrix,
        y: &Labels,
        weights: &[f64],
    ) -> Result<DecisionTreeClassifierModel> {
        let by_class = self.class_weight.row_weights(y, None)?;
        let product: Option<Vec<f64>> =
            by_class.map(|by_class| by_class.iter().zip(weights).map(|(class, weight)| class * weight).collect());
        let weights = FixedWeights::for_classes(OP, x.rows(), Some(product.as_deref().unwrap_or(weights)))?;
        self.grow(table, x, y, &ClassTarget::new(y.codes(), y.classes(), weights, self.criterion))
    }

    fn grow(
        &self,
        table: &TreeTable<'_>,
        x: &Matrix,
        y: &Labels,
        target: &ClassTarget<'_>,
    ) -> Result<DecisionTreeClassifierModel> {
        let draw = FeatureDraw::new(self.seed, 0, x.columns(), self.max_features.of(x.columns())?);
        let tree = table.grow(target, &self.limits(), draw)?;
        Ok(DecisionTreeClassifierModel {
            params: self.clone(),
            classes: y.with_codes(vec![])?,
            trees: Trees::new(vec![tree], x),
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

/// A fitted tree of classes.
#[derive(Debug, Clone)]
pub struct DecisionTreeClassifierModel {
    params: DecisionTreeClassifier,
    /// The classes; no rows.
    classes: Labels,
    trees: Trees,
}

impl DecisionTreeClassifierModel {
    /// The tree; the values of a node are the chances of the classes.
    pub fn tree(&self) -> &Tree {
        &self.trees.trees()[0]
    }

    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.classes.names()
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.trees.names()
    }

    /// How much each column lessened the impurity: shares with the sum 1, or zeros in a tree that gains nothing.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// A bound on the error of the tree by the length of its description: with a chance of 1 − `delta` over the m rows it
    /// was fitted to, R ≤ Rₑ + √(((n + 1)·log₂(d + 3) + log₂(2/δ)) / 2m).
    ///
    /// Rₑ is its error on those rows (by their weights), n its number of nodes, and d the number of questions a node
    /// could ask: the columns where they are 0 or 1, else all their thresholds. It holds for trees of every size at
    /// once, and is above 1, where it says nothing, unless rows are many and nodes few.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_vec(2000, 1, (0..2000).map(|row| (row % 2) as f32).collect())?;
    /// let y = Labels::from((0..2000_u32).map(|row| row % 2).collect::<Vec<_>>().as_slice());
    /// let model = DecisionTreeClassifier::default().fit(&x, &y)?;
    /// // Three nodes, one question: √((4·2 + log₂ 40) / 4000).
    /// assert!((model.generalization_bound(1, 0.05)? - 0.0577).abs() < 1e-4);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn generalization_bound(&self, questions: usize, delta: f64) -> Result<f64> {
        if !(delta > 0.0 && delta < 1.0) {
            let rule = "a chance between 0 and 1".to_string();
            return Err(Error::Param { name: "delta", rule, got: delta.to_string() });
        }
        let (nodes, tree) = (self.tree().nodes(), self.tree());
        let leaves = nodes.iter().zip(0..).filter(|(node, _)| node.feature.is_none());
        let wrong =
            leaves.map(|(node, number)| node.weight * (1.0 - tree.value(number).iter().copied().fold(0.0, f64::max)));
        let error = wrong.sum::<f64>() / nodes[0].weight;
        let bits = (nodes.len() as f64 + 1.0) * (questions as f64 + 3.0).log2() + (2.0 / delta).log2();
        Ok(error + (bits / (2.0 * nodes[0].count as f64)).sqrt())
    }

    /// The leaf of each row of `x`, by its number in [`Tree::nodes`].
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        let x = self.trees.queries(OP, x.into())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves the chance of each row away from the expected one: a matrix n×(d + 1) for each
    /// class, with the expected chance in the last column; a row of it adds up to the chance.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.trees.shapley_values(OP, x.into())
    }

    /// The tree as lines of text, with the names of columns and classes.
    pub fn to_text(&self) -> String {
        self.text_with(&[])
    }

    /// The same with these names of levels.
    pub(super) fn text_with(&self, categories: CategoryNames<'_>) -> String {
        super::model::of_classes(self.tree(), self.trees.names(), categories, self.classes.names())
    }
}

impl Predict for DecisionTreeClassifierModel {
    type Output = Labels;

    /// The commonest class in the leaf of each row; the lowest of equally common ones.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        let x = self.trees.queries(OP, x.into())?;
        self.classes.with_codes(likeliest(&self.trees.mean_values(&x)?, self.classes.classes()))
    }
}

impl PredictProba for DecisionTreeClassifierModel {
    /// The share of each class in the leaf of each row, by weight, n×k.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = self.trees.queries(OP, x.into())?;
        to_matrix(&self.trees.mean_values(&x)?, x.rows(), self.classes.classes())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Stored {
    estimator: DecisionTreeClassifier,
    columns: usize,
}

impl Persist for DecisionTreeClassifierModel {
    const KIND: &'static str = "decision-tree-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Stored { estimator: self.params.clone(), columns: self.trees.columns() })?;
        container.insert_strings("class_names", self.classes.names())?;
        self.trees.store(container)
    }

    fn restore(container: &mut Container) -> Result<DecisionTreeClassifierModel> {
        let Stored { estimator, columns } = container.parameters()?;
        let names = container.take_strings("class_names")?;
        let trees = Trees::restore(container, columns, names.len())?;
        if trees.trees().len() != 1 {
            return Err(container.refuse(format!("{} trees where one belongs", trees.trees().len())));
        }
        let classes = Labels::from_codes(vec![], names)?;
        Ok(DecisionTreeClassifierModel { params: estimator, classes, trees })
    }
}
