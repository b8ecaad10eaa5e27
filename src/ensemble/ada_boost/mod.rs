//! AdaBoost: weak models one after the other, each on the rows that those before it got wrong.

mod classifier;
mod learners;
mod regressor;
mod weights;

pub use classifier::{AdaBoostClassifier, AdaBoostClassifierModel};
pub use regressor::{AdaBoostRegressor, AdaBoostRegressorModel, ErrorShape};
