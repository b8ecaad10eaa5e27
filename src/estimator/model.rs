//! What a fitted model is.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::observer::Observer;
use super::pictures::PictureInput;
use super::report::FitReport;
use super::rows::{OwnedRows, Rows};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::model_file::{Container, FittedColumns, Persist, TargetShift};
use crate::plot::Figure;

/// What a model predicts for rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Prediction {
    /// One class for each row.
    Classes(Labels),
    /// p numbers for each row, n×p.
    Numbers(Matrix),
    /// The number of the cluster of each row.
    Clusters(Vec<u32>),
    /// 1 for an inlier, −1 for an outlier.
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

    /// What it is, and the method that gives it.
    fn what(&self) -> &'static str {
        match self {
            Prediction::Classes(_) => "classes: use classes()",
            Prediction::Numbers(_) => "numbers: use numbers()",
            Prediction::Clusters(_) => "numbers of clusters: use clusters()",
            Prediction::Outliers(_) => "outliers: use outliers()",
        }
    }

    /// Numbers with what their targets were moved by.
    pub(crate) fn moved_back(self, shift: Option<&TargetShift>) -> Result<Prediction> {
        match (self, shift) {
            (Prediction::Numbers(numbers), Some(shift)) => Ok(Prediction::Numbers(shift.add_to(numbers)?)),
            (other, _) => Ok(other),
        }
    }
}

/// Each kind of prediction by a method, which is an error for the others.
macro_rules! kinds_of_prediction {
    ($($method:ident, $variant:ident: $type:ty, $what:literal;)*) => {
        impl Prediction {
            $(
                #[doc = concat!("The ", $what, "; an error for predictions of another kind.")]
                pub fn $method(&self) -> Result<&$type> {
                    match self {
                        Prediction::$variant(predicted) => Ok(predicted),
                        other => {
                            let expected = concat!("a prediction of ", $what).to_string();
                            Err(Error::shape(stringify!($method), expected, other.what()))
                        }
                    }
                }
            )*
        }
    };
}

kinds_of_prediction! {
    classes, Classes: Labels, "classes";
    numbers, Numbers: Matrix, "numbers, n×p";
    clusters, Clusters: [u32], "numbers of clusters";
    outliers, Outliers: [i32], "1 for rows like the others and −1 for outliers";
}

/// A kind of prediction: what [`Predict`](super::Predict) returns.
pub trait Predicted: Into<Prediction> {
    /// This kind, if the prediction is of it.
    fn from_prediction(prediction: Prediction) -> Option<Self>;
}

/// Each kind of prediction is a variant.
macro_rules! predicted {
    ($($variant:ident: $type:ty),*) => {$(
        impl From<$type> for Prediction {
            fn from(predicted: $type) -> Prediction {
                Prediction::$variant(predicted)
            }
        }

        impl Predicted for $type {
            fn from_prediction(prediction: Prediction) -> Option<$type> {
                match prediction {
                    Prediction::$variant(predicted) => Some(predicted),
                    _ => None,
                }
            }
        }
    )*};
}

predicted!(Classes: Labels, Numbers: Matrix, Clusters: Vec<u32>, Outliers: Vec<i32>);

/// The columns that a model was fitted on: their names, and the names of the categories of those that have any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputColumns {
    /// A name for each column.
    pub names: Vec<String>,
    /// For each column the names of its categories by code; nothing for a column of numbers.
    pub categories: Vec<Option<Vec<String>>>,
}

impl InputColumns {
    /// Columns of numbers with these names.
    pub fn named(names: &[String]) -> InputColumns {
        InputColumns { names: names.to_vec(), categories: vec![None; names.len()] }
    }

    /// Some of the columns, in this order.
    pub fn select(&self, columns: &[usize]) -> InputColumns {
        let name = |column: &usize| self.names.get(*column).cloned().unwrap_or_else(|| format!("x{column}"));
        let categories = columns.iter().map(|column| self.categories.get(*column).cloned().flatten());
        InputColumns { names: columns.iter().map(name).collect(), categories: categories.collect() }
    }
}

/// A fitted model. A model implements the methods for what it can do; the default of the others is an error or `None`.
///
/// These are the untyped methods, which pipelines, ensembles, the command line and model files use through
/// [`AnyModel`](super::AnyModel). Programs call the typed ones: [`Predict`](super::Predict),
/// [`PredictProba`](super::PredictProba), [`Decision`](super::Decision), [`Transform`](super::Transform),
/// [`ScoreSamples`](super::ScoreSamples), [`Score`](super::Score).
pub trait Model: Stored + Any + Debug + Send + Sync {
    /// The prediction for each row of `x`, computed where `x` lives and reported to `observer`.
    fn predict_rows(&self, _x: Rows<'_>, _observer: &mut dyn Observer) -> Result<Prediction> {
        Err(unable(self.kind(), "predictions"))
    }

    /// The probability of each class for each row of `x`, n×k.
    fn predict_proba_rows(&self, _x: Rows<'_>) -> Result<Option<Matrix>> {
        Ok(None)
    }

    /// Predictions and, where the model gives them, probabilities, in one pass over the rows.
    fn predict_both_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        Ok((self.predict_rows(x, observer)?, self.predict_proba_rows(x)?))
    }

    /// The decision function of each row of `x`, n×k: one column for each class; a single one for two classes and for
    /// outliers.
    fn decision_rows(&self, _x: Rows<'_>) -> Result<Option<Matrix>> {
        Ok(None)
    }

    /// What predicting so many rows takes, as [`Estimator::cost`](super::Estimator::cost); none if nothing of it would
    /// run on a GPU, or a pass over the rows is all.
    fn predict_cost(&self, _rows: usize) -> Option<Cost> {
        None
    }

    /// The transformed rows of `x`, where `x` lives.
    fn transform_rows(&self, _x: Rows<'_>) -> Result<OwnedRows> {
        Err(unable(self.kind(), "transformed rows"))
    }

    /// The columns that [`Model::transform_rows`] makes from these; `None` for a model that transforms no rows.
    fn transformed_columns(&self, _input: &InputColumns) -> Option<InputColumns> {
        None
    }

    /// The logarithm of the density of each row of `x`.
    fn score_samples_rows(&self, _x: Rows<'_>) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// Σ of the squared distances from the rows of `x` to the nearest centres, for a model that has centres.
    fn inertia_rows(&self, _x: Rows<'_>) -> Result<Option<f64>> {
        Ok(None)
    }

    /// What each column adds to each row's prediction (Shapley values): a matrix n×(d + 1) for each output, with what
    /// is expected of any row in the last column.
    fn contributions(&self, _x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        Ok(None)
    }

    /// The classes by code; none for a model that is no classifier.
    fn classes(&self) -> &[String] {
        &[]
    }

    /// The report of the fit: numbers, curves, arrays.
    fn report(&self) -> FitReport {
        FitReport::default()
    }

    /// The prediction for the rows that were fitted, where the fit made one.
    fn fitted_prediction(&self) -> Option<Prediction> {
        None
    }

    /// The model as text, for one that people can read.
    fn text(&self, _columns: &InputColumns) -> Option<String> {
        None
    }

    /// Pictures that only models of this family have. A figure whose title begins like that of a general one
    /// (`Decision regions`) replaces it.
    fn figures(&self, _input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        Ok(vec![])
    }
}

/// A model that can be stored in a file; everything that implements [`Persist`] has it.
pub trait Stored {
    /// The name of its kind, as model files have it: `kmeans`.
    fn kind(&self) -> &'static str;

    /// The model in a container of its kind.
    fn container(&self) -> Result<Container>;

    /// The columns that it was fitted on, if it remembers them.
    fn fitted_columns(&self) -> Option<&FittedColumns>;

    /// What is added to its predictions, if its targets were moved ([`TargetShift`]); the untyped methods leave it to
    /// their caller.
    fn target_shift(&self) -> Option<&TargetShift>;

    /// The same model, for a downcast to its type.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<M: Persist + Send + Sync + 'static> Stored for M {
    fn kind(&self) -> &'static str {
        M::KIND
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }

    fn fitted_columns(&self) -> Option<&FittedColumns> {
        Persist::fitted_columns(self)
    }

    fn target_shift(&self) -> Option<&TargetShift> {
        Persist::target_shift(self)
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// The error of a model that is asked for what it does not give.
pub(crate) fn unable(op: &'static str, what: &str) -> Error {
    let expected = format!("a model that gives {what}; see `gristmill models {op}` for what this one does");
    Error::shape(op, expected, "this one")
}
