//! Models on top of models.

mod classifier;
mod layers;
mod regressor;

pub use classifier::{StackingClassifier, StackingClassifierModel};
pub use regressor::{StackingRegressor, StackingRegressorModel};

/// The parameters of both.
const PARAMETERS: &[(&str, &str)] = &[
    ("estimators", "the models below: names with commas, or a JSON list"),
    ("final_estimator", "the model on top, which learns from what they say"),
    ("cv", "parts of the rows; what is said of one comes from models fitted on the others"),
    ("passthrough", "whether the one on top sees the features too"),
    ("seed", "decides the parts, and is added to the seeds of the models inside"),
];
