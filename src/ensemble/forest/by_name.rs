//! Forests by name: what the registry knows of them.

use super::{ExtraTreesClassifier, ExtraTreesClassifierModel, ExtraTreesRegressor, ExtraTreesRegressorModel};
use super::{RandomForestClassifier, RandomForestClassifierModel, RandomForestRegressor, RandomForestRegressorModel};
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{
    Estimator, Fit, FitReport, Model, Observer, PictureInput, Predict, PredictProba, Prediction, Rows, Task,
};
use crate::plot::Figure;
use crate::tree::pictures;

const CLASSIFIER: &[crate::estimator::Parameter] = &[
    crate::estimator::Parameter { name: "n_estimators", help: "number of trees" },
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
    crate::estimator::Parameter {
        name: "bootstrap",
        help: "whether each tree learns from rows drawn with replacement",
    },
    crate::estimator::Parameter { name: "max_samples", help: "the share of the rows that is drawn; null: all" },
    crate::estimator::Parameter {
        name: "oob_score",
        help: "whether rows are scored by the trees that did not draw them",
    },
    crate::estimator::Parameter { name: "seed", help: "decides what is drawn" },
];

const REGRESSOR: &[crate::estimator::Parameter] = &[
    crate::estimator::Parameter { name: "n_estimators", help: "number of trees" },
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
    crate::estimator::Parameter {
        name: "bootstrap",
        help: "whether each tree learns from rows drawn with replacement",
    },
    crate::estimator::Parameter { name: "max_samples", help: "the share of the rows that is drawn; null: all" },
    crate::estimator::Parameter {
        name: "oob_score",
        help: "whether rows are scored by the trees that did not draw them",
    },
    crate::estimator::Parameter { name: "seed", help: "decides what is drawn" },
];

impl crate::estimator::Parameters for RandomForestClassifier {
    type Model = RandomForestClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "random-forest-classifier";
    const ABOUT: &'static str = "many trees of random rows and features; the mean of their chances";
    const PARAMETERS: &'static [crate::estimator::Parameter] = CLASSIFIER;
    const TASK: Task = Task::Classification;
}

impl Estimator for RandomForestClassifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<RandomForestClassifierModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for RandomForestClassifierModel {
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
        FitReport::default()
            .with_number("oob_score", self.oob_score())
            .with_row("importances", self.feature_importances())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let figure = pictures::probability_figure(input, self.classes(), |x| self.shapley_values(x))?;
        Ok(figure.into_iter().collect())
    }
}

impl crate::estimator::Parameters for RandomForestRegressor {
    type Model = RandomForestRegressorModel;
    type Target<'a> = crate::estimator::Targets<'a>;
    const NAME: &'static str = "random-forest-regressor";
    const ABOUT: &'static str = "many trees of random rows and features; their mean";
    const PARAMETERS: &'static [crate::estimator::Parameter] = REGRESSOR;
    const TASK: Task = Task::Regression;
}

impl Estimator for RandomForestRegressor {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<RandomForestRegressorModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for RandomForestRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        FitReport::default()
            .with_number("oob_score", self.oob_score())
            .with_row("importances", self.feature_importances())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let figure = pictures::shapley_figure(input, &[], str::to_string, |x| self.shapley_values(x))?;
        Ok(figure.into_iter().collect())
    }
}

impl crate::estimator::Parameters for ExtraTreesClassifier {
    type Model = ExtraTreesClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "extra-trees-classifier";
    const ABOUT: &'static str = "many trees of random features and thresholds; the mean of their chances";
    const PARAMETERS: &'static [crate::estimator::Parameter] = CLASSIFIER;
    const TASK: Task = Task::Classification;
}

impl Estimator for ExtraTreesClassifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<ExtraTreesClassifierModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for ExtraTreesClassifierModel {
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
        FitReport::default()
            .with_number("oob_score", self.oob_score())
            .with_row("importances", self.feature_importances())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let figure = pictures::probability_figure(input, self.classes(), |x| self.shapley_values(x))?;
        Ok(figure.into_iter().collect())
    }
}

impl crate::estimator::Parameters for ExtraTreesRegressor {
    type Model = ExtraTreesRegressorModel;
    type Target<'a> = crate::estimator::Targets<'a>;
    const NAME: &'static str = "extra-trees-regressor";
    const ABOUT: &'static str = "many trees of random features and thresholds; their mean";
    const PARAMETERS: &'static [crate::estimator::Parameter] = REGRESSOR;
    const TASK: Task = Task::Regression;
}

impl Estimator for ExtraTreesRegressor {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<ExtraTreesRegressorModel> {
        self.fit_with(x, target, options)
    }
}

impl Model for ExtraTreesRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        FitReport::default()
            .with_number("oob_score", self.oob_score())
            .with_row("importances", self.feature_importances())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let figure = pictures::shapley_figure(input, &[], str::to_string, |x| self.shapley_values(x))?;
        Ok(figure.into_iter().collect())
    }
}
