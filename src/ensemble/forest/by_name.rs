//! Forests by name: what the registry knows of them.

use super::{ExtraTreesClassifier, ExtraTreesClassifierModel, ExtraTreesRegressor, ExtraTreesRegressorModel};
use super::{RandomForestClassifier, RandomForestClassifierModel, RandomForestRegressor, RandomForestRegressorModel};
use crate::array::Matrix;
use crate::data::Target;
use crate::error::Result;
use crate::estimator::{Estimator, Fit, Fitted, Observer, Outcome, Predict, PredictProba, Prediction, Rows, Task};
use crate::model::{Container, Persist};

const CLASSIFIER: &[(&str, &str)] = &[
    ("n_estimators", "number of trees"),
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
    ("bootstrap", "whether each tree learns from rows drawn with replacement"),
    ("max_samples", "the share of the rows that is drawn; null: all"),
    ("oob_score", "whether rows are scored by the trees that did not draw them"),
    ("seed", "decides what is drawn"),
];

const REGRESSOR: &[(&str, &str)] = &[
    ("n_estimators", "number of trees"),
    ("criterion", "squared_error or absolute_error"),
    ("max_depth", "divisions on the way to a leaf at most; null: no limit"),
    ("max_leaf_nodes", "leaves at most, the best first; null: no limit"),
    ("min_samples_split", "rows of a node that is divided, at least"),
    ("min_samples_leaf", "rows of a leaf, at least"),
    ("min_impurity_decrease", "the least weighted decrease of the impurity by a split"),
    ("ccp_alpha", "prunes divisions that lessen the impurity by no more than this for each leaf"),
    ("max_features", "features each split looks at: null (all), sqrt, log2, a number, or a share"),
    ("max_bins", "bins of a feature, 2 to 255; null: exact, at every value"),
    ("bootstrap", "whether each tree learns from rows drawn with replacement"),
    ("max_samples", "the share of the rows that is drawn; null: all"),
    ("oob_score", "whether rows are scored by the trees that did not draw them"),
    ("seed", "decides what is drawn"),
];

impl Estimator for RandomForestClassifier {
    type Model = RandomForestClassifierModel;
    const TASK: Task = Task::Classification;
    const ABOUT: &'static str = "many trees of random rows and features; the mean of their chances";
    const PARAMETERS: &'static [(&'static str, &'static str)] = CLASSIFIER;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<RandomForestClassifierModel> {
        self.fit_with(x, target.labels()?, options)
    }
}

impl Fitted for RandomForestClassifierModel {
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
        Outcome { importances: Some(self.feature_importances()), oob_score: self.oob_score(), ..Outcome::default() }
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}

impl Estimator for RandomForestRegressor {
    type Model = RandomForestRegressorModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "many trees of random rows and features; their mean";
    const PARAMETERS: &'static [(&'static str, &'static str)] = REGRESSOR;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<RandomForestRegressorModel> {
        self.fit_with(x, target.values()?, options)
    }
}

impl Fitted for RandomForestRegressorModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn outcome(&self) -> Outcome {
        Outcome { importances: Some(self.feature_importances()), oob_score: self.oob_score(), ..Outcome::default() }
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}

impl Estimator for ExtraTreesClassifier {
    type Model = ExtraTreesClassifierModel;
    const TASK: Task = Task::Classification;
    const ABOUT: &'static str = "many trees of random features and thresholds; the mean of their chances";
    const PARAMETERS: &'static [(&'static str, &'static str)] = CLASSIFIER;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<ExtraTreesClassifierModel> {
        self.fit_with(x, target.labels()?, options)
    }
}

impl Fitted for ExtraTreesClassifierModel {
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
        Outcome { importances: Some(self.feature_importances()), oob_score: self.oob_score(), ..Outcome::default() }
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}

impl Estimator for ExtraTreesRegressor {
    type Model = ExtraTreesRegressorModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "many trees of random features and thresholds; their mean";
    const PARAMETERS: &'static [(&'static str, &'static str)] = REGRESSOR;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<ExtraTreesRegressorModel> {
        self.fit_with(x, target.values()?, options)
    }
}

impl Fitted for ExtraTreesRegressorModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn outcome(&self) -> Outcome {
        Outcome { importances: Some(self.feature_importances()), oob_score: self.oob_score(), ..Outcome::default() }
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
