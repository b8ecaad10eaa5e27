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
    /// The mean over the classes of F1.
    F1Macro,
    /// −log of the probability given to the right class, on average; smaller is better.
    LogLoss,
    /// The area under the ROC curve, for two classes.
    RocAuc,
    /// The share of the variance that is explained, the mean over the outputs.
    R2,
    /// The root of the mean squared error, the mean over the outputs; smaller is better.
    Rmse,
    /// The mean absolute error, the mean over the outputs; smaller is better.
    Mae,
    /// Σ of squared distances to the nearest centres; smaller is better.
    Inertia,
    /// A score of your own: [`Scoring::custom`].
    #[serde(skip)]
    Custom(CustomScoring),
}

/// A score of your own, known by its name.
#[derive(Debug, Clone, Copy)]
pub struct CustomScoring {
    name: &'static str,
    greater_is_better: bool,
    score: fn(&Predictions, &Target) -> Result<f64>,
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
        score: fn(&Predictions, &Target) -> Result<f64>,
    ) -> Scoring {
        Scoring::Custom(CustomScoring { name, greater_is_better, score })
    }

    /// Every score of the crate, in the order in which they are shown.
    pub const ALL: [Scoring; 9] = [
        Scoring::Accuracy,
        Scoring::BalancedAccuracy,
        Scoring::F1Macro,
        Scoring::LogLoss,
        Scoring::RocAuc,
        Scoring::R2,
        Scoring::Rmse,
        Scoring::Mae,
        Scoring::Inertia,
    ];

    /// The name on the command line: `accuracy`, `balanced_accuracy`, ….
    pub fn name(self) -> &'static str {
        match self {
            Scoring::Accuracy => "accuracy",
            Scoring::BalancedAccuracy => "balanced_accuracy",
            Scoring::F1Macro => "f1_macro",
            Scoring::LogLoss => "log_loss",
            Scoring::RocAuc => "roc_auc",
            Scoring::R2 => "r2",
            Scoring::Rmse => "rmse",
            Scoring::Mae => "mae",
            Scoring::Inertia => "inertia",
            Scoring::Custom(custom) => custom.name,
        }
    }

    /// Whether a larger score is a better one.
    pub fn greater_is_better(self) -> bool {
        match self {
            Scoring::Custom(custom) => custom.greater_is_better,
            _ => !matches!(self, Scoring::LogLoss | Scoring::Rmse | Scoring::Mae | Scoring::Inertia),
        }
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

    /// Refuses a score of several rows where each fold has one: R² and the area under the ROC curve.
    pub fn check_folds(self, folds: &Folds) -> Result<()> {
        if !matches!((self, folds), (Scoring::R2 | Scoring::RocAuc, Folds::LeaveOneOut)) {
            return Ok(());
        }
        let others = if self == Scoring::R2 { "rmse or mae" } else { "accuracy or log_loss" };
        Err(Error::param("scoring", format!("one that a single row has, with folds of one row: {others}"), self.name()))
    }

    /// The task whose models have this score; classification for one of your own, which decides itself.
    pub fn task(self) -> Task {
        match self {
            Scoring::R2 | Scoring::Rmse | Scoring::Mae => Task::Regression,
            Scoring::Inertia => Task::Clustering,
            _ => Task::Classification,
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
    classes: Vec<String>,
    inertia: Option<f64>,
}

impl Predictions {
    /// Those of a model for the rows of `x`, in one pass; with the inertia, where that is wanted and the model has it.
    pub fn of_model(model: &dyn Model, x: Rows<'_>, with_inertia: bool) -> Result<Predictions> {
        let (prediction, probabilities) = model.predict_both_rows(x, &mut |_: &Report| Flow::Continue)?;
        let inertia = if with_inertia { model.inertia_rows(x)? } else { None };
        Ok(Predictions { prediction, probabilities, classes: model.classes().to_vec(), inertia })
    }

    /// Predictions, and the classes of the model in the order of the probabilities' columns.
    pub fn of(prediction: Prediction, probabilities: Option<Matrix>, classes: Vec<String>) -> Predictions {
        Predictions { prediction, probabilities, classes, inertia: None }
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
            Scoring::LogLoss => metrics::log_loss(&self.known(scoring, truth)?, probabilities()?),
            _ => {
                let probabilities = probabilities()?;
                if probabilities.columns() != 2 {
                    return Err(unsuited(scoring, &format!("{} classes; it is for two", probabilities.columns())));
                }
                let second: Vec<f32> = (0..probabilities.rows()).map(|row| probabilities.get(row, 1)).collect();
                metrics::roc_auc(&self.known(scoring, truth)?, &second)
            }
        }
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
    let column = |x: &Matrix, at: usize| (0..x.rows()).map(|row| x.get(row, at)).collect::<Vec<f32>>();
    let error = |at: usize| match scoring {
        Scoring::Rmse => metrics::root_mean_squared_error(&column(truth, at), &column(predicted, at)),
        _ => metrics::mean_absolute_error(&column(truth, at), &column(predicted, at)),
    };
    let errors: Vec<f64> = (0..truth.columns()).map(error).collect::<Result<_>>()?;
    Ok(super::stats::mean(&errors))
}

fn unsuited(scoring: Scoring, what: &str) -> Error {
    Error::param("scoring", "one that suits the model", format!("{scoring} for {what}"))
}
