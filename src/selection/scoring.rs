//! The scores by which fitted models are compared.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::data::{Labels, Target, nearest_name};
use crate::error::{Error, Result};
use crate::estimator::{Flow, Model, Prediction, Report, Rows, Task};
use crate::metrics::{self, Average};
use crate::splits::Folds;

/// A score of a fitted model on rows whose target is known.
///
/// ```
/// use gristmill::selection::Scoring;
/// assert_eq!("f1_macro".parse::<Scoring>()?, Scoring::F1Macro);
/// assert!(!Scoring::Rmse.greater_is_better());
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// The share of rows whose class is right.
    Accuracy,
    /// The mean over the classes of the share that is right.
    BalancedAccuracy,
    /// The F1 of the second of two classes.
    F1,
    /// The mean over the classes of F1.
    F1Macro,
    /// Matthews' correlation of target and prediction, from −1 to 1.
    Matthews,
    /// −log of the probability given to the right class, on average; smaller is better.
    LogLoss,
    /// The mean squared distance of the probabilities from zeros and a one; smaller is better.
    Brier,
    /// The area under the ROC curve, for two classes.
    RocAuc,
    /// The mean over the classes of the area under the ROC curve of each against the others.
    RocAucOvr,
    /// The area under the steps of precision over recall, for two classes.
    AveragePrecision,
    /// The share of the variance that is explained, the mean over the outputs.
    R2,
    /// The root of the mean squared error, the mean over the outputs; smaller is better.
    Rmse,
    /// The mean absolute error, the mean over the outputs; smaller is better.
    Mae,
    /// The median absolute error, the mean over the outputs; smaller is better.
    MedianError,
    /// The mean absolute error as a share of the target, the mean over the outputs; smaller is better.
    Mape,
    /// Σ of squared distances to the nearest centres; smaller is better.
    Inertia,
    /// A score of your own: [`Scoring::custom`].
    #[serde(skip)]
    Custom(CustomScoring),
}

/// A score, its name, how a table shows it, the task whose models have it, and whether more is better.
type Entry = (Scoring, &'static str, &'static str, Task, bool);

/// Every score, in the order in which they are shown.
const TABLE: &[Entry] = &[
    (Scoring::Accuracy, "accuracy", "accuracy", Task::Classification, true),
    (Scoring::BalancedAccuracy, "balanced_accuracy", "balanced accuracy", Task::Classification, true),
    (Scoring::F1, "f1", "F1", Task::Classification, true),
    (Scoring::F1Macro, "f1_macro", "F1 (macro)", Task::Classification, true),
    (Scoring::Matthews, "matthews", "Matthews", Task::Classification, true),
    (Scoring::LogLoss, "log_loss", "log loss", Task::Classification, false),
    (Scoring::Brier, "brier", "Brier", Task::Classification, false),
    (Scoring::RocAuc, "roc_auc", "ROC AUC", Task::Classification, true),
    (Scoring::RocAucOvr, "roc_auc_ovr", "ROC AUC (one against rest)", Task::Classification, true),
    (Scoring::AveragePrecision, "average_precision", "average precision", Task::Classification, true),
    (Scoring::R2, "r2", "R²", Task::Regression, true),
    (Scoring::Rmse, "rmse", "RMSE", Task::Regression, false),
    (Scoring::Mae, "mae", "MAE", Task::Regression, false),
    (Scoring::MedianError, "median_error", "median error", Task::Regression, false),
    (Scoring::Mape, "mape", "MAPE", Task::Regression, false),
    (Scoring::Inertia, "inertia", "inertia", Task::Clustering, false),
];

/// A score of your own, known by its name.
#[derive(Clone, Copy)]
pub struct CustomScoring {
    name: &'static str,
    greater_is_better: bool,
    score: &'static CustomScore,
}

/// What compares predictions with the target.
type CustomScore = dyn Fn(&Predictions, &Target) -> Result<f64> + Send + Sync;

impl std::fmt::Debug for CustomScoring {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl PartialEq for CustomScoring {
    fn eq(&self, other: &CustomScoring) -> bool {
        (self.name, self.greater_is_better) == (other.name, other.greater_is_better)
    }
}

impl Eq for CustomScoring {}

impl std::hash::Hash for CustomScoring {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Scoring {
    /// A score of your own, for cross-validation and search: its name, whether a larger one is better, and the function
    /// that compares predictions with their target.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let largest_error = Scoring::custom("largest_error", false, |predictions, target| {
    ///     let (right, predicted) = (target.values()?.column(0), predictions.prediction.numbers()?.column(0));
    ///     Ok(right.iter().zip(&predicted).map(|(right, own)| f64::from((right - own).abs())).fold(0.0, f64::max))
    /// });
    /// let pipeline = Pipeline::new(Ridge::new(1.0));
    /// let options = CrossValidateOptions::default().scoring([largest_error, Scoring::R2]);
    /// let found = cross_validate_with(&pipeline, &datasets::diabetes()?, &Folds::k_fold(5), options)?;
    /// assert!(found.score().mean > 100.0);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn custom(
        name: &'static str,
        greater_is_better: bool,
        score: impl Fn(&Predictions, &Target) -> Result<f64> + Send + Sync + 'static,
    ) -> Scoring {
        // Scores are copied freely, so what one captures is kept until the program ends.
        Scoring::Custom(CustomScoring { name, greater_is_better, score: Box::leak(Box::new(score)) })
    }

    /// Every score of the crate, in the order in which they are shown.
    pub const ALL: [Scoring; TABLE.len()] = {
        let (mut all, mut at) = ([Scoring::Accuracy; TABLE.len()], 0);
        while at < TABLE.len() {
            all[at] = TABLE[at].0;
            at += 1;
        }
        all
    };

    /// The name on the command line: `accuracy`, `balanced_accuracy`, ….
    pub fn name(self) -> &'static str {
        match self {
            Scoring::Custom(custom) => custom.name,
            known => known.entry().1,
        }
    }

    /// The name as a table shows it: `F1 (macro)`, `R²`.
    pub fn label(self) -> &'static str {
        match self {
            Scoring::Custom(custom) => custom.name,
            known => known.entry().2,
        }
    }

    /// Whether a larger score is a better one.
    pub fn greater_is_better(self) -> bool {
        match self {
            Scoring::Custom(custom) => custom.greater_is_better,
            known => known.entry().4,
        }
    }

    fn entry(self) -> &'static Entry {
        TABLE.iter().find(|entry| entry.0 == self).unwrap_or(&TABLE[0])
    }

    /// The default score of a task; an error for tasks without one, such as outliers.
    pub fn of_task(task: Task) -> Result<Scoring> {
        match task {
            Task::Classification => Ok(Scoring::Accuracy),
            Task::Regression => Ok(Scoring::R2),
            Task::Clustering => Ok(Scoring::Inertia),
            Task::Outliers | Task::Density | Task::Transformation => {
                let model = match task {
                    Task::Outliers => "a detector of outliers",
                    Task::Density => "a density",
                    _ => "a transformer",
                };
                let rule = "given for a model with a target or clusters".to_string();
                Err(Error::param("scoring", rule, format!("{model}, whose predictions have no score")))
            }
        }
    }

    /// Refuses a score of several rows where each fold has one: R² and the areas under curves.
    pub fn check_folds(self, folds: &Folds) -> Result<()> {
        let areas = [Scoring::RocAuc, Scoring::RocAucOvr, Scoring::AveragePrecision];
        if *folds != Folds::LeaveOneOut || (self != Scoring::R2 && !areas.contains(&self)) {
            return Ok(());
        }
        let others = if self == Scoring::R2 { "rmse or mae" } else { "accuracy or log_loss" };
        Err(Error::param("scoring", format!("one that a single row has, with folds of one row: {others}"), self.name()))
    }

    /// The task whose models have this score; classification for one of your own, which decides itself.
    pub fn task(self) -> Task {
        match self {
            Scoring::Custom(_) => Task::Classification,
            known => known.entry().3,
        }
    }
}

impl std::fmt::Display for Scoring {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl std::str::FromStr for Scoring {
    type Err = Error;

    fn from_str(name: &str) -> Result<Scoring> {
        Scoring::ALL.into_iter().find(|scoring| scoring.name() == name).ok_or_else(|| {
            let names = || Scoring::ALL.iter().map(|scoring| scoring.name());
            let rule = match nearest_name(name, names()) {
                Some(near) => format!("a score (did you mean {near}?)"),
                None => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
            };
            Error::param("scoring", rule, format!("{name:?}"))
        })
    }
}

/// What a model predicted for rows, kept so that several scores are made of one prediction.
#[derive(Debug)]
pub struct Predictions {
    /// The prediction.
    pub prediction: Prediction,
    /// The probabilities, if the model gives them.
    pub probabilities: Option<Matrix>,
    /// The decision function of a model that gives no probabilities, n×1 or n×k.
    decision: Option<Matrix>,
    classes: Vec<String>,
    inertia: Option<f64>,
}

impl Predictions {
    /// Those of a model for the rows of `x`, in one pass; with the inertia, where that is wanted and the model has it.
    pub fn of_model(model: &dyn Model, x: Rows<'_>, with_inertia: bool) -> Result<Predictions> {
        let (prediction, probabilities) = model.predict_both_rows(x, &mut |_: &Report| Flow::Continue)?;
        let prediction = prediction.moved_back(model.target_shift())?;
        let inertia = if with_inertia { model.inertia_rows(x)? } else { None };
        let classes = model.classes().to_vec();
        let decision = if probabilities.is_none() && classes.len() == 2 { model.decision_rows(x)? } else { None };
        Ok(Predictions { prediction, probabilities, decision, classes, inertia })
    }

    /// Predictions, and the classes of the model in the order of the probabilities' columns.
    pub fn of(prediction: Prediction, probabilities: Option<Matrix>, classes: Vec<String>) -> Predictions {
        Predictions { prediction, probabilities, decision: None, classes, inertia: None }
    }

    /// One score against the target. A score that does not suit the model is an error.
    pub fn score(&self, scoring: Scoring, truth: &Target) -> Result<f64> {
        if let Scoring::Custom(custom) = scoring {
            return (custom.score)(self, truth);
        }
        match (&self.prediction, scoring.task()) {
            (Prediction::Classes(predicted), Task::Classification) => {
                self.score_classes(scoring, truth.labels()?, predicted)
            }
            (Prediction::Numbers(predicted), Task::Regression) => score_numbers(scoring, truth.values()?, predicted),
            (_, Task::Clustering) => self.inertia.ok_or_else(|| unsuited(scoring, "a model without centres")),
            (Prediction::Classes(_), _) => Err(unsuited(scoring, "a classifier")),
            (Prediction::Numbers(_), _) => Err(unsuited(scoring, "a regressor")),
            _ => Err(unsuited(scoring, "a model without a target")),
        }
    }

    /// Every score that the model and the target allow.
    pub fn scores(&self, truth: &Target) -> Vec<(Scoring, f64)> {
        Scoring::ALL
            .into_iter()
            .filter_map(|scoring| self.score(scoring, truth).ok().map(|score| (scoring, score)))
            .collect()
    }

    fn score_classes(&self, scoring: Scoring, truth: &Labels, predicted: &Labels) -> Result<f64> {
        let probabilities =
            || self.probabilities.as_ref().ok_or_else(|| unsuited(scoring, "a model that gives no probabilities"));
        match scoring {
            Scoring::Accuracy => metrics::accuracy(truth, predicted),
            Scoring::BalancedAccuracy => metrics::balanced_accuracy(truth, predicted),
            Scoring::F1Macro => metrics::f1(truth, predicted, Average::Macro),
            Scoring::Matthews => metrics::matthews_corrcoef(truth, predicted),
            Scoring::LogLoss => metrics::log_loss(&self.known(scoring, truth)?, probabilities()?),
            Scoring::Brier => metrics::brier_score(&self.known(scoring, truth)?, probabilities()?),
            Scoring::RocAucOvr => self.one_against_rest(&self.known(scoring, truth)?, probabilities()?),
            Scoring::F1 => {
                let scores = metrics::class_scores(&self.known(scoring, truth)?, predicted)?;
                let [_, second] = &self.classes[..] else {
                    return Err(unsuited(scoring, &format!("{} classes; it is for two", self.classes.len())));
                };
                Ok(scores.iter().find(|score| score.class == *second).map_or(0.0, |score| score.f1))
            }
            _ => {
                // Areas under curves go by the order alone: a decision function serves as well.
                let second = match &self.decision {
                    Some(decision) => decision.column(decision.columns() - 1),
                    None => {
                        let probabilities = probabilities()?;
                        if probabilities.columns() != 2 {
                            let got = format!("{} classes; it is for two", probabilities.columns());
                            return Err(unsuited(scoring, &got));
                        }
                        probabilities.column(1)
                    }
                };
                let truth = self.known(scoring, truth)?;
                match scoring {
                    Scoring::AveragePrecision => metrics::average_precision(&truth, &second),
                    _ => metrics::roc_auc(&truth, &second),
                }
            }
        }
    }

    /// The mean over the classes of the area under the ROC curve of each against the others; for two it is the area.
    fn one_against_rest(&self, truth: &Labels, probabilities: &Matrix) -> Result<f64> {
        let area = |class: usize| {
            let codes = truth.codes().iter().map(|code| u32::from(*code as usize == class)).collect();
            let own = Labels::from_codes(codes, vec!["rest".to_string(), "class".to_string()])?;
            metrics::roc_auc(&own, &probabilities.column(class))
        };
        let areas: Vec<f64> = (0..probabilities.columns()).map(area).collect::<Result<_>>()?;
        Ok(super::stats::mean(&areas))
    }

    /// The target in the codes of the model.
    fn known(&self, scoring: Scoring, truth: &Labels) -> Result<Labels> {
        if truth.names() == self.classes {
            return Ok(truth.clone());
        }
        let code_of = |name: &String| self.classes.iter().position(|class| class == name).map(|code| code as u32);
        let codes: Vec<Option<u32>> = truth.names().iter().map(code_of).collect();
        let code = |own: &u32| {
            codes[*own as usize].ok_or_else(|| {
                unsuited(scoring, &format!("class {:?}, which was not fitted", truth.names()[*own as usize]))
            })
        };
        Labels::from_codes(truth.codes().iter().map(code).collect::<Result<_>>()?, self.classes.clone())
    }
}

fn score_numbers(scoring: Scoring, truth: &Matrix, predicted: &Matrix) -> Result<f64> {
    if scoring == Scoring::R2 {
        return metrics::r2_score_columns(truth, predicted);
    }
    if (truth.rows(), truth.columns()) != (predicted.rows(), predicted.columns()) {
        let expected = format!("targets of {}×{}", predicted.rows(), predicted.columns());
        return Err(Error::shape("score", expected, format!("{}×{}", truth.rows(), truth.columns())));
    }
    // Errors are differences, so that both may be counted from where f32 is fine.
    let exact = !truth.exact().is_empty() || !predicted.exact().is_empty();
    let origin = |at: usize| if exact { truth.get_f64(0, at) } else { 0.0 };
    let share = |row: usize, at: usize| {
        let right = truth.get_f64(row, at);
        (predicted.get_f64(row, at) - right).abs() / right.abs()
    };
    let shares = |at: usize| (0..truth.rows()).map(|row| share(row, at)).sum::<f64>() / truth.rows() as f64;
    let column = |x: &Matrix, at: usize| {
        let from = if x.rows() == 0 { 0.0 } else { origin(at) };
        (0..x.rows()).map(|row| (x.get_f64(row, at) - from) as f32).collect::<Vec<f32>>()
    };
    let error = |at: usize| match scoring {
        Scoring::Mape if exact && shares(at).is_finite() => Ok(shares(at)),
        Scoring::Rmse => metrics::root_mean_squared_error(&column(truth, at), &column(predicted, at)),
        Scoring::MedianError => metrics::median_absolute_error(&column(truth, at), &column(predicted, at)),
        Scoring::Mape => metrics::mean_absolute_percentage_error(&column(truth, at), &column(predicted, at)),
        _ => metrics::mean_absolute_error(&column(truth, at), &column(predicted, at)),
    };
    let errors: Vec<f64> = (0..truth.columns()).map(error).collect::<Result<_>>()?;
    Ok(super::stats::mean(&errors))
}

fn unsuited(scoring: Scoring, what: &str) -> Error {
    Error::param("scoring", "one that suits the model", format!("{scoring} for {what}"))
}
