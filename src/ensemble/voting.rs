//! Different models, one vote each.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::forest::{RandomForestClassifier, RandomForestRegressor};
use super::members::{
    chances_of, check_members, classes_of, fit_all, numbers_of, read_list, restore_classes, restore_members, seeded,
    store_classes, store_members, weighted_mean, winners, written,
};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::error::{Error, Result};
use crate::estimator::{
    AnyEstimator, AnyModel, Estimator, Fit, Model, Observer, Predict, PredictProba, Prediction, Rows, Targets, Task,
};
use crate::model_file::{Container, Persist};
use crate::neighbors::{KNeighborsClassifier, KNeighborsRegressor};
use crate::tree::DecisionTreeClassifier;

/// How classes are voted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// Each member names a class; most votes win, the lowest class of equal ones.
    #[default]
    Hard,
    /// The members' chances are averaged; the largest wins.
    Soft,
}

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VotingClassifier {
    /// The classifiers that vote.
    #[serde(deserialize_with = "read_list")]
    pub estimators: Vec<AnyEstimator>,
    /// How they vote. Default [`Vote::Hard`].
    pub voting: Vote,
    /// How much each one's vote counts; all alike if `None`.
    pub weights: Option<Vec<f64>>,
    /// Is added to the seeds of the members. Default 0.
    pub seed: u64,
}

impl Default for VotingClassifier {
    /// Neighbours, a tree and a forest.
    fn default() -> VotingClassifier {
        let neighbors = AnyEstimator::new(KNeighborsClassifier::default());
        let tree = AnyEstimator::new(DecisionTreeClassifier::default());
        let estimators = vec![neighbors, tree, AnyEstimator::new(RandomForestClassifier::default())];
        VotingClassifier { estimators, voting: Vote::Hard, weights: None, seed: 0 }
    }
}

impl VotingClassifier {
    /// A vote of these classifiers.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> VotingClassifier {
        VotingClassifier { estimators: estimators.into_iter().collect(), ..VotingClassifier::default() }
    }

    /// Sets how they vote.
    pub fn voting(mut self, voting: Vote) -> VotingClassifier {
        self.voting = voting;
        self
    }

    /// Sets how much each one's vote counts.
    pub fn weights(mut self, weights: Vec<f64>) -> VotingClassifier {
        self.weights = Some(weights);
        self
    }

    /// Sets what is added to the seeds of the members.
    pub fn seed(mut self, seed: u64) -> VotingClassifier {
        self.seed = seed;
        self
    }

    /// Fits every member on all rows of `x`, n×d.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<VotingClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, which every member must take.
    pub fn fit_with<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels, options: Fit<'_>) -> Result<VotingClassifierModel> {
        check_members("estimators", &self.estimators, Task::Classification)?;
        check_weights(self.weights.as_deref(), self.estimators.len())?;
        let weights = options.weights("VotingClassifier", y.len())?;
        let members = fit_all(&seeded(&self.estimators, self.seed)?, x.into(), &Target::Classes(y.clone()), weights)?;
        let (weights, classes) = (self.weights.clone(), y.with_codes(vec![])?);
        Ok(VotingClassifierModel { voting: self.voting, weights, classes, members, parameters: written(self) })
    }
}

/// Numbers as the mean of different regressors. Names and defaults are scikit-learn's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VotingRegressor {
    /// The regressors that are averaged.
    #[serde(deserialize_with = "read_list")]
    pub estimators: Vec<AnyEstimator>,
    /// How much each one counts; all alike if `None`.
    pub weights: Option<Vec<f64>>,
    /// Is added to the seeds of the members. Default 0.
    pub seed: u64,
}

impl Default for VotingRegressor {
    /// Neighbours and a forest.
    fn default() -> VotingRegressor {
        let neighbors = AnyEstimator::new(KNeighborsRegressor::default());
        let estimators = vec![neighbors, AnyEstimator::new(RandomForestRegressor::default())];
        VotingRegressor { estimators, weights: None, seed: 0 }
    }
}

impl VotingRegressor {
    /// The mean of these regressors.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> VotingRegressor {
        VotingRegressor { estimators: estimators.into_iter().collect(), weights: None, seed: 0 }
    }

    /// Sets how much each one counts.
    pub fn weights(mut self, weights: Vec<f64>) -> VotingRegressor {
        self.weights = Some(weights);
        self
    }

    /// Sets what is added to the seeds of the members.
    pub fn seed(mut self, seed: u64) -> VotingRegressor {
        self.seed = seed;
        self
    }

    /// Fits every member on all rows of `x`, n×d, with n numbers or n×p.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<VotingRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, which every member must take.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<VotingRegressorModel> {
        check_members("estimators", &self.estimators, Task::Regression)?;
        check_weights(self.weights.as_deref(), self.estimators.len())?;
        let x = x.into();
        let y = y.into().complete("VotingRegressor", x.on_device()?.rows())?;
        let weights = options.weights("VotingRegressor", y.rows())?;
        let members = fit_all(&seeded(&self.estimators, self.seed)?, x, &Target::Numbers(y), weights)?;
        Ok(VotingRegressorModel { weights: self.weights.clone(), members, parameters: written(self) })
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
    voting: Vote,
    weights: Option<Vec<f64>>,
    classes: Labels,
    members: Vec<AnyModel>,
    parameters: Option<Map<String, Value>>,
}

impl VotingClassifierModel {
    /// The fitted members.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }
}

impl Predict for VotingClassifierModel {
    type Output = Labels;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        winners(&self.classes, &self.predict_proba(x)?)
    }
}

impl PredictProba for VotingClassifierModel {
    /// The mean of the members' chances, or with a hard vote the share of the votes for each class.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let (x, classes) = (x.into(), self.classes.classes());
        let part = |member: &AnyModel| match self.voting {
            Vote::Soft => chances_of(member, x, classes),
            Vote::Hard => {
                let labels = classes_of(member, x)?;
                let mut votes = Matrix::zeros(labels.len(), classes)?;
                let rows = votes.as_mut_slice().chunks_exact_mut(classes.max(1)).zip(labels.codes());
                rows.for_each(|(row, code)| row[*code as usize] = 1.0);
                Ok(votes)
            }
        };
        let parts: Vec<Matrix> = self.members.iter().map(part).collect::<Result<_>>()?;
        weighted_mean(&parts, self.weights.as_deref())
    }
}

/// Regressors that are averaged.
#[derive(Debug)]
pub struct VotingRegressorModel {
    weights: Option<Vec<f64>>,
    members: Vec<AnyModel>,
    parameters: Option<Map<String, Value>>,
}

impl VotingRegressorModel {
    /// The fitted members.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }
}

impl Predict for VotingRegressorModel {
    type Output = Matrix;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let x = x.into();
        let parts: Vec<Matrix> = self.members.iter().map(|member| numbers_of(member, x)).collect::<Result<_>>()?;
        weighted_mean(&parts, self.weights.as_deref())
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    voting: Vote,
    weights: Option<Vec<f64>>,
    /// What was fitted; files of the first versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Map<String, Value>>,
}

impl Persist for VotingClassifierModel {
    const KIND: &'static str = "voting-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (weights, parameters) = (self.weights.clone(), self.parameters.clone());
        container.set_parameters(&Saved { voting: self.voting, weights, parameters })?;
        store_classes(container, &self.classes)?;
        store_members(container, &self.members)
    }

    fn restore(container: &mut Container) -> Result<VotingClassifierModel> {
        let Saved { voting, weights, parameters } = container.parameters()?;
        let members = restore_members(container)?;
        let classes = restore_classes(container, &members)?;
        check_weights(weights.as_deref(), members.len()).map_err(|error| container.refuse(error.to_string()))?;
        Ok(VotingClassifierModel { voting, weights, classes, members, parameters })
    }
}

impl Persist for VotingRegressorModel {
    const KIND: &'static str = "voting-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        let (weights, parameters) = (self.weights.clone(), self.parameters.clone());
        container.set_parameters(&Saved { voting: Vote::Soft, weights, parameters })?;
        store_members(container, &self.members)
    }

    fn restore(container: &mut Container) -> Result<VotingRegressorModel> {
        let Saved { weights, parameters, .. } = container.parameters()?;
        let members = restore_members(container)?;
        check_weights(weights.as_deref(), members.len()).map_err(|error| container.refuse(error.to_string()))?;
        Ok(VotingRegressorModel { weights, members, parameters })
    }
}

impl crate::estimator::Parameters for VotingClassifier {
    type Model = VotingClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "voting-classifier";
    const ABOUT: &'static str = "the class that most of several classifiers name";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "estimators",
            help: "the classifiers that vote: names with commas, or a JSON list",
        },
        crate::estimator::Parameter { name: "voting", help: "hard: a class each; soft: the mean of the chances" },
        crate::estimator::Parameter {
            name: "weights",
            help: "how much each vote counts, such as 1,2,1; null: all alike",
        },
        crate::estimator::Parameter { name: "seed", help: "is added to the seeds of the members" },
    ];
    const TASK: Task = Task::Classification;
}

impl Estimator for VotingClassifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities {
            categories: self.estimators.iter().all(|estimator| estimator.abilities().categories),
            ..Default::default()
        }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<VotingClassifierModel> {
        self.fit_with(x, target, options)
    }
}

impl crate::estimator::Parameters for VotingRegressor {
    type Model = VotingRegressorModel;
    type Target<'a> = crate::estimator::Targets<'a>;
    const NAME: &'static str = "voting-regressor";
    const ABOUT: &'static str = "the mean of several regressors";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "estimators",
            help: "the regressors that are averaged: names with commas, or a JSON list",
        },
        crate::estimator::Parameter {
            name: "weights",
            help: "how much each one counts, such as 1,2,1; null: all alike",
        },
        crate::estimator::Parameter { name: "seed", help: "is added to the seeds of the members" },
    ];
    const TASK: Task = Task::Regression;
}

impl Estimator for VotingRegressor {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities {
            categories: self.estimators.iter().all(|estimator| estimator.abilities().categories),
            ..Default::default()
        }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<VotingRegressorModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for VotingClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict(x)?))
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }
}

impl Model for VotingRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }
}
