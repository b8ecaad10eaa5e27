//! Classes by many trees.

use serde::{Deserialize, Serialize};

use super::Forest;
use super::growth::ForestSettings;
use super::out_of_bag::{accuracy_of_known, out_of_bag};
use crate::array::Matrix;
use crate::cpu::tree::target::{ClassTarget, FixedWeights};
use crate::data::Labels;
use crate::ensemble::margins::{ForestStrength, Votes};
use crate::error::Result;
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, Model, Observer, PictureInput, Predict, PredictProba, Prediction, Rows, Save,
    parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::tree::grow::TreeTable;
use crate::tree::pictures;
use crate::tree::{ClassWeight, Criterion, MaxFeatures, Tree, TreeLimits, Trees};
use crate::tree::{check_classes, likeliest, rows_to_learn, to_matrix};

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
    bootstrap = true;
    max_features = MaxFeatures::Sqrt;
    {
        /// The impurity that splits reduce: gini, entropy or misclassification.
        criterion: Criterion = Criterion::Gini;
        /// Weights of the classes: balanced, or a JSON object such as {"spam": 2}; none: all 1.
        class_weight: ClassWeight = ClassWeight::Uniform;
    }
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
    /// - A missing value goes to the side where the split gains more. Ties and weights are as in
    ///   [`DecisionTreeClassifier`](crate::tree::DecisionTreeClassifier).
    /// - The same seed gives the same bits on any number of threads.
    ExtraTreesClassifier: classifier("extra-trees-classifier") -> ExtraTreesClassifierModel;
    about "the mean probabilities of many trees with random features and thresholds";
    bootstrap = false;
    max_features = MaxFeatures::Sqrt;
    {
        /// The impurity that splits reduce: gini, entropy or misclassification.
        criterion: Criterion = Criterion::Gini;
        /// Weights of the classes: balanced, or a JSON object such as {"spam": 2}; none: all 1.
        class_weight: ClassWeight = ClassWeight::Uniform;
    }
}

/// A fitted random forest classifier.
pub type RandomForestClassifierModel = ForestClassifierModel<RandomForestClassifier>;
/// Fitted extra trees for classification.
pub type ExtraTreesClassifierModel = ForestClassifierModel<ExtraTreesClassifier>;

impl Forest for RandomForestClassifier {
    const OP: &'static str = "RandomForestClassifier";
    const LABEL: &'static str = "random forest";
    const RANDOM_CUTS: bool = false;
}

impl Forest for ExtraTreesClassifier {
    const OP: &'static str = "ExtraTreesClassifier";
    const LABEL: &'static str = "extra trees";
    const RANDOM_CUTS: bool = true;
}

impl Estimator for RandomForestClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    /// About n·√d steps for each level of each tree. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the
    /// forest with the trees it has.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<RandomForestClassifierModel> {
        fit_classes(self, (self.into(), self.into()), (self.criterion, &self.class_weight), (x, y), options)
    }
}

impl Estimator for ExtraTreesClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<ExtraTreesClassifierModel> {
        fit_classes(self, (self.into(), self.into()), (self.criterion, &self.class_weight), (x, y), options)
    }
}

/// Grows the trees of a forest of classes.
fn fit_classes<E: Forest>(
    params: &E,
    (settings, limits): (ForestSettings, TreeLimits),
    (criterion, class_weight): (Criterion, &ClassWeight),
    (x, y): (Rows<'_>, &Labels),
    options: Fit<'_>,
) -> Result<ForestClassifierModel<E>> {
    let (x, device) = rows_to_learn(E::OP, x)?;
    check_classes(E::OP, &x, y)?;
    let weights = class_weight.row_weights(y, options.weights(E::OP, x.rows())?)?;
    let weights = FixedWeights::for_classes(E::OP, x.rows(), weights.as_deref())?;
    let target_of = |times: Option<&[u32]>| {
        let weights = times.map_or_else(|| weights.clone(), |times| weights.repeated(times));
        ClassTarget::new(y.codes(), y.classes(), weights, criterion)
    };
    let whole = target_of(None);
    let table = TreeTable::new(&x, &whole, settings.max_bins)?.on(device);
    let plan = settings.plan(&table, limits, &whole, &x, E::RANDOM_CUTS)?;
    let (trees, bags) = options.watched(E::LABEL, |reporter| plan.grow(target_of, reporter))?;
    let trees = Trees::new(trees, &x);
    let out_of_bag = match settings.oob_score {
        true => Some(to_matrix(&out_of_bag(&x, trees.trees(), &bags), x.rows(), y.classes())?),
        false => None,
    };
    let oob_score = out_of_bag.as_ref().and_then(|found| accuracy_of_known(found, y, &weights));
    Ok(ForestClassifierModel { params: params.clone(), classes: y.with_codes(vec![])?, trees, out_of_bag, oob_score })
}

/// A fitted forest of classes.
#[derive(Debug, Clone)]
pub struct ForestClassifierModel<E> {
    params: E,
    /// The classes; no rows.
    classes: Labels,
    trees: Trees,
    out_of_bag: Option<Matrix>,
    oob_score: Option<f64>,
}

impl<E: Forest> ForestClassifierModel<E> {
    /// The trees; the values of a node are the probabilities of the classes.
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

    /// How much each column reduced the impurity, the mean over the trees: shares with the sum 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// The share of right classes among the rows that some tree did not draw, each by those trees alone; none if it was
    /// not asked for, or every tree drew every row.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// The probabilities of the fitted rows by the trees that did not draw them, n×k; missing where all did.
    pub fn oob_decision_function(&self) -> Option<&Matrix> {
        self.out_of_bag.as_ref()
    }

    /// The leaf of each row of `x` in each tree, by its number in [`Tree::nodes`], n×trees.
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        let x = self.trees.queries(E::OP, x.into())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves the probability of each row away from the expected one: a matrix n×(d + 1) for each
    /// class, with the expected probability in the last column; a row of it adds up to the probability.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.trees.shapley_values(E::OP, x.into())
    }

    /// The margin of each row of `x` (Breiman 2001): the share of the trees that vote for its class `y` minus
    /// the largest share for another. Negative where the majority is wrong.
    pub fn margins<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<Vec<f64>> {
        self.votes(x.into())?.margins(E::OP, self.classes(), y)
    }

    /// How strong the trees are on these rows and how alike they vote; it bounds the error of larger ones of this kind.
    pub fn strength<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<ForestStrength> {
        self.votes(x.into())?.strength(E::OP, self.classes(), y)
    }

    fn votes(&self, x: Rows<'_>) -> Result<Votes> {
        let x = self.trees.queries(E::OP, x)?;
        Ok(Votes::new(self.trees.votes(&x)?, self.trees.trees().len(), self.classes.classes()))
    }
}

impl<E: Forest> Predict for ForestClassifierModel<E>
where
    ForestClassifierModel<E>: Model,
{
    type Output = Labels;
}

impl<E: Forest> PredictProba for ForestClassifierModel<E> where ForestClassifierModel<E>: Model {}

impl<E: Forest<Model = ForestClassifierModel<E>>> Model for ForestClassifierModel<E> {
    /// The class of the largest mean probability; the lowest of equals.
    fn predict_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.predict_both_rows(x, observer)?.0)
    }

    /// The mean of the trees' probabilities, n×k.
    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let x = self.trees.queries(E::OP, x)?;
        to_matrix(&self.trees.mean_values(&x)?, x.rows(), self.classes.classes()).map(Some)
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let x = self.trees.queries(E::OP, x)?;
        let (means, classes) = (self.trees.mean_values(&x)?, self.classes.classes());
        let predicted = self.classes.with_codes(likeliest(&means, classes))?;
        Ok((predicted.into(), Some(to_matrix(&means, x.rows(), classes)?)))
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().with_number("oob_score", self.oob_score());
        report.with_row("importances", self.feature_importances())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let figure = pictures::probability_figure(input, self.classes.names(), |x| self.shapley_values(x))?;
        Ok(figure.into_iter().collect())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    columns: usize,
    oob_score: Option<f64>,
}

impl<E: Forest<Model = ForestClassifierModel<E>>> Save for ForestClassifierModel<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&Fitted { columns: self.trees.columns(), oob_score: self.oob_score })?;
        container.insert_strings("class_names", self.classes.names())?;
        super::out_of_bag::store(container, self.out_of_bag.as_ref())?;
        self.trees.store(container)
    }

    fn load_fitted(params: E, container: &mut Container) -> Result<ForestClassifierModel<E>> {
        let Fitted { columns, oob_score } = container.fitted()?;
        let names = container.take_strings("class_names")?;
        let trees = Trees::restore(container, columns, names.len())?;
        let out_of_bag = super::out_of_bag::restore(container, names.len())?;
        let classes = Labels::from_codes(vec![], names)?;
        Ok(ForestClassifierModel { params, classes, trees, out_of_bag, oob_score })
    }
}
