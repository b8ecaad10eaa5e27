//! Numbers by many trees.

use serde::{Deserialize, Serialize};

use super::Forest;
use super::growth::ForestSettings;
use super::out_of_bag::out_of_bag;
use crate::array::Matrix;
use crate::cpu::tree::target::{FixedValues, TreeTarget};
use crate::ensemble::ensemble_variance::EnsembleVariance;
use crate::error::Result;
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, Model, Observer, PictureInput, Predict, Prediction, Rows, Save, Targets,
    parameters,
};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::tree::grow::TreeTable;
use crate::tree::pictures;
use crate::tree::{MaxFeatures, RegressionCriterion, Tree, TreeLimits, Trees};
use crate::tree::{rows_to_learn, to_matrix};

forest_parameters! {
    /// A random forest regressor. Names and defaults are scikit-learn's.
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
    /// - Missing values, ties and weights are as in [`DecisionTreeRegressor`](crate::tree::DecisionTreeRegressor); a
    ///   row of weight 0 is never drawn.
    /// - The same seed gives the same bits on any number of threads.
    RandomForestRegressor: regressor("random-forest-regressor") -> RandomForestRegressorModel;
    about "the mean of many trees on random rows and features";
    bootstrap = true;
    max_features = MaxFeatures::All;
    {
        /// The error that splits reduce: squared_error, or absolute_error, which takes longer.
        criterion: RegressionCriterion = RegressionCriterion::SquaredError;
    }
}

forest_parameters! {
    /// Extremely randomised trees for regression (Geurts, Ernst and Wehenkel 2006). Names and defaults are
    /// scikit-learn's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::diabetes()?.split(0.8, 42)?;
    /// let trees = ExtraTreesRegressor::default().n_estimators(50).min_samples_leaf(5);
    /// let model = trees.fit(&train.x, train.values()?)?;
    /// assert!(model.score(&test.x, test.values()?)? > 0.3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Each node draws one threshold for every feature, uniform between the smallest and the largest value in the
    ///   node, and takes the best of these splits; `max_features` reduces how many. Each tree learns from all rows,
    ///   unless `bootstrap` is set. The prediction is the mean of the trees'.
    /// - A missing value goes to the side where the split gains more. Ties and weights are as in
    ///   [`DecisionTreeRegressor`](crate::tree::DecisionTreeRegressor).
    /// - The same seed gives the same bits on any number of threads.
    ExtraTreesRegressor: regressor("extra-trees-regressor") -> ExtraTreesRegressorModel;
    about "the mean of many trees with random features and thresholds";
    bootstrap = false;
    max_features = MaxFeatures::All;
    {
        /// The error that splits reduce: squared_error, or absolute_error, which takes longer.
        criterion: RegressionCriterion = RegressionCriterion::SquaredError;
    }
}

/// A fitted random forest regressor.
pub type RandomForestRegressorModel = ForestRegressorModel<RandomForestRegressor>;
/// Fitted extra trees for regression.
pub type ExtraTreesRegressorModel = ForestRegressorModel<ExtraTreesRegressor>;

impl Forest for RandomForestRegressor {
    const OP: &'static str = "RandomForestRegressor";
    const LABEL: &'static str = "random forest";
    const RANDOM_CUTS: bool = false;
}

impl Forest for ExtraTreesRegressor {
    const OP: &'static str = "ExtraTreesRegressor";
    const LABEL: &'static str = "extra trees";
    const RANDOM_CUTS: bool = true;
}

impl Estimator for RandomForestRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    /// About n·d steps for each level of each tree. [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the
    /// forest with the trees it has.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<RandomForestRegressorModel> {
        fit_numbers(self, (self.into(), self.into()), self.criterion, (x, y), options)
    }
}

impl Estimator for ExtraTreesRegressor {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<ExtraTreesRegressorModel> {
        fit_numbers(self, (self.into(), self.into()), self.criterion, (x, y), options)
    }
}

/// Grows the trees of a forest of numbers.
fn fit_numbers<E: Forest>(
    params: &E,
    (settings, limits): (ForestSettings, TreeLimits),
    criterion: RegressionCriterion,
    (x, y): (Rows<'_>, Targets<'_>),
    options: Fit<'_>,
) -> Result<ForestRegressorModel<E>> {
    let (x, device) = rows_to_learn(E::OP, x)?;
    let y = y.complete(E::OP, x.rows())?;
    let weights = options.weights(E::OP, x.rows())?;
    let values = FixedValues::new(E::OP, y.as_slice(), y.columns(), weights)?.with_criterion(criterion);
    let whole = values.target(None);
    let table = TreeTable::new(&x, &whole, settings.max_bins)?.on(device);
    let plan = settings.plan(&table, limits, &whole, &x, E::RANDOM_CUTS)?;
    let (trees, bags) = options.watched(E::LABEL, |reporter| plan.grow(|times| values.target(times), reporter))?;
    let trees = Trees::new(trees, &x);
    let out_of_bag = match settings.oob_score {
        true => Some(to_matrix(&out_of_bag(&x, trees.trees(), &bags), x.rows(), y.columns())?),
        false => None,
    };
    let oob_score = match &out_of_bag {
        Some(predicted) => score_of_known(predicted, &y, &whole)?,
        None => None,
    };
    Ok(ForestRegressorModel { params: params.clone(), trees, out_of_bag, oob_score })
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
pub struct ForestRegressorModel<E> {
    params: E,
    trees: Trees,
    out_of_bag: Option<Matrix>,
    oob_score: Option<f64>,
}

impl<E: Forest> ForestRegressorModel<E> {
    /// The trees; the values of a node are the means of the targets, or their medians by
    /// [`AbsoluteError`](crate::tree::RegressionCriterion::AbsoluteError).
    pub fn trees(&self) -> &[Tree] {
        self.trees.trees()
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.trees.names()
    }

    /// How much each column reduced the criterion, the mean over the trees: shares with the sum 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// R² of the rows that some tree did not draw, each by those trees alone; none if it was not asked for, or there
    /// are fewer than two such rows.
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }

    /// The predictions of the fitted rows by the trees that did not draw them, n×p; missing where all did.
    pub fn oob_prediction(&self) -> Option<&Matrix> {
        self.out_of_bag.as_ref()
    }

    /// How much averaging the trees reduces the variance of what they predict for the rows of `x`.
    pub fn ensemble_variance<'a>(&self, x: impl Into<Rows<'a>>) -> Result<EnsembleVariance> {
        let x = self.trees.queries(E::OP, x.into())?;
        EnsembleVariance::of(E::OP, self.trees.predictions(&x)?)
    }

    /// The leaf of each row of `x` in each tree, by its number in [`Tree::nodes`], n×trees.
    pub fn apply<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<u32>> {
        let x = self.trees.queries(E::OP, x.into())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves the prediction of each row away from the expected one: a matrix n×(d + 1) for each
    /// target, with the expected prediction in the last column; a row of it adds up to the prediction.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.trees.shapley_values(E::OP, x.into())
    }
}

impl<E: Forest> Predict for ForestRegressorModel<E>
where
    ForestRegressorModel<E>: Model,
{
    type Output = Matrix;
}

impl<E: Forest<Model = ForestRegressorModel<E>>> Model for ForestRegressorModel<E> {
    /// The mean of the trees' values, n×p.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let x = self.trees.queries(E::OP, x)?;
        Ok(to_matrix(&self.trees.mean_values(&x)?, x.rows(), self.trees.trees()[0].outputs())?.into())
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().with_number("oob_score", self.oob_score());
        report.with_row("importances", self.feature_importances())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let figure = pictures::shapley_figure(input, &[], str::to_string, |x| self.shapley_values(x))?;
        Ok(figure.into_iter().collect())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    columns: usize,
    outputs: usize,
    oob_score: Option<f64>,
}

impl<E: Forest<Model = ForestRegressorModel<E>>> Save for ForestRegressorModel<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let (columns, outputs) = (self.trees.columns(), self.trees.trees()[0].outputs());
        container.set_fitted(&Fitted { columns, outputs, oob_score: self.oob_score })?;
        super::out_of_bag::store(container, self.out_of_bag.as_ref())?;
        self.trees.store(container)
    }

    fn load_fitted(params: E, container: &mut Container) -> Result<ForestRegressorModel<E>> {
        let Fitted { columns, outputs, oob_score } = container.fitted()?;
        if outputs == 0 {
            return Err(container.refuse("there are no outputs"));
        }
        let trees = Trees::restore(container, columns, outputs)?;
        let out_of_bag = super::out_of_bag::restore(container, outputs)?;
        Ok(ForestRegressorModel { params, trees, out_of_bag, oob_score })
    }
}
