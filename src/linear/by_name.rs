//! Linear models by name: what the registry knows of them.

use super::{LinearRegression, LinearRegressionModel, Ridge, RidgeModel};
use crate::data::Target;
use crate::error::Result;
use crate::estimator::{Estimator, Fit, Fitted, Observer, Predict, Prediction, Rows, Task};
use crate::model::{Container, Persist};

impl Estimator for LinearRegression {
    type Model = LinearRegressionModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "least squares: a weighted sum of the columns";
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[("fit_intercept", "whether a constant is added; without it the line goes through 0")];

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<LinearRegressionModel> {
        self.fit_with(x, target.values()?, options)
    }
}

impl Estimator for Ridge {
    type Model = RidgeModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "least squares with a penalty on large coefficients";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("alpha", "weight of the penalty, at least 0"),
        ("fit_intercept", "whether a constant is added; without it the line goes through 0"),
    ];

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<RidgeModel> {
        self.fit_with(x, target.values()?, options)
    }
}

impl Fitted for LinearRegressionModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn text(&self, columns: &[String]) -> Option<String> {
        Some(super::equation(self.coef(), self.intercept(), columns))
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}

impl Fitted for RidgeModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn text(&self, columns: &[String]) -> Option<String> {
        Some(super::equation(self.coef(), self.intercept(), columns))
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
