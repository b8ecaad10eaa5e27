//! Different models, one vote each.

use serde::{Deserialize, Serialize};

use super::forest::{RandomForestClassifier, RandomForestRegressor};
use super::members::{
    check_members, classes_of, fit_all, numbers_of, probabilities_of, restore_classes, restore_members, seeded,
    store_classes, store_members, weighted_mean, winners,
};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, Model, Observer, Predict, PredictProba, Prediction, Rows, Save,
    Targets, Task, parameters,
};
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

impl VotingClassifier {
    /// A vote of these classifiers.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> VotingClassifier {
        VotingClassifier { estimators: estimators.into_iter().collect(), ..VotingClassifier::default() }
    }
}

impl Estimator for VotingClassifier {
    fn abilities(&self) -> Abilities {
        let categories = self.estimators.iter().all(|estimator| estimator.abilities().categories);
        Abilities { categories, ..Abilities::default() }
    }

    /// Fits every member on all rows of `x`, n×d; with sample weights, every member must take them.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<VotingClassifierModel> {
        check_members("estimators", &self.estimators, Task::Classification)?;
        check_weights(self.weights.as_deref(), self.estimators.len())?;
        let weights = options.weights("VotingClassifier", y.len())?;
        let members = fit_all(&seeded(&self.estimators, self.seed)?, x, &Target::Classes(y.clone()), weights)?;
        Ok(VotingClassifierModel { params: self.clone(), classes: y.with_codes(vec![])?, members })
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

impl VotingRegressor {
    /// The mean of these regressors.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> VotingRegressor {
        VotingRegressor { estimators: estimators.into_iter().collect(), ..VotingRegressor::default() }
    }
}

impl Estimator for VotingRegressor {
    fn abilities(&self) -> Abilities {
        let categories = self.estimators.iter().all(|estimator| estimator.abilities().categories);
        Abilities { categories, ..Abilities::default() }
    }

    /// Fits every member on all rows of `x`, n×d; with sample weights, every member must take them.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<VotingRegressorModel> {
        check_members("estimators", &self.estimators, Task::Regression)?;
        check_weights(self.weights.as_deref(), self.estimators.len())?;
        let y = y.complete("VotingRegressor", x.on_device()?.rows())?;
        let weights = options.weights("VotingRegressor", y.rows())?;
        let members = fit_all(&seeded(&self.estimators, self.seed)?, x, &Target::Numbers(y), weights)?;
        Ok(VotingRegressorModel { params: self.clone(), members })
    }
}

fn check_weights(weights: Option<&[f64]>, members: usize) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    let sound = |weight: &f64| *weight >= 0.0 && weight.is_finite();
    if weights.len() != members || !weights.iter().all(sound) || weights.iter().sum::<f64>() <= 0.0 {
        let rule = format!("{members} numbers of at least 0, not all 0: one a member");
        return Err(Error::Param { name: "weights", rule, got: format!("{weights:?}") });
    }
    Ok(())
}

/// Classifiers that vote.
#[derive(Debug)]
pub struct VotingClassifierModel {
    params: VotingClassifier,
    classes: Labels,
    members: Vec<AnyModel>,
}

impl VotingClassifierModel {
    /// The fitted members.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }

    /// The mean of the members' probabilities, or with a hard vote the share of the votes for each class.
    fn shares(&self, x: Rows<'_>) -> Result<Matrix> {
        let classes = self.classes.classes();
        let part = |member: &AnyModel| match self.params.voting {
            Vote::Soft => probabilities_of(member, x, classes),
            Vote::Hard => {
                let labels = classes_of(member, x)?;
                let mut votes = Matrix::zeros(labels.len(), classes)?;
                let rows = votes.as_mut_slice().chunks_exact_mut(classes.max(1)).zip(labels.codes());
                rows.for_each(|(row, code)| row[*code as usize] = 1.0);
                Ok(votes)
            }
        };
        let parts: Vec<Matrix> = self.members.iter().map(part).collect::<Result<_>>()?;
        weighted_mean(&parts, self.params.weights.as_deref())
    }
}

impl Predict for VotingClassifierModel {
    type Output = Labels;
}

impl PredictProba for VotingClassifierModel {}

impl Model for VotingClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(winners(&self.classes, &self.shares(x)?)?.into())
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.shares(x).map(Some)
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let shares = self.shares(x)?;
        Ok((winners(&self.classes, &shares)?.into(), Some(shares)))
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }
}

impl Save for VotingClassifierModel {
    type Estimator = VotingClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_classes(container, &self.classes)?;
        store_members(container, &self.members)
    }

    fn load_fitted(params: VotingClassifier, container: &mut Container) -> Result<VotingClassifierModel> {
        let members = restore_members(container)?;
        let classes = restore_classes(container, &members)?;
        check_weights(params.weights.as_deref(), members.len()).map_err(|error| container.refuse(error.to_string()))?;
        Ok(VotingClassifierModel { params, classes, members })
    }
}

/// Regressors that are averaged.
#[derive(Debug)]
pub struct VotingRegressorModel {
    params: VotingRegressor,
    members: Vec<AnyModel>,
}

impl VotingRegressorModel {
    /// The fitted members.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }
}

impl Predict for VotingRegressorModel {
    type Output = Matrix;
}

impl Model for VotingRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let parts: Vec<Matrix> = self.members.iter().map(|member| numbers_of(member, x)).collect::<Result<_>>()?;
        Ok(weighted_mean(&parts, self.params.weights.as_deref())?.into())
    }
}

impl Save for VotingRegressorModel {
    type Estimator = VotingRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_members(container, &self.members)
    }

    fn load_fitted(params: VotingRegressor, container: &mut Container) -> Result<VotingRegressorModel> {
        let members = restore_members(container)?;
        check_weights(params.weights.as_deref(), members.len()).map_err(|error| container.refuse(error.to_string()))?;
        Ok(VotingRegressorModel { params, members })
    }
}
