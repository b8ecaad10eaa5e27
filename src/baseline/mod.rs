//! Baselines: what can be predicted without looking at the rows. A model that is no better has learnt nothing.

mod dummy_classifier;
mod dummy_regressor;

pub use dummy_classifier::{DummyClasses, DummyClassifier, DummyClassifierModel};
pub use dummy_regressor::{DummyNumber, DummyRegressor, DummyRegressorModel};
