//! The decision tree classifier.

use super::cost::growing;
use super::grow::{BatchedForest, TreeBatch, TreeTable};
use super::model::{PruningPath, SingleTree, TreeEstimator, TreeModel, Trees, check_classes, rows_to_learn};
use super::parameters::{MaxFeatures, Ties, TreeLimits, with_tree_limits};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::cpu::tree::target::{ClassTarget, Criterion, FixedWeights};
use crate::data::{ClassWeight, Labels};
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, FitShape, Parameters, Rows, parameters};
use crate::theory;

const OP: &str = "DecisionTreeClassifier";

with_tree_limits! {
    /// A decision tree classifier. Names and defaults are scikit-learn's.
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
    /// - A missing value (NaN) goes to the side where the split gains more; where a node had none to learn from, one
    ///   that comes later goes with the larger child.
    /// - Columns that [`Matrix::with_categories`] marked are split by sets of categories; a category that was not
    ///   fitted counts as missing.
    /// - Of equally good splits the lowest feature wins, or a random one by `ties`, then the lowest threshold. A node that is not pure is split
    ///   even where no split gains anything, as in scikit-learn, if it allows one.
    /// - Rows of weight 0 are as good as absent. Weights that are not all integers below 2³² are rounded to 32
    ///   bits; from 2¹⁵ rows on to 31, and two less for each doubling (23 for a million rows).
    /// - The same seed gives the same bits on any number of threads.
    pub struct DecisionTreeClassifier: classifier("decision-tree-classifier") -> DecisionTreeClassifierModel;
    about "one decision tree that predicts a class";
    {
        /// The impurity that splits reduce: gini, entropy or misclassification.
        criterion: Criterion = Criterion::Gini;
        /// How many features each split considers: sqrt, log2, a number, a share such as 0.5; none: all.
        max_features: MaxFeatures = MaxFeatures::All;
        /// Maximum number of bins of a feature; none: exact splits at every value, which takes longer.
        max_bins: Option<usize> = Some(255), from_to(2.0, 255.0);
        /// Weights of the classes: balanced, or a JSON object such as {"spam": 2}; none: all 1.
        class_weight: ClassWeight = ClassWeight::Uniform;
        /// Which of equally good features is split: first, the lowest, or random, by the seed.
        ties: Ties = Ties::First;
        /// Seed of the random features and of random ties.
        seed: u64 = 0;
    }
}

impl DecisionTreeClassifier {
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

    /// The rows of `x` as this tree takes them, for several fits by [`fit_table`](Self::fit_table).
    pub(crate) fn table<'a>(&self, x: &'a Matrix, y: &Labels, weights: &[f64]) -> Result<TreeTable<'a>> {
        self.check()?;
        check_classes(OP, x, y)?;
        let weights = FixedWeights::for_classes(OP, x.rows(), Some(weights))?;
        TreeTable::new(x, &ClassTarget::new(y.codes(), y.classes(), weights, self.criterion), self.max_bins)
    }

    /// The tree of these weights, times those of the classes; on the device that has the table's rows, if one has.
    pub(crate) fn fit_table(
        &self,
        (table, there): (&TreeTable<'_>, Option<&mut BatchedForest<'_>>),
        x: &Matrix,
        y: &Labels,
        weights: &[f64],
    ) -> Result<DecisionTreeClassifierModel> {
        let by_class = self.class_weight.row_weights(y, None)?;
        let product: Option<Vec<f64>> =
            by_class.map(|by_class| by_class.iter().zip(weights).map(|(class, weight)| class * weight).collect());
        let weights = FixedWeights::for_classes(OP, x.rows(), Some(product.as_deref().unwrap_or(weights)))?;
        self.grow((table, there), x, y, &ClassTarget::new(y.codes(), y.classes(), weights, self.criterion))
    }

    fn grow(
        &self,
        (table, there): (&TreeTable<'_>, Option<&mut BatchedForest<'_>>),
        x: &Matrix,
        y: &Labels,
        target: &ClassTarget<'_>,
    ) -> Result<DecisionTreeClassifierModel> {
        let draw = FeatureDraw::new(self.seed, 0, x.columns(), self.max_features.of(x.columns())?)
            .with_random_ties(self.ties == Ties::Random);
        let limits = TreeLimits::from(self);
        let tree = match there {
            Some(there) => {
                let batch = TreeBatch { whole: target, known: false, draws: None };
                table.grow_in(there, target, batch, &limits, draw)?
            }
            None => table.grow(target, &limits, draw)?,
        };
        let trees = Trees::new(vec![tree], x, Some(y))?;
        Ok(TreeModel { params: self.clone().into(), trees, out_of_bag: None, oob_score: None })
    }
}

impl Estimator for DecisionTreeClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    /// Exact splits are found on the CPU.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let on_gpu = self.max_bins.is_some();
        let drawn = self.max_features.of(shape.columns).unwrap_or(shape.columns);
        on_gpu.then(|| growing(shape, 1, drawn, (self.max_depth, self.max_leaf_nodes.is_some())))
    }

    /// With sample weights.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<DecisionTreeClassifierModel> {
        let (x, device) = rows_to_learn(OP, x)?;
        check_classes(OP, &x, y)?;
        let weights = self.class_weight.row_weights(y, options.weights(OP, x.rows())?)?;
        let weights = FixedWeights::for_classes(OP, x.rows(), weights.as_deref())?;
        let target = ClassTarget::new(y.codes(), y.classes(), weights, self.criterion);
        self.grow((&TreeTable::new(&x, &target, self.max_bins)?.on(device), None), &x, y, &target)
    }
}

impl TreeEstimator for DecisionTreeClassifier {
    type Output = Labels;
    const IS_FOREST: bool = false;
}

impl SingleTree for DecisionTreeClassifier {}

/// A fitted decision tree classifier.
pub type DecisionTreeClassifierModel = TreeModel<DecisionTreeClassifier>;

impl TreeModel<DecisionTreeClassifier> {
    /// A bound on the error of the tree by the length of its description: with probability 1 − `delta` over the m rows
    /// it was fitted to, R ≤ Rₑ + √(((n + 1)·log₂(d + 3) + log₂(2/δ)) / 2m).
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
        let (nodes, tree) = (self.tree().nodes(), self.tree());
        let leaves = nodes.iter().zip(0..).filter(|(node, _)| node.feature.is_none());
        let wrong =
            leaves.map(|(node, number)| node.weight * (1.0 - tree.value(number).iter().copied().fold(0.0, f64::max)));
        let error = wrong.sum::<f64>() / nodes[0].weight;
        Ok(error + theory::tree::gap(nodes.len() as u64, questions as u64, nodes[0].count, delta)?)
    }
}
