//! Classes by many trees.

use super::Forest;
use super::growth::ForestSettings;
use super::out_of_bag::accuracy_of_known;
use crate::array::Matrix;
use crate::cpu::tree::target::{ClassTarget, FixedWeights};
use crate::data::Labels;
use crate::ensemble::margins::{ForestStrength, Votes};
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, Parameters, Queries, Rows, parameters};
use crate::tree::{ClassWeight, Criterion, MaxFeatures, TreeEstimator, TreeLimits, TreeModel};
use crate::tree::{check_classes, rows_to_learn};

forest_parameters! {
    /// A random forest classifier. Names and defaults are scikit-learn's.
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
    /// - Each tree learns from a bootstrap sample, and each node looks at √d features, drawn anew. The probabilities
    ///   are the mean of the trees' probabilities.
    /// - Missing values, ties and weights are as in [`DecisionTreeClassifier`](crate::tree::DecisionTreeClassifier); a
    ///   row of weight 0 is never drawn.
    /// - The same seed gives the same bits on any number of threads.
    RandomForestClassifier: classifier("random-forest-classifier") -> RandomForestClassifierModel;
    about "the mean probabilities of many trees on random rows and features";
    observed as "random forest";
    bootstrap = true;
    max_features = MaxFeatures::Sqrt;
    random_cuts = false;
}

forest_parameters! {
    /// Extremely randomised trees for classification (Geurts, Ernst and Wehenkel 2006). Names and defaults are
    /// scikit-learn's.
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
    /// - Each node draws √d features and for each of them one threshold, uniform between the smallest and the largest
    ///   value in the node; the best of these few splits is taken. Each tree learns from all rows, unless `bootstrap`
    ///   is set.
    /// - Trees are larger than those of a [`RandomForestClassifier`], faster to grow and less correlated. The
    ///   probabilities are the mean of the trees' probabilities.
    /// - The side of missing values is drawn as the threshold is. Ties and weights are as in
    ///   [`DecisionTreeClassifier`](crate::tree::DecisionTreeClassifier).
    /// - The same seed gives the same bits on any number of threads.
    ExtraTreesClassifier: classifier("extra-trees-classifier") -> ExtraTreesClassifierModel;
    about "the mean probabilities of many trees with random features and thresholds";
    observed as "extra trees";
    bootstrap = false;
    max_features = MaxFeatures::Sqrt;
    random_cuts = true;
}

/// A fitted random forest classifier.
pub type RandomForestClassifierModel = TreeModel<RandomForestClassifier>;
/// Fitted extra trees for classification.
pub type ExtraTreesClassifierModel = TreeModel<ExtraTreesClassifier>;

/// Grows the trees of a forest of classes.
pub(super) fn fit_classes<E: Forest>(
    params: &E,
    (settings, limits): (ForestSettings, TreeLimits),
    (criterion, class_weight): (Criterion, &ClassWeight),
    (x, y): (Rows<'_>, &Labels),
    options: Fit<'_>,
) -> Result<TreeModel<E>> {
    let (x, device) = rows_to_learn(E::TYPE, x)?;
    check_classes(E::TYPE, &x, y)?;
    let weights = class_weight.row_weights(y, options.weights(E::TYPE, x.rows())?)?;
    let weights = FixedWeights::for_classes(E::TYPE, x.rows(), weights.as_deref())?;
    let target_of = |times: Option<&[u32]>| {
        let weights = times.map_or_else(|| weights.clone(), |times| weights.repeated(times));
        ClassTarget::new(y.codes(), y.classes(), weights, criterion)
    };
    let (trees, out_of_bag) = settings.grow::<E, _>(limits, (&x, device), target_of, Some(y), options)?;
    let oob_score = out_of_bag.as_ref().and_then(|found| accuracy_of_known(found, y, &weights));
    Ok(TreeModel { params: params.clone().into(), trees, out_of_bag, oob_score })
}

impl<E: Forest + TreeEstimator<Output = Labels>> TreeModel<E> {
    /// The probabilities of the fitted rows by the trees that did not draw them, n×k; missing where all did.
    pub fn oob_decision_function(&self) -> Option<&Matrix> {
        self.out_of_bag.as_ref()
    }

    /// The margin of each row of `x` (Breiman 2001): the share of the trees that vote for its class `y` minus
    /// the largest share for another. Negative where the majority is wrong.
    pub fn margins<'a>(&self, x: impl Into<Queries<'a>>, y: &Labels) -> Result<Vec<f64>> {
        self.votes(self.params.align(x)?.rows())?.margins(E::TYPE, self.classes(), y)
    }

    /// How strong the trees are on these rows and how alike they vote; it bounds the error of larger ones of this kind.
    pub fn strength<'a>(&self, x: impl Into<Queries<'a>>, y: &Labels) -> Result<ForestStrength> {
        self.votes(self.params.align(x)?.rows())?.strength(E::TYPE, self.classes(), y)
    }

    fn votes(&self, x: Rows<'_>) -> Result<Votes> {
        let x = self.trees.queries(E::TYPE, x)?;
        Ok(Votes::new(self.trees.votes(&x)?, self.trees.trees().len(), self.trees.outputs()))
    }
}
