//! Numbers from a model that learns from the predictions of other models.

use super::layers::{StackLayers, Stacked, beside, predictions_of};
use crate::array::Matrix;
use crate::data::Target;
use crate::ensemble::forest::RandomForestRegressor;
use crate::ensemble::members::{check_members, numbers_of, restore_members, store_members};
use crate::error::Result;
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, Model, Observer, Predict, Prediction, Rows, Save, Targets, Task,
    parameters,
};
use crate::linear::Ridge;
use crate::model_file::Container;
use crate::neighbors::KNeighborsRegressor;

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
    StackingRegressor: regressor("stacking-regressor") -> StackingRegressorModel;
    about "a regressor that learns from the predictions of several others";
    estimators = vec![AnyEstimator::new(KNeighborsRegressor::default()), AnyEstimator::new(RandomForestRegressor::default())];
    final_estimator = AnyEstimator::new(Ridge::default());
}

impl StackingRegressor {
    /// A stack on these regressors.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> StackingRegressor {
        StackingRegressor { estimators: estimators.into_iter().collect(), ..StackingRegressor::default() }
    }
}

impl Estimator for StackingRegressor {
    fn abilities(&self) -> Abilities {
        Abilities {
            categories: self.estimators.iter().all(|estimator| estimator.abilities().categories)
                && (!self.passthrough || self.final_estimator.abilities().categories),
            ..Abilities::default()
        }
    }

    /// With sample weights, which every model must take, or an observer.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<StackingRegressorModel> {
        check_members("estimators", &self.estimators, Task::Regression)?;
        check_members("final_estimator", std::slice::from_ref(&self.final_estimator), Task::Regression)?;
        let y = y.complete("StackingRegressor", x.on_device()?.rows())?;
        x.complete_rows("StackingRegressor", y.rows())?;
        let weights = options.weights("StackingRegressor", y.rows())?;
        let (target, layers) = (Target::Numbers(y), StackLayers::from(self));
        let Stacked { members, last } =
            options.watched("stacking", |reporter| layers.fit(x, &target, None, weights, reporter))?;
        Ok(StackingRegressorModel { params: self.clone(), members, last })
    }
}

/// Fitted regressors with one on top.
#[derive(Debug)]
pub struct StackingRegressorModel {
    members: Vec<AnyModel>,
    last: AnyModel,
    params: StackingRegressor,
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

    /// Runs `job` on the predictions of the models below for the rows of `x`, on their device.
    fn on_top<T>(&self, x: Rows<'_>, job: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        let device = x.on_device()?.device().clone();
        let predicted = predictions_of(&self.members, x, None)?;
        let features = if self.params.passthrough { beside(&predicted, &x.on_host()?)? } else { predicted };
        job((&features.to(&device)?).into())
    }
}

impl Predict for StackingRegressorModel {
    type Output = Matrix;
}

impl Model for StackingRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.on_top(x, |features| numbers_of(&self.last, features))?.into())
    }
}

impl Save for StackingRegressorModel {
    type Estimator = StackingRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert_container("last", self.last.container()?)?;
        store_members(container, &self.members)
    }

    fn load_fitted(params: StackingRegressor, container: &mut Container) -> Result<StackingRegressorModel> {
        let members = restore_members(container)?;
        let last = AnyModel::from_container(container.take_container("last")?)?;
        Ok(StackingRegressorModel { members, last, params })
    }
}
