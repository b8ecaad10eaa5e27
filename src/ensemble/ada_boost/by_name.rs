//! AdaBoost by name: what the registry knows of it.

use super::{AdaBoostClassifier, AdaBoostClassifierModel, AdaBoostRegressor, AdaBoostRegressorModel};
use crate::array::Matrix;
use crate::data::Target;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, Fitted, Losses, Observer, Outcome, Predict, PredictProba, Prediction, Rows, Task,
};
use crate::model::{Container, Persist};

impl Estimator for AdaBoostClassifier {
    type Model = AdaBoostClassifierModel;
    const TASK: Task = Task::Classification;
    const ABOUT: &'static str = "weak classifiers in turn, each on what those before it got wrong";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("estimator", "the weak classifier; its parameters as estimator.NAME"),
        ("n_estimators", "rounds at most"),
        ("learning_rate", "shrinks every vote"),
        ("resample", "draws rows by their weights instead of weighting them"),
        ("seed", "decides what is drawn"),
    ];

    fn takes_categories(&self) -> bool {
        self.estimator.takes_categories()
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AdaBoostClassifierModel> {
        self.fit_with(x, target.labels()?, options)
    }
}

impl Estimator for AdaBoostRegressor {
    type Model = AdaBoostRegressorModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "weak regressors in turn, each on what those before it got wrong (AdaBoost.R2)";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("estimator", "the weak regressor; its parameters as estimator.NAME"),
        ("n_estimators", "rounds at most"),
        ("learning_rate", "shrinks the weight of every round"),
        ("loss", "linear, square or exponential in the error"),
        ("seed", "decides what is drawn"),
    ];

    fn takes_categories(&self) -> bool {
        self.estimator.takes_categories()
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<AdaBoostRegressorModel> {
        self.fit_with(x, target.values()?, options)
    }
}

impl Fitted for AdaBoostClassifierModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict(x)?))
    }

    fn chances(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn class_names(&self) -> &[String] {
        self.classes.names()
    }

    fn outcome(&self) -> Outcome {
        let losses = Losses { train: self.train_errors().to_vec(), validation: vec![] };
        Outcome { iterations: Some(self.members.len()), losses, ..Outcome::default() }
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}

impl Fitted for AdaBoostRegressorModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn outcome(&self) -> Outcome {
        Outcome { iterations: Some(self.members.len()), ..Outcome::default() }
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
