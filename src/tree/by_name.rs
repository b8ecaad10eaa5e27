//! Trees by name: what the registry knows of them.

use super::{DecisionTreeClassifier, DecisionTreeClassifierModel, DecisionTreeRegressor, DecisionTreeRegressorModel};
use crate::array::Matrix;
use crate::data::Target;
use crate::error::Result;
use crate::estimator::{Estimator, Fit, Fitted, Observer, Outcome, Predict, PredictProba, Prediction, Rows, Task};
use crate::model::{Container, Persist};

const CLASSIFIER: &[(&str, &str)] = &[
    ("criterion", "gini, entropy or misclassification"),
    ("max_depth", "divisions on the way to a leaf at most; null: no limit"),
    ("max_leaf_nodes", "leaves at most, the best first; null: no limit"),
    ("min_samples_split", "rows of a node that is divided, at least"),
    ("min_samples_leaf", "rows of a leaf, at least"),
    ("min_impurity_decrease", "the least weighted decrease of the impurity by a split"),
    ("ccp_alpha", "prunes divisions that lessen the impurity by no more than this for each leaf"),
    ("max_features", "features each split looks at: null (all), sqrt, log2, a number, or a share"),
    ("max_bins", "bins of a feature, 2 to 255; null: exact, at every value"),
    ("class_weight", "null, balanced, or an object of weights by class"),
    ("seed", "decides which features are drawn"),
];

const REGRESSOR: &[(&str, &str)] = &[
    ("criterion", "squared_error or absolute_error"),
    ("max_depth", "divisions on the way to a leaf at most; null: no limit"),
    ("max_leaf_nodes", "leaves at most, the best first; null: no limit"),
    ("min_samples_split", "rows of a node that is divided, at least"),
    ("min_samples_leaf", "rows of a leaf, at least"),
    ("min_impurity_decrease", "the least weighted decrease of the impurity by a split"),
    ("ccp_alpha", "prunes divisions that lessen the impurity by no more than this for each leaf"),
    ("max_features", "features each split looks at: null (all), sqrt, log2, a number, or a share"),
    ("max_bins", "bins of a feature, 2 to 255; null: exact, at every value"),
    ("seed", "decides which features are drawn"),
];

impl Estimator for DecisionTreeClassifier {
    type Model = DecisionTreeClassifierModel;
    const TASK: Task = Task::Classification;
    const ABOUT: &'static str = "one tree of questions that ends in a class";
    const PARAMETERS: &'static [(&'static str, &'static str)] = CLASSIFIER;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<DecisionTreeClassifierModel> {
        self.fit_with(x, target.labels()?, options)
    }
}

impl Fitted for DecisionTreeClassifierModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict(x)?))
    }

    fn chances(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn class_names(&self) -> &[String] {
        self.classes()
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn outcome(&self) -> Outcome {
        Outcome { importances: Some(self.feature_importances()), ..Outcome::default() }
    }

    fn text(&self, columns: &[String]) -> Option<String> {
        self.text_with_levels(columns, &[])
    }

    fn text_with_levels(&self, columns: &[String], levels: &[Option<Vec<String>>]) -> Option<String> {
        let names = self.column_names().unwrap_or(columns);
        Some(super::text::of_classes(self.tree(), Some(names), levels, self.classes()))
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}

impl Estimator for DecisionTreeRegressor {
    type Model = DecisionTreeRegressorModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "one tree of questions that ends in a number";
    const PARAMETERS: &'static [(&'static str, &'static str)] = REGRESSOR;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<DecisionTreeRegressorModel> {
        self.fit_with(x, target.values()?, options)
    }
}

impl Fitted for DecisionTreeRegressorModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn outcome(&self) -> Outcome {
        Outcome { importances: Some(self.feature_importances()), ..Outcome::default() }
    }

    fn text(&self, columns: &[String]) -> Option<String> {
        self.text_with_levels(columns, &[])
    }

    fn text_with_levels(&self, columns: &[String], levels: &[Option<Vec<String>>]) -> Option<String> {
        Some(super::text::draw(self.tree(), Some(self.column_names().unwrap_or(columns)), levels))
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
