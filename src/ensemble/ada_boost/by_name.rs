//! AdaBoost by name: what the registry knows of it.

use super::{AdaBoostClassifier, AdaBoostClassifierModel, AdaBoostRegressor, AdaBoostRegressorModel};
use crate::array::Matrix;
use crate::ensemble::pictures;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, FitReport, Model, Observer, PictureInput, Predict, PredictProba, Prediction, Rows, Task,
};
use crate::plot::Figure;

impl crate::estimator::Parameters for AdaBoostClassifier {
    type Model = AdaBoostClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "ada-boost-classifier";
    const ABOUT: &'static str = "weak classifiers in turn, each on what those before it got wrong";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "estimator",
            help: "the weak classifier; its parameters as estimator.NAME",
        },
        crate::estimator::Parameter { name: "n_estimators", help: "rounds at most" },
        crate::estimator::Parameter { name: "learning_rate", help: "shrinks every vote" },
        crate::estimator::Parameter { name: "resample", help: "draws rows by their weights instead of weighting them" },
        crate::estimator::Parameter { name: "seed", help: "decides what is drawn" },
    ];
    const TASK: Task = Task::Classification;
}

impl Estimator for AdaBoostClassifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { categories: self.estimator.abilities().categories, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<AdaBoostClassifierModel> {
        self.fit_with(x, target, options)
    }
}

impl crate::estimator::Parameters for AdaBoostRegressor {
    type Model = AdaBoostRegressorModel;
    type Target<'a> = crate::estimator::Targets<'a>;
    const NAME: &'static str = "ada-boost-regressor";
    const ABOUT: &'static str = "weak regressors in turn, each on what those before it got wrong (AdaBoost.R2)";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter { name: "estimator", help: "the weak regressor; its parameters as estimator.NAME" },
        crate::estimator::Parameter { name: "n_estimators", help: "rounds at most" },
        crate::estimator::Parameter { name: "learning_rate", help: "shrinks the weight of every round" },
        crate::estimator::Parameter { name: "loss", help: "linear, square or exponential in the error" },
        crate::estimator::Parameter { name: "seed", help: "decides what is drawn" },
    ];
    const TASK: Task = Task::Regression;
}

impl Estimator for AdaBoostRegressor {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { categories: self.estimator.abilities().categories, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<AdaBoostRegressorModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for AdaBoostClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict(x)?))
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        FitReport::default().rounds(self.members.len(), None).with_curve("train_error", self.train_errors())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        pictures::ada_boost_figures(self, input)
    }
}

impl Model for AdaBoostRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn report(&self) -> FitReport {
        FitReport::default().rounds(self.members.len(), None)
    }
}
