//! Fitted models whose kind is known only at run time: what the shell, pipelines and ensembles hold.

use serde::{Deserialize, Serialize};

use super::observer::Observer;
use super::rows::Rows;
use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::error::Result;
use crate::model::Container;

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Classes from features.
    Classification,
    /// Numbers from features.
    Regression,
    /// Groups of rows, without a target.
    Clustering,
    /// Rows unlike the others, without a target.
    Outliers,
}

impl Task {
    /// Whether a model of this task learns from a target.
    pub fn needs_target(self) -> bool {
        matches!(self, Task::Classification | Task::Regression)
    }

    /// The part of a target that a model of this task learns, or the reason why it cannot.
    pub fn check(self, target: &Target) -> Result<()> {
        match self {
            Task::Classification => target.labels().map(drop),
            Task::Regression => target.values().map(drop),
            Task::Clustering | Task::Outliers => Ok(()),
        }
    }
}

/// What a model says of each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Prediction {
    /// A class each.
    Classes(Labels),
    /// p numbers each, n×p.
    Numbers(Matrix),
    /// The number of a cluster each.
    Clusters(Vec<u32>),
    /// 1 for a row like the others, −1 for an outlier.
    Outliers(Vec<i32>),
}

impl Prediction {
    /// Number of rows, n.
    pub fn len(&self) -> usize {
        match self {
            Prediction::Classes(labels) => labels.len(),
            Prediction::Numbers(numbers) => numbers.rows(),
            Prediction::Clusters(clusters) => clusters.len(),
            Prediction::Outliers(outliers) => outliers.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a fit can tell of itself; what a model does not have is absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// Iterations or rounds.
    pub iterations: Option<usize>,
    /// Whether it ended by itself.
    pub converged: Option<bool>,
    /// The score of each row by the members that did not draw it: accuracy, or R².
    pub oob_score: Option<f64>,
    /// Σ of squared distances to the centres.
    pub inertia: Option<f64>,
    /// The loss after each round on the fitted rows, and on the validation rows if there were any.
    pub losses: Losses,
    /// How much each column matters; they sum to 1.
    pub importances: Option<Vec<f64>>,
    /// What the fit said of the rows it was given.
    pub fitted: Option<Prediction>,
    /// The centres of the clusters, k×d.
    pub centers: Option<Matrix>,
}

/// The loss after each round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Losses {
    /// On the fitted rows.
    pub train: Vec<f64>,
    /// On the validation rows.
    pub validation: Vec<f64>,
}

/// A fitted model behind one type. The names differ from those of [`Predict`](super::Predict) and
/// [`Persist`](crate::model::Persist), which every model has too.
pub trait Fitted: std::fmt::Debug + Send + Sync {
    /// What the model says of each row of `x`, computed where `x` lives and told to `observer`.
    fn predict_any(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction>;

    /// The chance of each class for each row of `x`, n×k; nothing for a model that gives none.
    fn chances(&self, _x: Rows<'_>) -> Result<Option<Matrix>> {
        Ok(None)
    }

    /// What each column adds to each row's prediction (Shapley values): a matrix n×(d + 1) for each output, with what is
    /// expected of any row in the last column; nothing for a model that cannot tell.
    fn contributions(&self, _x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        Ok(None)
    }

    /// The model in LightGBM's text format, for boosted trees; `columns` are the names of its features.
    fn lightgbm_text(&self, _columns: &[String]) -> Option<String> {
        None
    }

    /// The rows that the model sees of the rows of `x`: the same, except behind the steps of a pipeline.
    fn seen(&self, x: Rows<'_>) -> Result<Matrix> {
        x.on_host()
    }

    /// The classes by code; none for a model that is no classifier.
    fn class_names(&self) -> &[String] {
        &[]
    }

    /// What the fit can tell of itself.
    fn outcome(&self) -> Outcome {
        Outcome::default()
    }

    /// The model as text, for one that people can read.
    fn text(&self, _columns: &[String]) -> Option<String> {
        None
    }

    /// The same with the names of the levels of categorical columns, by code, for one that shows them.
    fn text_with_levels(&self, columns: &[String], _levels: &[Option<Vec<String>>]) -> Option<String> {
        self.text(columns)
    }

    /// The model in a container of its kind.
    fn container(&self) -> Result<Container>;
}
