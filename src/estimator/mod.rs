//! What estimators and fitted models have in common: their input, their options, their traits, their observers.

mod fit;
mod fitted;
mod learn;
mod observer;
mod rows;
mod targets;

pub use fit::{Fit, Truth};
pub use fitted::{Fitted, Losses, Outcome, Prediction, Task};
pub use learn::Estimator;
pub(crate) use observer::Watch;
pub use observer::{Flow, Observer, Progress, Report};

pub(crate) use rows::OnDevice;
pub use rows::Rows;
pub use targets::Targets;

use crate::array::Matrix;
use crate::error::Result;

/// A model that says something of each row.
pub trait Predict {
    /// [`Labels`](crate::Labels) of a classifier, an n×p [`Matrix`] of a regressor, cluster numbers of a clustering.
    type Output;

    /// The prediction for each row of `x`, computed where `x` lives.
    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Self::Output>;
}

/// A classifier that gives chances.
pub trait PredictProba {
    /// The chance of each class for each row of `x`: n×k, each row sums to 1.
    fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix>;
}

/// A model that gives a number for each row whose sign or size decides.
pub trait Decision {
    /// The number of each row of `x`; larger is more normal, or more of the second class.
    fn decision_function<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<f32>>;
}

/// A model that turns rows into other rows.
pub trait Transform {
    /// A row for each row of `x`.
    fn transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix>;
}

/// A model that can be compared with the truth.
pub trait Score {
    /// What the predictions are compared with.
    type Target: ?Sized;

    /// How good the model is on these rows; larger is better.
    fn score<'a>(&self, x: impl Into<Rows<'a>>, target: &Self::Target) -> Result<f64>;
}
