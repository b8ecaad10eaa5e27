//! Classes from a model that learns from what other models say.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PARAMETERS;
use super::layers::{Layers, Stacked, beside, said};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::ensemble::forest::RandomForestClassifier;
use crate::ensemble::members::{
    chances_of, check_members, classes_of, read_list, restore_classes, restore_members, store_classes, store_members,
    written,
};
use crate::error::Result;
use crate::estimator::{
    AnyEstimator, AnyModel, Estimator, Fit, Model, Observer, Predict, PredictProba, Prediction, Rows, Task,
};
use crate::model_file::{Container, Persist};
use crate::neighbors::KNeighborsClassifier;

/// A classifier on top of classifiers: it learns from what they say of rows they were not fitted on (Wolpert
/// 1992). Names are scikit-learn's, and defaults but for the model on top.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StackingClassifier {
    /// The classifiers below. Default: neighbours and a forest.
    #[serde(deserialize_with = "read_list")]
    pub estimators: Vec<AnyEstimator>,
    /// The classifier on top. Default: a random forest, which passes over members that tell little.
    pub final_estimator: AnyEstimator,
    /// Parts of the rows: what is said of one comes from models fitted on the others. Default 5.
    pub cv: usize,
    /// Whether the one on top sees the features too. Default false.
    pub passthrough: bool,
    /// Decides the parts, and is added to the seeds of all models inside. Default 0.
    pub seed: u64,
}

impl Default for StackingClassifier {
    fn default() -> StackingClassifier {
        let neighbors = AnyEstimator::new(KNeighborsClassifier::default());
        let members = vec![neighbors, AnyEstimator::new(RandomForestClassifier::default())];
        let last = AnyEstimator::new(RandomForestClassifier::default());
        StackingClassifier { estimators: members, final_estimator: last, cv: 5, passthrough: false, seed: 0 }
    }
}

impl StackingClassifier {
    /// A stack on these classifiers.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> StackingClassifier {
        StackingClassifier { estimators: estimators.into_iter().collect(), ..StackingClassifier::default() }
    }

    /// Sets the classifier on top.
    pub fn final_estimator(mut self, final_estimator: AnyEstimator) -> StackingClassifier {
        self.final_estimator = final_estimator;
        self
    }

    /// Sets the number of parts.
    pub fn cv(mut self, cv: usize) -> StackingClassifier {
        self.cv = cv;
        self
    }

    /// Sets whether the one on top sees the features too.
    pub fn passthrough(mut self, passthrough: bool) -> StackingClassifier {
        self.passthrough = passthrough;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> StackingClassifier {
        self.seed = seed;
        self
    }

    /// Fits both layers on the rows of `x`, n×d.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<StackingClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, which every model must take, or an observer.
    pub fn fit_with<'a>(
        &self,
        x: impl Into<Rows<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<StackingClassifierModel> {
        check_members("estimators", &self.estimators, Task::Classification)?;
        check_members("final_estimator", std::slice::from_ref(&self.final_estimator), Task::Classification)?;
        let x = x.into();
        x.complete_rows("StackingClassifier", y.len())?;
        let weights = options.weights("StackingClassifier", y.len())?;
        let (target, layers) = (Target::Classes(y.clone()), self.layers(Some(y.classes())));
        let Stacked { members, last } = options.watched("stacking", |watch| layers.fit(x, &target, weights, watch))?;
        let (passthrough, classes, parameters) = (self.passthrough, y.with_codes(vec![])?, written(self));
        Ok(StackingClassifierModel { members, last, passthrough, classes, parameters })
    }

    fn layers(&self, classes: Option<usize>) -> Layers<'_> {
        Layers {
            estimators: &self.estimators,
            final_estimator: &self.final_estimator,
            cv: self.cv,
            passthrough: self.passthrough,
            seed: self.seed,
            classes,
        }
    }
}

/// Fitted classifiers with one on top.
#[derive(Debug)]
pub struct StackingClassifierModel {
    members: Vec<AnyModel>,
    last: AnyModel,
    passthrough: bool,
    classes: Labels,
    parameters: Option<Map<String, Value>>,
}

impl StackingClassifierModel {
    /// The fitted models below.
    pub fn members(&self) -> &[AnyModel] {
        &self.members
    }

    /// The fitted model on top.
    pub fn last(&self) -> &AnyModel {
        &self.last
    }

    /// Runs `job` on what the models below say of the rows of `x`, on their device.
    fn on_top<T>(&self, x: Rows<'_>, job: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        let device = x.on_device()?.device().clone();
        let said = said(&self.members, x, Some(self.classes.classes()))?;
        let features = if self.passthrough { beside(&said, &x.on_host()?)? } else { said };
        job((&features.to(&device)?).into())
    }
}

impl Predict for StackingClassifierModel {
    type Output = Labels;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Labels> {
        self.on_top(x.into(), |features| classes_of(&self.last, features))
    }
}

impl PredictProba for StackingClassifierModel {
    /// The chances that the model on top gives; 1 for its class where it gives none.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let classes = self.classes.classes();
        self.on_top(x.into(), |features| chances_of(&self.last, features, classes))
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    passthrough: bool,
    /// What was fitted; files of the first versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Map<String, Value>>,
}

impl Persist for StackingClassifierModel {
    const KIND: &'static str = "stacking-classifier";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { passthrough: self.passthrough, parameters: self.parameters.clone() })?;
        store_classes(container, &self.classes)?;
        container.insert_container("last", self.last.container()?)?;
        store_members(container, &self.members)
    }

    fn restore(container: &mut Container) -> Result<StackingClassifierModel> {
        let Saved { passthrough, parameters } = container.parameters()?;
        let members = restore_members(container)?;
        let last = AnyModel::from_container(container.take_container("last")?)?;
        let classes = restore_classes(container, members.iter().chain([&last]))?;
        Ok(StackingClassifierModel { members, last, passthrough, classes, parameters })
    }
}

impl crate::estimator::Parameters for StackingClassifier {
    type Model = StackingClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "stacking-classifier";
    const ABOUT: &'static str = "a classifier that learns from what several others say of rows new to them";
    const PARAMETERS: &'static [crate::estimator::Parameter] = PARAMETERS;
    const TASK: Task = Task::Classification;
}

impl Estimator for StackingClassifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities {
            categories: self.estimators.iter().all(|estimator| estimator.abilities().categories)
                && (!self.passthrough || self.final_estimator.abilities().categories),
            ..Default::default()
        }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<StackingClassifierModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for StackingClassifierModel {
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
