//! Numbers by many trees.

use super::Forest;
use super::growth::ForestSettings;
use crate::array::Matrix;
use crate::cpu::tree::target::{FixedValues, TreeTarget};
use crate::ensemble::ensemble_variance::EnsembleVariance;
use crate::error::Result;
use crate::estimator::{Abilities, Estimator, Fit, Parameters, Queries, Rows, Targets, parameters};
use crate::tree::{MaxFeatures, RegressionCriterion, TreeEstimator, TreeLimits, TreeModel, rows_to_learn};

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
    observed as "random forest";
    bootstrap = true;
    max_features = MaxFeatures::All;
    random_cuts = false;
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
    /// - The side of missing values is drawn as the threshold is. Ties and weights are as in
    ///   [`DecisionTreeRegressor`](crate::tree::DecisionTreeRegressor).
    /// - The same seed gives the same bits on any number of threads.
    ExtraTreesRegressor: regressor("extra-trees-regressor") -> ExtraTreesRegressorModel;
    about "the mean of many trees with random features and thresholds";
    observed as "extra trees";
    bootstrap = false;
    max_features = MaxFeatures::All;
    random_cuts = true;
}

/// A fitted random forest regressor.
pub type RandomForestRegressorModel = TreeModel<RandomForestRegressor>;
/// Fitted extra trees for regression.
pub type ExtraTreesRegressorModel = TreeModel<ExtraTreesRegressor>;

/// Grows the trees of a forest of numbers.
pub(super) fn fit_numbers<E: Forest>(
    params: &E,
    (settings, limits): (ForestSettings, TreeLimits),
    criterion: RegressionCriterion,
    (x, y): (Rows<'_>, Targets<'_>),
    options: Fit<'_>,
) -> Result<TreeModel<E>> {
    let (x, device) = rows_to_learn(E::TYPE, x)?;
    let y = y.complete(E::TYPE, x.rows())?;
    let weights = options.weights(E::TYPE, x.rows())?;
    let values = FixedValues::new(E::TYPE, y.as_slice(), y.columns(), weights)?.with_criterion(criterion);
    let target_of = |times: Option<&[u32]>| values.target(times);
    let (trees, out_of_bag) = settings.grow::<E, _>(limits, (&x, device), target_of, None, options)?;
    let oob_score = match &out_of_bag {
        Some(predicted) => score_of_known(predicted, &y, &values.target(None))?,
        None => None,
    };
    Ok(TreeModel { params: params.clone().into(), trees, out_of_bag, oob_score })
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

impl<E: Forest + TreeEstimator<Output = Matrix>> TreeModel<E> {
    /// The predictions of the fitted rows by the trees that did not draw them, n×p; missing where all did.
    pub fn oob_prediction(&self) -> Option<Matrix> {
        let found = self.out_of_bag.clone()?;
        self.params.shift().map_or(Some(found.clone()), |shift| shift.add_to(found).ok())
    }

    /// How much averaging the trees reduces the variance of what they predict for the rows of `x`.
    pub fn ensemble_variance<'a>(&self, x: impl Into<Queries<'a>>) -> Result<EnsembleVariance> {
        let x = self.params.align(x)?;
        let x = self.trees.queries(E::TYPE, x.rows())?;
        EnsembleVariance::of(E::TYPE, self.trees.predictions(&x)?)
    }
}
