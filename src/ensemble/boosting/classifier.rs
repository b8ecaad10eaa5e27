//! Boosted classes.

use rayon::prelude::*;

use super::loss::ClassificationLoss;
use super::model::{BoostingEstimator, BoostingModel};
use super::rounds::{BoostingProblem, boost, same_parameters};
use super::settings::{self, Growth, Settings};
use super::targets::BoostingTargets;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::reduce::argmax;
use crate::data::{Labels, Target};
use crate::ensemble::pictures;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Decision, Estimator, Fit, FitShape, Parameters, PictureInput, PredictProba, Queries, Rows,
    ValidationTarget, parameters, remember,
};
use crate::losses::{sigmoid, softmax_row};
use crate::metrics;
use crate::plot::Figure;
use crate::tree::{ClassWeight, check_classes, rows_to_learn};

const OP: &str = "GradientBoostingClassifier";

boosting_parameters! {
    /// Gradient boosting for classification: the logistic loss for two classes, the softmax loss for more, or
    /// AdaBoost's exponential loss for two. Names are scikit-learn's, defaults LightGBM's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0], [2.0], [3.0], [10.0], [f32::NAN], [12.0]])?;
    /// let y = Labels::from_names(&["low", "low", "low", "high", "high", "high"]);
    /// let model = GradientBoostingClassifier::default().n_estimators(20).min_samples_leaf(1).fit(&x, &y)?;
    /// assert_eq!(model.score(&x, &y)?, 1.0);
    /// let probabilities = model.predict_proba(&Matrix::from_rows(&[[2.5], [11.0]])?)?;
    /// assert!(probabilities.get(0, 1) > 0.8 && probabilities.get(1, 0) > 0.8); // columns: high, low
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - A fit costs about n·d operations for each level of each tree; 8-bit bins of the rows are kept beside them.
    /// - Columns that [`Matrix::with_categories`](crate::Matrix::with_categories) marked are split
    ///   by sets of categories; one that was not fitted is missing.
    /// - Missing values (NaN) are accepted. Rows of weight 0 are ignored. A class without rows gets next to no
    ///   probability.
    /// - If nothing can be split (constant features, too few rows), every row gets the classes' shares.
    /// - The same seed gives the same model bytes, for any number of threads.
    #[doc(alias = "HistGradientBoostingClassifier")]
    GradientBoostingClassifier: classifier("gradient-boosting-classifier") -> GradientBoostingClassifierModel;
    {
        /// The loss: log_loss, or exponential for two classes.
        loss: ClassificationLoss = ClassificationLoss::LogLoss;
        /// How much each class counts beside the sample weights: none (alike), balanced, or weights by class.
        class_weight: ClassWeight = ClassWeight::Uniform;
    }
}

impl Estimator for GradientBoostingClassifier {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let trees = if shape.outputs <= 2 { 1 } else { shape.outputs };
        Some(settings::cost(shape, trees * self.n_estimators, &Settings::from(self), true))
    }

    /// [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the fit with the trees it has.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<GradientBoostingClassifierModel> {
        self.learn(x, y, None, options)
    }
}

impl GradientBoostingClassifier {
    /// Goes on from a fitted model to `n_estimators` rounds in all: the same bytes as one fit of so many, on the same
    /// rows and with the same options, if nothing ended it before.
    ///
    /// The other parameters and the classes must be those of the model. Rows may be others, with the same columns
    /// marked as categorical; a category that the model does not know is then missing. Validation losses are those of
    /// the rows given now, for all rounds. The observer gets reports of the new rounds.
    pub fn fit_more<'a>(
        &self,
        model: &GradientBoostingClassifierModel,
        x: impl Into<Queries<'a>>,
        y: &Labels,
        options: Fit<'_>,
    ) -> Result<GradientBoostingClassifierModel> {
        let x = model.params.align(x)?;
        Ok(remember(x.rows(), self.learn(x.rows(), y, Some(model), options)?))
    }

    fn learn(
        &self,
        rows: Rows<'_>,
        y: &Labels,
        before: Option<&GradientBoostingClassifierModel>,
        options: Fit<'_>,
    ) -> Result<GradientBoostingClassifierModel> {
        self.check()?;
        let settings = Settings::from(self);
        if let Some(before) = before {
            let n_estimators = self.n_estimators;
            same_parameters(GradientBoostingClassifier { n_estimators, ..(*before.params).clone() } == *self)?;
            if before.classes() != y.names() {
                let (expected, got) =
                    (format!("the model's classes {:?}", before.classes()), format!("{:?}", y.names()));
                return Err(Error::shape(OP, expected, got));
            }
        }
        let (x, device) = rows_to_learn(OP, rows)?;
        check_classes(OP, &x, y)?;
        if y.classes() < 2 {
            return Err(Error::shape(OP, "at least two classes", y.classes()));
        }
        if self.monotonic_cst.is_some() && y.classes() > 2 {
            let rule = "none for more than two classes".to_string();
            return Err(Error::param("monotonic_cst", rule, format!("some for {}", y.classes())));
        }
        if self.loss == ClassificationLoss::Exponential && y.classes() != 2 {
            let rule = "log_loss for other than two classes".to_string();
            return Err(Error::param("loss", rule, format!("exponential and {} classes", y.classes())));
        }
        let weights = self.class_weight.row_weights(y, options.weights(OP, x.rows())?)?;
        let weights = weights.map(|weights| weights.into_iter().map(|weight| weight as f32).collect());
        let validation = options.validation_rows().map(|(x, target)| self.validation(y, x, target)).transpose()?;
        let (targets, groups) = (self.targets(y.codes().to_vec(), y.classes()), y.codes().to_vec());
        let before = before.map(|model| &model.boosted);
        let problem = BoostingProblem { x, device, targets, weights, groups, validation, before };
        let boosted = options.watched("gradient boosting", |watch| boost(problem, &settings, watch))?;
        let classes = y.with_codes(vec![])?;
        Ok(BoostingModel { params: self.clone().into(), boosted, classes, own_loss: false })
    }

    /// Two classes have one score, that of the second; more have one each.
    fn targets(&self, classes: Vec<u32>, count: usize) -> BoostingTargets<'static> {
        match count {
            2 => {
                let column = classes.into_iter().map(|class| class as f32).collect();
                BoostingTargets::Numbers { columns: vec![column], losses: vec![self.loss.pointwise()], alpha: 0.0 }
            }
            _ => BoostingTargets::Classes { classes, count },
        }
    }

    /// Validation rows with their classes in the codes of the fitted ones.
    fn validation(
        &self,
        y: &Labels,
        x: Rows<'_>,
        target: ValidationTarget<'_>,
    ) -> Result<(Matrix, BoostingTargets<'static>)> {
        let ValidationTarget::Classes(labels) = target else {
            return Err(Error::shape(OP, "classes of the validation rows", "numbers"));
        };
        let x = x.on_host()?;
        if labels.len() != x.rows() || x.rows() == 0 {
            let (expected, got) =
                ("a class for each validation row", format!("{} for {} rows", labels.len(), x.rows()));
            return Err(Error::shape(OP, expected.to_string(), got));
        }
        let code = |name: &String| y.names().iter().position(|known| known == name).map(|code| code as u32);
        let codes: Vec<Option<u32>> = labels.names().iter().map(code).collect();
        let unknown = |class: u32| {
            let (expected, name) =
                ("validation rows of the classes fitted".to_string(), &labels.names()[class as usize]);
            Error::shape(OP, expected, format!("the class {name:?}"))
        };
        let classes = labels.codes().iter().map(|class| codes[*class as usize].ok_or_else(|| unknown(*class)));
        Ok((x, self.targets(classes.collect::<Result<_>>()?, y.classes())))
    }
}

impl BoostingEstimator for GradientBoostingClassifier {
    type Output = Labels;

    /// The class with the largest score; equal ones go to the lowest.
    fn predictions(model: &GradientBoostingClassifierModel, scores: &[f64]) -> Result<Labels> {
        let winner = |scores: &[f64]| match scores {
            [score] => u32::from(*score > 0.0),
            scores => argmax(scores) as u32,
        };
        model.classes.with_codes(scores.chunks_exact(model.boosted.outputs()).map(winner).collect())
    }

    fn probabilities(model: &GradientBoostingClassifierModel, scores: &[f64]) -> Result<Option<Matrix>> {
        model.probabilities_of(scores).map(Some)
    }

    fn objective(model: &GradientBoostingClassifierModel) -> Option<String> {
        Some(match (model.params.loss, model.boosted.outputs()) {
            (ClassificationLoss::LogLoss, 1) => "binary sigmoid:1".to_string(),
            // LightGBM does not know the loss, but its probabilities: 1/(1 + e^−2·score).
            (ClassificationLoss::Exponential, _) => "binary sigmoid:2".to_string(),
            (ClassificationLoss::LogLoss, classes) => format!("multiclass num_class:{classes}"),
        })
    }

    fn check_outputs(&self, classes: &[String], outputs: usize) -> std::result::Result<(), String> {
        let expected = if classes.len() == 2 { 1 } else { classes.len() };
        if self.loss == ClassificationLoss::Exponential && expected > 1 {
            return Err(format!("the exponential loss for {} classes", classes.len()));
        }
        match classes.len() < 2 || outputs != expected {
            true => Err(format!("{outputs} outputs for {} classes", classes.len())),
            false => Ok(()),
        }
    }

    fn figures(model: &GradientBoostingClassifierModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let (loss, half) = match model.params.loss {
            ClassificationLoss::LogLoss => ("log loss", ""),
            ClassificationLoss::Exponential => ("exponential", "half "),
        };
        let wrong = |target: &Target, predicted: Labels| Ok(1.0 - metrics::accuracy(target.labels()?, &predicted)?);
        let explained = |class: &str| format!("{half}the log-odds of {class}");
        pictures::boosted_figures(model, input, loss, ("share wrong", wrong), explained)
    }
}

/// A fitted gradient boosting classifier.
pub type GradientBoostingClassifierModel = BoostingModel<GradientBoostingClassifier>;

impl BoostingModel<GradientBoostingClassifier> {
    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.classes.names()
    }

    /// The probabilities n×k after each round.
    pub fn staged_predict_proba<'a>(&self, x: impl Into<Queries<'a>>) -> Result<impl Iterator<Item = Result<Matrix>>> {
        Ok(self.staged_scores(self.params.align(x)?.rows())?.map(|scores| self.probabilities_of(&scores)))
    }

    fn probabilities_of(&self, scores: &[f64]) -> Result<Matrix> {
        let (classes, outputs) = (self.classes.classes(), self.boosted.outputs());
        let rows = scores.len() / outputs;
        let mut probabilities = Matrix::zeros(rows, classes)?;
        // The exponential loss takes a score for half the log-odds.
        let factor = if self.params.loss == ClassificationLoss::Exponential { 2.0 } else { 1.0 };
        let places = probabilities.as_mut_slice().par_chunks_exact_mut(classes).zip(scores.par_chunks_exact(outputs));
        places.with_min_len(1024).for_each(|(probabilities, scores)| match scores {
            [score] => {
                let score = factor * *score as f32;
                (probabilities[0], probabilities[1]) = (sigmoid(-score), sigmoid(score));
            }
            scores => {
                probabilities.iter_mut().zip(scores).for_each(|(probability, score)| *probability = *score as f32);
                softmax_row(probabilities);
            }
        });
        Ok(probabilities)
    }
}

impl PredictProba for GradientBoostingClassifierModel {}

impl Decision for GradientBoostingClassifierModel {}
