//! Different models, one vote each.

use serde::{Deserialize, Serialize};

use super::forest::{RandomForestClassifier, RandomForestRegressor};
use super::members::{
    abilities_of, check_members, cost_of, fit_all, new_of_estimators, numbers_of, probabilities_of, seeded, votes_of,
    weighted_mean,
};
use super::model::{Ensemble, EnsembleModel, EnsembleTarget};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, AnyEstimator, AnyModel, Estimator, Fit, FitShape, Parameters, Rows, parameters};
use crate::model_file::Container;
use crate::neighbors::{KNeighborsClassifier, KNeighborsRegressor};
use crate::tree::DecisionTreeClassifier;

/// How classes are voted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// Each member votes for a class; the majority wins, the lowest class of equal ones.
    #[default]
    Hard,
    /// The members' probabilities are averaged; the largest wins.
    Soft,
}

/// Makes an ensemble of declared parameters: `part` gives what a member predicts, of which the weighted mean decides.
macro_rules! voting_ensemble {
    ($(#[doc = $doc:literal])* $name:ident -> $model:ident, $output:ty, $part:ident;) => {
        new_of_estimators!($name, concat!($($doc),*));

        impl Estimator for $name {
            fn abilities(&self) -> Abilities {
                abilities_of(&self.estimators)
            }

            fn cost(&self, shape: &FitShape) -> Option<Cost> {
                cost_of(&self.estimators, shape, 1.0)
            }

            /// Fits every member on all rows of `x`, n×d; with sample weights, every member must take them.
            fn fit_rows(&self, x: Rows<'_>, y: <$name as Parameters>::Target<'_>, options: Fit<'_>) -> Result<$model> {
                fit_voters(self, (&self.estimators, self.weights.as_deref(), self.seed), x, y, options)
            }
        }

        impl Ensemble for $name {
            type Output = $output;
            type Fitted = ();

            fn values(model: &$model, x: Rows<'_>) -> Result<Matrix> {
                let parts = model.members.iter().map(|member| $part(model, member, x));
                weighted_mean(&parts.collect::<Result<Vec<Matrix>>>()?, model.params.weights.as_deref())
            }

            fn save(_: &(), _: &mut Container) -> Result<()> {
                Ok(())
            }

            fn load(&self, container: &mut Container, members: usize) -> Result<()> {
                check_weights(self.weights.as_deref(), members).map_err(|error| container.refuse(error.to_string()))
            }
        }
    };
}

parameters! {
    /// Classes by vote of different classifiers. Names and defaults are scikit-learn's.
    ///
    /// ```
    /// use gristmill::ensemble::VotingClassifier;
    /// use gristmill::prelude::*;
    /// let iris = datasets::iris()?;
    /// let members = [1, 5, 15].map(|k| AnyEstimator::new(KNeighborsClassifier::new(k)));
    /// let model = VotingClassifier::new(members).fit(&iris.x, iris.labels()?)?;
    /// assert!(model.score(&iris.x, iris.labels()?)? > 0.95);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct VotingClassifier: classifier("voting-classifier") -> VotingClassifierModel;
    about "the majority vote or mean probabilities of several classifiers";
    {
        /// The classifiers that vote: names separated by commas, or a JSON list.
        #[serde(deserialize_with = "super::members::read_list")]
        estimators: Vec<AnyEstimator> = vec![
            AnyEstimator::new(KNeighborsClassifier::default()),
            AnyEstimator::new(DecisionTreeClassifier::default()),
            AnyEstimator::new(RandomForestClassifier::default()),
        ];
        /// hard: a majority vote; soft: the mean of the probabilities.
        voting: Vote = Vote::Hard;
        /// The weight of each vote, such as 1,2,1; none: all 1.
        weights: Option<Vec<f64>> = None;
        /// Is added to the seeds of the members.
        seed: u64 = 0;
    }
}

voting_ensemble! {
    /// A vote of these classifiers.
    VotingClassifier -> VotingClassifierModel, Labels, shares;
}

/// The probabilities of a member, or with a hard vote its votes, n×k.
fn shares(model: &VotingClassifierModel, member: &AnyModel, x: Rows<'_>) -> Result<Matrix> {
    match model.params.voting {
        Vote::Soft => probabilities_of(member, x, model.classes.classes()),
        Vote::Hard => votes_of(member, x, model.classes.classes()),
    }
}

parameters! {
    /// Numbers as the mean of different regressors. Names and defaults are scikit-learn's.
    pub struct VotingRegressor: regressor("voting-regressor") -> VotingRegressorModel;
    about "the mean of several regressors";
    {
        /// The regressors that are averaged: names separated by commas, or a JSON list.
        #[serde(deserialize_with = "super::members::read_list")]
        estimators: Vec<AnyEstimator> = vec![
            AnyEstimator::new(KNeighborsRegressor::default()),
            AnyEstimator::new(RandomForestRegressor::default()),
        ];
        /// The weight of each regressor, such as 1,2,1; none: all 1.
        weights: Option<Vec<f64>> = None;
        /// Is added to the seeds of the members.
        seed: u64 = 0;
    }
}

voting_ensemble! {
    /// The mean of these regressors.
    VotingRegressor -> VotingRegressorModel, Matrix, numbers;
}

fn numbers(_: &VotingRegressorModel, member: &AnyModel, x: Rows<'_>) -> Result<Matrix> {
    numbers_of(member, x)
}

/// Classifiers that vote.
pub type VotingClassifierModel = EnsembleModel<VotingClassifier>;
/// Regressors that are averaged.
pub type VotingRegressorModel = EnsembleModel<VotingRegressor>;

/// Fits estimators whose votes have these weights.
fn fit_voters<E: Ensemble<Fitted = ()>>(
    params: &E,
    (estimators, votes, seed): (&[AnyEstimator], Option<&[f64]>, u64),
    x: Rows<'_>,
    y: impl EnsembleTarget,
    options: Fit<'_>,
) -> Result<EnsembleModel<E>> {
    check_members("estimators", estimators, E::TASK)?;
    check_weights(votes, estimators.len())?;
    let (target, rows) = y.owned(E::TYPE, x)?;
    let weights = options.weights(E::TYPE, rows)?;
    let members = fit_all(&seeded(estimators, seed)?, x, &target, weights)?;
    EnsembleModel::new(params, members, &target, ())
}

fn check_weights(weights: Option<&[f64]>, members: usize) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    let sound = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    if weights.len() != members || !weights.iter().all(sound) || weights.iter().sum::<f64>() <= 0.0 {
        let rule = format!("{members} numbers of at least 0, not all 0: one a member");
        return Err(Error::param("weights", rule, format!("{weights:?}")));
    }
    Ok(())
}
