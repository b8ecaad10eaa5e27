//! Models on top of models.

/// Declares a stack: classes and numbers share their parameters, and how they are fitted.
macro_rules! stacking_parameters {
    (
        $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ident, $output:ty, $below:literal; about $about:literal;
        estimators = $estimators:expr; final_estimator = $last:expr;
    ) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            {}
            shared StackLayers {
                /// The models of the first layer: names separated by commas, or a JSON list.
                #[serde(deserialize_with = "crate::ensemble::members::read_list")]
                estimators: Vec<AnyEstimator> = $estimators;
                /// The model of the second layer, which learns from their predictions.
                final_estimator: AnyEstimator = $last;
                /// Number of folds; the predictions for one come from models fitted on the others.
                cv: usize = 5, at_least(2.0);
                /// Whether the model of the second layer sees the features too.
                passthrough: bool = false;
                /// Seed of the folds; it is added to the seeds of the models inside.
                seed: u64 = 0;
            }
        }

        new_of_estimators!($name, concat!("A stack on these ", $below, "."));

        impl Estimator for $name {
            fn abilities(&self) -> Abilities {
                let mut abilities = abilities_of(&self.estimators);
                abilities.categories &= !self.passthrough || self.final_estimator.abilities().categories;
                abilities
            }

            fn cost(&self, shape: &FitShape) -> Option<Cost> {
                cost_of(&self.estimators, shape, self.cv as f64)
            }

            /// With sample weights, which every model must take, or an observer.
            fn fit_rows(&self, x: Rows<'_>, y: <$name as Parameters>::Target<'_>, options: Fit<'_>) -> Result<$model> {
                StackLayers::from(self).fit_model(self, x, y, options)
            }
        }

        impl Ensemble for $name {
            type Output = $output;
            type Fitted = AnyModel;

            /// The predictions of the model on top; of classes 1 for its class where it gives no probabilities.
            fn values(model: &$model, x: Rows<'_>) -> Result<Matrix> {
                on_top(model, model.params.passthrough, x, |last, features| {
                    values_of(last, features, model.class_count())
                })
            }

            fn predicted(model: &$model, x: Rows<'_>) -> Result<Option<Prediction>> {
                on_top(model, model.params.passthrough, x, |last, features| last.predict(features)).map(Some)
            }

            fn last(last: &AnyModel) -> Option<&AnyModel> {
                Some(last)
            }

            fn save(last: &AnyModel, container: &mut Container) -> Result<()> {
                container.insert_container("last", last.container()?)
            }

            fn load(&self, container: &mut Container, _: usize) -> Result<AnyModel> {
                AnyModel::from_container(container.take_container("last")?)
            }
        }
    };
}

mod layers;

use layers::{StackLayers, on_top};

use super::forest::{RandomForestClassifier, RandomForestRegressor};
use super::members::{abilities_of, cost_of, new_of_estimators, values_of};
use super::model::{Ensemble, EnsembleModel};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, FitShape, Parameters, Prediction, Rows, parameters,
};
use crate::linear::{LogisticRegression, Ridge};
use crate::model_file::Container;
use crate::neighbors::{KNeighborsClassifier, KNeighborsRegressor};

stacking_parameters! {
    /// A classifier on top of classifiers: it learns from their predictions for rows they were not fitted on (Wolpert
    /// 1992). Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::ensemble::StackingClassifier;
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::wine()?.split(0.7, 1)?;
    /// let members = [1, 15].map(|k| AnyEstimator::new(KNeighborsClassifier::new(k)));
    /// let model = StackingClassifier::new(members).fit(&train.x, train.labels()?)?;
    /// println!("{:.3}", model.score(&test.x, test.labels()?)?);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    StackingClassifier: classifier("stacking-classifier") -> StackingClassifierModel, Labels, "classifiers";
    about "a classifier that learns from the predictions of several others";
    estimators = vec![AnyEstimator::new(KNeighborsClassifier::default()), AnyEstimator::new(RandomForestClassifier::default())];
    final_estimator = AnyEstimator::new(LogisticRegression::default());
}

stacking_parameters! {
    /// A regressor on top of regressors: it learns from their predictions for rows they were not fitted on (Wolpert
    /// 1992). Names are scikit-learn's, and defaults but for the model on top.
    ///
    /// ```
    /// use gristmill::ensemble::StackingRegressor;
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::diabetes()?.split(0.7, 1)?;
    /// let members = [1, 15].map(|k| AnyEstimator::new(KNeighborsRegressor::new(k)));
    /// let model = StackingRegressor::new(members).fit(&train.x, train.values()?)?;
    /// println!("{:.3}", model.score(&test.x, test.values()?)?);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    StackingRegressor: regressor("stacking-regressor") -> StackingRegressorModel, Matrix, "regressors";
    about "a regressor that learns from the predictions of several others";
    estimators = vec![AnyEstimator::new(KNeighborsRegressor::default()), AnyEstimator::new(RandomForestRegressor::default())];
    final_estimator = AnyEstimator::new(Ridge::default());
}

/// Fitted classifiers with one on top.
pub type StackingClassifierModel = EnsembleModel<StackingClassifier>;
/// Fitted regressors with one on top.
pub type StackingRegressorModel = EnsembleModel<StackingRegressor>;

impl<E: Ensemble<Fitted = AnyModel>> EnsembleModel<E> {
    /// The fitted model on top.
    pub fn last(&self) -> &AnyModel {
        &self.fitted
    }
}
