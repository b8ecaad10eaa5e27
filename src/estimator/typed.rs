//! The methods of fitted models whose type is known.

use super::align::{Queries, align};
use super::model::{InputColumns, Model, Predicted, unable};
use super::observer::Unobserved;
use super::rows::Input;
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::Result;
use crate::metrics;

/// A model that predicts something for each row.
pub trait Predict: Model {
    /// [`Labels`] for a classifier, an n×p [`Matrix`] for a regressor, `Vec<u32>` of cluster numbers for a clustering
    /// or a mixture, `Vec<i32>` of 1 and −1 for outliers.
    type Output: Predicted;

    /// The prediction for each row of `x`, computed where `x` lives.
    fn predict<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Self::Output> {
        let prediction = self.predict_rows(align(self.fitted_columns(), x.into())?.rows(), &mut Unobserved)?;
        let prediction = prediction.moved_back(self.target_shift())?;
        Self::Output::from_prediction(prediction).ok_or_else(|| unable(self.kind(), "predictions of this kind"))
    }
}

/// A classifier that gives probabilities.
pub trait PredictProba: Model {
    /// The probability of each class for each row of `x`: n×k, each row sums to 1. Column j is class j of the labels that were
    /// fitted, in the order of their codes, which is alphabetical for text; [`Model::classes`] lists them.
    fn predict_proba<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Matrix> {
        self.predict_proba_rows(align(self.fitted_columns(), x.into())?.rows())?
            .ok_or_else(|| unable(self.kind(), "probabilities"))
    }
}

/// A model with a decision function: numbers whose sign or size decides the prediction.
pub trait Decision: Model {
    /// n×k: one column for each class; a single one for two classes (larger means the second class) and for outliers
    /// (larger means more normal).
    fn decision_function<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Matrix> {
        self.decision_rows(align(self.fitted_columns(), x.into())?.rows())?
            .ok_or_else(|| unable(self.kind(), "a decision function"))
    }
}

/// A model that turns rows into other rows.
pub trait Transform: Model {
    /// The transformed rows of `x`, where `x` lives: a [`Matrix`] for a `&Matrix`, a
    /// [`DeviceMatrix`](crate::DeviceMatrix) for a `&DeviceMatrix`.
    fn transform<'a, X: Input<'a>>(&self, x: X) -> Result<X::Owned> {
        X::owned(self.kind(), self.transform_rows(align(self.fitted_columns(), x.into())?.rows())?)
    }

    /// The names of the new columns of columns with these names, or of `x0`, `x1`, ….
    fn names(&self, input: Option<&[String]>) -> Vec<String> {
        let input = InputColumns::named(input.unwrap_or_default());
        self.transformed_columns(&input).map_or_else(Vec::new, |columns| columns.names)
    }
}

/// A model of the density of rows.
pub trait ScoreSamples: Model {
    /// The logarithm of the density of each row of `x`.
    fn score_samples<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Vec<f64>> {
        self.score_samples_rows(align(self.fitted_columns(), x.into())?.rows())?
            .ok_or_else(|| unable(self.kind(), "densities"))
    }
}

/// A model whose predictions can be compared with the target.
pub trait Score: Predict {
    /// What the predictions are compared with.
    type Target: ?Sized;

    /// How good the model is on these rows; larger is better. Accuracy of a classifier; R² of a regressor, the mean
    /// over the outputs.
    fn score<'a>(&self, x: impl Into<Queries<'a>>, target: &Self::Target) -> Result<f64>;
}

impl<M: Predict> Score for M
where
    M::Output: Scored,
{
    type Target = <M::Output as Scored>::Target;

    fn score<'a>(&self, x: impl Into<Queries<'a>>, target: &Self::Target) -> Result<f64> {
        self.predict(x)?.score(target)
    }
}

/// Predictions that have a score of their own.
pub trait Scored: Predicted {
    /// What they are compared with.
    type Target: ?Sized;

    /// How good they are; larger is better.
    fn score(&self, target: &Self::Target) -> Result<f64>;
}

impl Scored for Labels {
    type Target = Labels;

    fn score(&self, target: &Labels) -> Result<f64> {
        metrics::accuracy(target, self)
    }
}

impl Scored for Matrix {
    type Target = Matrix;

    fn score(&self, target: &Matrix) -> Result<f64> {
        metrics::r2_score_columns(target, self)
    }
}
