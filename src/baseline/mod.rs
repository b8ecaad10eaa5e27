//! Baselines: what can be predicted without looking at the rows. A model that is no better has learnt nothing.

mod dummy_classifier;

pub use dummy_classifier::{DummyClasses, DummyClassifier, DummyClassifierModel};
