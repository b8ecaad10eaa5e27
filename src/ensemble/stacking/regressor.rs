//! Numbers from a model that learns from what other models say.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PARAMETERS;
use super::layers::{Layers, Stacked, beside, said};
use crate::array::Matrix;
use crate::data::Target;
use crate::ensemble::forest::RandomForestRegressor;
use crate::ensemble::members::{check_members, numbers_of, read_list, restore_members, store_members, written};
use crate::error::Result;
use crate::estimator::{
    AnyEstimator, AnyModel, Estimator, Fit, Model, Observer, Predict, Prediction, Rows, Targets, Task,
};
use crate::linear::Ridge;
use crate::model_file::{Container, Persist};
use crate::neighbors::KNeighborsRegressor;

/// A regressor on top of regressors: it learns from what they say of rows they were not fitted on (Wolpert
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StackingRegressor {
    /// The regressors below. Default: neighbours and a forest.
    #[serde(deserialize_with = "read_list")]
    pub estimators: Vec<AnyEstimator>,
    /// The regressor on top. Default: ridge regression.
    pub final_estimator: AnyEstimator,
    /// Parts of the rows: what is said of one comes from models fitted on the others. Default 5.
    pub cv: usize,
    /// Whether the one on top sees the features too. Default false.
    pub passthrough: bool,
    /// Decides the parts, and is added to the seeds of all models inside. Default 0.
    pub seed: u64,
}

impl Default for StackingRegressor {
    fn default() -> StackingRegressor {
        let neighbors = AnyEstimator::new(KNeighborsRegressor::default());
        let members = vec![neighbors, AnyEstimator::new(RandomForestRegressor::default())];
        let last = AnyEstimator::new(Ridge::default());
        StackingRegressor { estimators: members, final_estimator: last, cv: 5, passthrough: false, seed: 0 }
    }
}

impl StackingRegressor {
    /// A stack on these regressors.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> StackingRegressor {
        StackingRegressor { estimators: estimators.into_iter().collect(), ..StackingRegressor::default() }
    }

    /// Sets the regressor on top.
    pub fn final_estimator(mut self, final_estimator: AnyEstimator) -> StackingRegressor {
        self.final_estimator = final_estimator;
        self
    }

    /// Sets the number of parts.
    pub fn cv(mut self, cv: usize) -> StackingRegressor {
        self.cv = cv;
        self
    }

    /// Sets whether the one on top sees the features too.
    pub fn passthrough(mut self, passthrough: bool) -> StackingRegressor {
        self.passthrough = passthrough;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> StackingRegressor {
        self.seed = seed;
        self
    }

    /// Fits both layers on the rows of `x`, n×d, with n numbers or n×p.
    pub fn fit<'a, 'b>(&self, x: impl Into<Rows<'a>>, y: impl Into<Targets<'b>>) -> Result<StackingRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, which every model must take, or an observer.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<StackingRegressorModel> {
        check_members("estimators", &self.estimators, Task::Regression)?;
        check_members("final_estimator", std::slice::from_ref(&self.final_estimator), Task::Regression)?;
        let x = x.into();
        let y = y.into().complete("StackingRegressor", x.on_device()?.rows())?;
        x.complete_rows("StackingRegressor", y.rows())?;
        let weights = options.weights("StackingRegressor", y.rows())?;
        let (target, layers) = (Target::Numbers(y), self.layers(None));
        let Stacked { members, last } = options.watched("stacking", |watch| layers.fit(x, &target, weights, watch))?;
        Ok(StackingRegressorModel { members, last, passthrough: self.passthrough, parameters: written(self) })
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

/// Fitted regressors with one on top.
#[derive(Debug)]
pub struct StackingRegressorModel {
    members: Vec<AnyModel>,
    last: AnyModel,
    passthrough: bool,
    parameters: Option<Map<String, Value>>,
}

impl StackingRegressorModel {
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
        let said = said(&self.members, x, None)?;
        let features = if self.passthrough { beside(&said, &x.on_host()?)? } else { said };
        job((&features.to(&device)?).into())
    }
}

impl Predict for StackingRegressorModel {
    type Output = Matrix;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.on_top(x.into(), |features| numbers_of(&self.last, features))
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    passthrough: bool,
    /// What was fitted; files of the first versions do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Map<String, Value>>,
}

impl Persist for StackingRegressorModel {
    const KIND: &'static str = "stacking-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { passthrough: self.passthrough, parameters: self.parameters.clone() })?;
        container.insert_container("last", self.last.container()?)?;
        store_members(container, &self.members)
    }

    fn restore(container: &mut Container) -> Result<StackingRegressorModel> {
        let Saved { passthrough, parameters } = container.parameters()?;
        let members = restore_members(container)?;
        let last = AnyModel::from_container(container.take_container("last")?)?;
        Ok(StackingRegressorModel { members, last, passthrough, parameters })
    }
}

impl crate::estimator::Parameters for StackingRegressor {
    type Model = StackingRegressorModel;
    type Target<'a> = crate::estimator::Targets<'a>;
    const NAME: &'static str = "stacking-regressor";
    const ABOUT: &'static str = "a regressor that learns from what several others say of rows new to them";
    const PARAMETERS: &'static [crate::estimator::Parameter] = PARAMETERS;
    const TASK: Task = Task::Regression;
}

impl Estimator for StackingRegressor {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities {
            categories: self.estimators.iter().all(|estimator| estimator.abilities().categories)
                && (!self.passthrough || self.final_estimator.abilities().categories),
            ..Default::default()
        }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<StackingRegressorModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for StackingRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }
}
