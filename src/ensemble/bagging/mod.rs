//! One model, fitted on many bags of rows.

/// Declares bagging: classes and numbers share its parameters, and how they are fitted. `score` is that of the rows out
/// of bag, `figures` makes the pictures, if any.
macro_rules! bagging_parameters {
    (
        $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ident, $output:ty;
        about $about:literal; estimator = $estimator:expr; score = $score:ident; $(figures = $figures:path;)?
    ) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            new(estimator: AnyEstimator);
            {}
            shared BagRules {
                /// The model that is fitted on each bag; set its parameters as estimator.NAME.
                estimator: AnyEstimator = $estimator;
                /// Number of bags.
                n_estimators: usize = 10, at_least(1.0);
                /// Number of rows of a bag, as a share of all.
                max_samples: f64 = 1.0, above_to(0.0, 1.0);
                /// Number of columns of a bag, as a share of all.
                max_features: f64 = 1.0, above_to(0.0, 1.0);
                /// Whether a row may be drawn more than once.
                bootstrap: bool = true;
                /// Whether a column may be drawn more than once.
                bootstrap_features: bool = false;
                /// Whether to compute the out-of-bag score: each row is predicted by the bags without it.
                oob_score: bool = false;
                /// Seed of the bags and of their models.
                seed: u64 = 0;
            }
        }

        impl Estimator for $name {
            fn abilities(&self) -> Abilities {
                abilities_of(std::slice::from_ref(&self.estimator))
            }

            fn cost(&self, shape: &FitShape) -> Option<Cost> {
                cost_of(std::slice::from_ref(&self.estimator), shape, self.n_estimators as f64 * self.max_samples)
            }

            /// With sample weights, which the model must take, or an observer, which may finish with fewer bags.
            fn fit_rows(&self, x: Rows<'_>, y: <$name as Parameters>::Target<'_>, options: Fit<'_>) -> Result<$model> {
                BagRules::from(self).fit_model(self, x, y, options, $score)
            }
        }

        impl Ensemble for $name {
            type Output = $output;
            type Fitted = Bags;

            /// The mean of the bags' probabilities, n×k, or of their numbers, n×p.
            fn values(model: &$model, x: Rows<'_>) -> Result<Matrix> {
                model.mean_values(x, usize::MAX)
            }

            fn save(bags: &Bags, container: &mut Container) -> Result<()> {
                bags.store(container)
            }

            fn load(&self, container: &mut Container, members: usize) -> Result<Bags> {
                Bags::restore(container, members)
            }

            fn report(model: &$model) -> FitReport {
                FitReport::default().with_number("oob_score", model.oob_score())
            }

            $(fn figures(model: &$model, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
                $figures(model, input)
            })?
        }
    };
}

mod bags;
mod model;

use bags::{BagRules, Bags};

use super::members::{abilities_of, cost_of, winners};
use super::model::{Ensemble, EnsembleModel};
use super::pictures;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::error::Result;
use crate::estimator::{
    Abilities, AnyEstimator, Estimator, Fit, FitReport, FitShape, Parameters, PictureInput, Rows, parameters,
};
use crate::metrics;
use crate::model_file::Container;
use crate::plot::Figure;
use crate::tree::{DecisionTreeClassifier, DecisionTreeRegressor};

bagging_parameters! {
    /// Classes by the mean probabilities of one model fitted on many bags: random rows, and random columns too if asked
    /// for (Breiman 1996). Names and defaults are scikit-learn's. Each bag's model has a seed of its own, and a tree takes a
    /// random one of equally good columns ([`Ties`](crate::tree::Ties)).
    ///
    /// ```
    /// use gristmill::ensemble::BaggingClassifier;
    /// use gristmill::prelude::*;
    /// let data = datasets::iris()?;
    /// let knn = AnyEstimator::new(KNeighborsClassifier::new(3));
    /// let model = BaggingClassifier::new(knn).n_estimators(20).oob_score(true).fit(&data.x, data.labels()?)?;
    /// assert!(model.oob_score().unwrap() > 0.9);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    BaggingClassifier: classifier("bagging-classifier") -> BaggingClassifierModel, Labels;
    about "the mean probabilities of one model fitted on many random bags of rows";
    estimator = AnyEstimator::new(DecisionTreeClassifier::default());
    score = accuracy_of_known;
    figures = pictures::bagging_figures;
}

bagging_parameters! {
    /// Numbers as the mean of one model fitted on many bags: random rows, and random columns too if asked for
    /// (Breiman 1996). Names and defaults are scikit-learn's. Seeds and ties are as in [`BaggingClassifier`].
    ///
    /// ```
    /// use gristmill::ensemble::BaggingRegressor;
    /// use gristmill::prelude::*;
    /// let data = datasets::diabetes()?;
    /// let knn = AnyEstimator::new(KNeighborsRegressor::new(10));
    /// let model = BaggingRegressor::new(knn).n_estimators(20).oob_score(true).fit(&data.x, data.values()?)?;
    /// assert!(model.oob_score().unwrap() > 0.2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    BaggingRegressor: regressor("bagging-regressor") -> BaggingRegressorModel, Matrix;
    about "the mean of one model fitted on many random bags of rows";
    estimator = AnyEstimator::new(DecisionTreeRegressor::default());
    score = r2_of_known;
}

/// Classifiers fitted on bags.
pub type BaggingClassifierModel = EnsembleModel<BaggingClassifier>;
/// Regressors fitted on bags.
pub type BaggingRegressorModel = EnsembleModel<BaggingRegressor>;

/// The share of some rows whose likeliest class is right; none of no rows.
fn accuracy_of_known(target: &Target, probabilities: &Matrix, rows: &[usize]) -> Result<Option<f64>> {
    let y = target.labels()?;
    let score = || metrics::accuracy(&y.select(rows)?, &winners(&y.with_codes(vec![])?, &probabilities.select(rows)?)?);
    (!rows.is_empty()).then(score).transpose()
}

/// R² of some rows; none of fewer than two.
fn r2_of_known(target: &Target, predicted: &Matrix, rows: &[usize]) -> Result<Option<f64>> {
    let score = || metrics::r2_score_columns(&target.values()?.select(rows)?, &predicted.select(rows)?);
    (rows.len() > 1).then(score).transpose()
}
