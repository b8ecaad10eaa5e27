//! Trees by name: what the registry knows of them.

use super::{DecisionTreeClassifier, DecisionTreeClassifierModel, DecisionTreeRegressor, DecisionTreeRegressorModel};
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, FitReport, Model, Observer, PictureInput, Predict, PredictProba, Prediction, Rows, Task,
};
use crate::plot::Figure;

const CLASSIFIER: &[crate::estimator::Parameter] = &[
    crate::estimator::Parameter { name: "criterion", help: "gini, entropy or misclassification" },
    crate::estimator::Parameter { name: "max_depth", help: "divisions on the way to a leaf at most; null: no limit" },
    crate::estimator::Parameter { name: "max_leaf_nodes", help: "leaves at most, the best first; null: no limit" },
    crate::estimator::Parameter { name: "min_samples_split", help: "rows of a node that is divided, at least" },
    crate::estimator::Parameter { name: "min_samples_leaf", help: "rows of a leaf, at least" },
    crate::estimator::Parameter {
        name: "min_impurity_decrease",
        help: "the least weighted decrease of the impurity by a split",
    },
    crate::estimator::Parameter {
        name: "ccp_alpha",
        help: "prunes divisions that lessen the impurity by no more than this for each leaf",
    },
    crate::estimator::Parameter {
        name: "max_features",
        help: "features each split looks at: null (all), sqrt, log2, a number, or a share",
    },
    crate::estimator::Parameter { name: "max_bins", help: "bins of a feature, 2 to 255; null: exact, at every value" },
    crate::estimator::Parameter { name: "class_weight", help: "null, balanced, or an object of weights by class" },
    crate::estimator::Parameter { name: "seed", help: "decides which features are drawn" },
];

const REGRESSOR: &[crate::estimator::Parameter] = &[
    crate::estimator::Parameter { name: "criterion", help: "squared_error or absolute_error" },
    crate::estimator::Parameter { name: "max_depth", help: "divisions on the way to a leaf at most; null: no limit" },
    crate::estimator::Parameter { name: "max_leaf_nodes", help: "leaves at most, the best first; null: no limit" },
    crate::estimator::Parameter { name: "min_samples_split", help: "rows of a node that is divided, at least" },
    crate::estimator::Parameter { name: "min_samples_leaf", help: "rows of a leaf, at least" },
    crate::estimator::Parameter {
        name: "min_impurity_decrease",
        help: "the least weighted decrease of the impurity by a split",
    },
    crate::estimator::Parameter {
        name: "ccp_alpha",
        help: "prunes divisions that lessen the impurity by no more than this for each leaf",
    },
    crate::estimator::Parameter {
        name: "max_features",
        help: "features each split looks at: null (all), sqrt, log2, a number, or a share",
    },
    crate::estimator::Parameter { name: "max_bins", help: "bins of a feature, 2 to 255; null: exact, at every value" },
    crate::estimator::Parameter { name: "seed", help: "decides which features are drawn" },
];

impl crate::estimator::Parameters for DecisionTreeClassifier {
    type Model = DecisionTreeClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "decision-tree-classifier";
    const ABOUT: &'static str = "one tree of questions that ends in a class";
    const PARAMETERS: &'static [crate::estimator::Parameter] = CLASSIFIER;
    const TASK: Task = Task::Classification;
}

impl Estimator for DecisionTreeClassifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<DecisionTreeClassifierModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for DecisionTreeClassifierModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict(x)?))
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.predict_proba(x).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes()
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_row("importances", self.feature_importances())
    }

    fn text(&self, columns: &crate::estimator::InputColumns) -> Option<String> {
        let names = self.column_names().unwrap_or(&columns.names);
        Some(super::model::of_classes(self.tree(), Some(names), &columns.categories, self.classes()))
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        super::pictures::classifier_figures(self, input)
    }
}

impl crate::estimator::Parameters for DecisionTreeRegressor {
    type Model = DecisionTreeRegressorModel;
    type Target<'a> = crate::estimator::Targets<'a>;
    const NAME: &'static str = "decision-tree-regressor";
    const ABOUT: &'static str = "one tree of questions that ends in a number";
    const PARAMETERS: &'static [crate::estimator::Parameter] = REGRESSOR;
    const TASK: Task = Task::Regression;
}

impl Estimator for DecisionTreeRegressor {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<DecisionTreeRegressorModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for DecisionTreeRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_row("importances", self.feature_importances())
    }

    fn text(&self, columns: &crate::estimator::InputColumns) -> Option<String> {
        Some(super::model::draw(self.tree(), Some(self.column_names().unwrap_or(&columns.names)), &columns.categories))
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        super::pictures::regressor_figures(self, input)
    }
}
