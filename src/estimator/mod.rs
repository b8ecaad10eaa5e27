//! The contract of everything that is fitted: parameters, estimators, fitted models, reports, observers.
//!
//! An [`Estimator`] is a struct of [`Parameters`] that can be fitted; a fit returns a [`Model`]. [`AnyEstimator`] and
//! [`AnyModel`] are the same when the type is known only at run time. `docs/estimators.md` in the repository walks
//! through adding an estimator.

mod align;
mod any_estimator;
mod any_model;
mod contract;
mod fit;
mod fitted_with;
mod model;
mod observer;
mod parameters;
mod pictures;
mod report;
mod rows;
pub(crate) mod rules;
mod save;
mod settings;
mod shared;
mod targets;
mod typed;

pub use align::Queries;
pub(crate) use align::{AlignedRows, align, ignored};
pub use any_estimator::AnyEstimator;
pub(crate) use any_estimator::MODEL;
pub use any_model::AnyModel;
pub(crate) use any_model::score;
pub use contract::{Abilities, Declared, Estimator, FitShape, Learnt, Parameters, Task};
pub(crate) use contract::{checked_fit, checked_partial_fit, remember};
pub use fit::{Fit, ValidationTarget};
pub use fitted_with::FittedWith;
pub(crate) use model::unable;
pub use model::{InputColumns, Model, Predicted, Prediction, Stored};
pub use observer::{Flow, Observer, Progress, Report};
pub(crate) use observer::{Reporter, Unobserved};
pub use parameters::Parameter;
pub(crate) use parameters::parameters;
pub use pictures::{PictureInput, PicturePlane, PictureRows};
pub use report::{FitReport, Iterations, RanOn, ReportArray};
pub(crate) use rows::OnDevice;
pub use rows::{Input, OwnedRows, Rows};
pub use save::Save;
pub use settings::{parse_setting, parse_value};
pub use shared::{Shared, SharedPart};
pub use targets::Targets;
pub use typed::{Decision, Predict, PredictProba, Score, ScoreSamples, Scored, Transform};
