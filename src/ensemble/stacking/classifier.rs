//! Classes from a model that learns from the predictions of other models.

use super::layers::{StackLayers, Stacked, beside, predictions_of};
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::ensemble::forest::RandomForestClassifier;
use crate::ensemble::members::{
    check_members, classes_of, probabilities_of, restore_classes, restore_members, store_classes, store_members,
};
use crate::error::Result;
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, Model, Observer, Predict, PredictProba, Prediction, Rows, Save,
    Task, parameters,
};
use crate::model_file::Container;
use crate::neighbors::KNeighborsClassifier;

stacking_parameters! {
    /// A classifier on top of classifiers: it learns from their predictions for rows they were not fitted on (Wolpert
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
    StackingClassifier: classifier("stacking-classifier") -> StackingClassifierModel;
    about "a classifier that learns from the predictions of several others";
    estimators = vec![AnyEstimator::new(KNeighborsClassifier::default()), AnyEstimator::new(RandomForestClassifier::default())];
    final_estimator = AnyEstimator::new(RandomForestClassifier::default());
}

impl StackingClassifier {
    /// A stack on these classifiers.
    pub fn new(estimators: impl IntoIterator<Item = AnyEstimator>) -> StackingClassifier {
        StackingClassifier { estimators: estimators.into_iter().collect(), ..StackingClassifier::default() }
    }
}

impl Estimator for StackingClassifier {
    fn abilities(&self) -> Abilities {
        Abilities {
            categories: self.estimators.iter().all(|estimator| estimator.abilities().categories)
                && (!self.passthrough || self.final_estimator.abilities().categories),
            ..Abilities::default()
        }
    }

    /// With sample weights, which every model must take, or an observer.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<StackingClassifierModel> {
        check_members("estimators", &self.estimators, Task::Classification)?;
        check_members("final_estimator", std::slice::from_ref(&self.final_estimator), Task::Classification)?;
        x.complete_rows("StackingClassifier", y.len())?;
        let weights = options.weights("StackingClassifier", y.len())?;
        let (target, layers) = (Target::Classes(y.clone()), StackLayers::from(self));
        let Stacked { members, last } =
            options.watched("stacking", |reporter| layers.fit(x, &target, Some(y.classes()), weights, reporter))?;
        let classes = y.with_codes(vec![])?;
        Ok(StackingClassifierModel { params: self.clone(), members, last, classes })
    }
}

/// Fitted classifiers with one on top.
#[derive(Debug)]
pub struct StackingClassifierModel {
    members: Vec<AnyModel>,
    last: AnyModel,
    classes: Labels,
    params: StackingClassifier,
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

    /// Runs `job` on the predictions of the models below for the rows of `x`, on their device.
    fn on_top<T>(&self, x: Rows<'_>, job: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        let device = x.on_device()?.device().clone();
        let predicted = predictions_of(&self.members, x, Some(self.classes.classes()))?;
        let features = if self.params.passthrough { beside(&predicted, &x.on_host()?)? } else { predicted };
        job((&features.to(&device)?).into())
    }
}

impl Predict for StackingClassifierModel {
    type Output = Labels;
}

impl PredictProba for StackingClassifierModel {}

impl Model for StackingClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.on_top(x, |features| classes_of(&self.last, features))?.into())
    }

    /// The probabilities that the model on top gives; 1 for its class where it gives none.
    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let classes = self.classes.classes();
        self.on_top(x, |features| probabilities_of(&self.last, features, classes)).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }
}

impl Save for StackingClassifierModel {
    type Estimator = StackingClassifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_classes(container, &self.classes)?;
        container.insert_container("last", self.last.container()?)?;
        store_members(container, &self.members)
    }

    fn load_fitted(params: StackingClassifier, container: &mut Container) -> Result<StackingClassifierModel> {
        let members = restore_members(container)?;
        let last = AnyModel::from_container(container.take_container("last")?)?;
        let classes = restore_classes(container, members.iter().chain([&last]))?;
        Ok(StackingClassifierModel { members, last, classes, params })
    }
}
