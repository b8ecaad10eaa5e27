//! Gradient boosting: each tree takes a step down the loss that the trees before it left (Friedman 2001; second-order
//! leaf values and histograms as in XGBoost and LightGBM).
//!
//! Gradients and Hessians become 16-bit integers for each tree, so histograms and splits are exact sums, and the same
//! seed gives the same model bytes for any number of threads and on any device. Leaf values are sums of the gradients
//! themselves in f64, or where the loss has no second derivative the median, quantile or Huber mean of the rows.
//! Missing values (NaN) are accepted and go where they help.

mod classifier;
mod classifier_parameters;
mod custom_loss;
mod leaf_refit;
mod leaves;
mod lightgbm;
mod loss;
mod model;
mod regressor;
mod regressor_parameters;
mod rounds;
mod settings;
mod staged;
mod targets;
mod validation;

pub use classifier::GradientBoostingClassifierModel;
pub use classifier_parameters::GradientBoostingClassifier;
pub use loss::{BoostingLoss, ClassificationLoss, RegressionLoss};
pub use regressor::GradientBoostingRegressorModel;
pub use regressor_parameters::GradientBoostingRegressor;
pub use settings::Growth;
#[doc(hidden)]
pub use validation::{held_of_each, hold_out};
