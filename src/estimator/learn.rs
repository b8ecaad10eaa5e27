//! Parameters that can be fitted, whatever they are.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fit::Fit;
use super::fitted::{Fitted, Task};
use super::rows::Rows;
use crate::data::Target;
use crate::error::Result;
use crate::model::Persist;

/// The parameters of a model: a struct of public fields that knows how to learn from rows and a target.
///
/// What implements this and is listed in [`registry`](crate::registry) is in the command line, in pipelines, in grid
/// search and in ensembles.
pub trait Estimator: std::fmt::Debug + Clone + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What `fit` returns.
    type Model: Fitted + Persist + 'static;

    /// What it is for.
    const TASK: Task;

    /// One line on what it does.
    const ABOUT: &'static str;

    /// One line for each field, in their order: its name and what it means.
    const PARAMETERS: &'static [(&'static str, &'static str)];

    /// Whether rows may have missing values.
    const TAKES_MISSING: bool = false;

    /// Whether columns may be codes of levels, which are no quantities.
    const TAKES_LEVELS: bool = false;

    /// Learns from `x` and the part of the target that it needs, where `x` lives.
    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<Self::Model>;
}
