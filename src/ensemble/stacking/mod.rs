//! Models on top of models.

mod classifier;
mod layers;
mod regressor;

pub use classifier::{StackingClassifier, StackingClassifierModel};
pub use regressor::{StackingRegressor, StackingRegressorModel};

/// The parameters of both.
const PARAMETERS: &[crate::estimator::Parameter] = &[
    crate::estimator::Parameter { name: "estimators", help: "the models below: names with commas, or a JSON list" },
    crate::estimator::Parameter { name: "final_estimator", help: "the model on top, which learns from what they say" },
    crate::estimator::Parameter {
        name: "cv",
        help: "parts of the rows; what is said of one comes from models fitted on the others",
    },
    crate::estimator::Parameter { name: "passthrough", help: "whether the one on top sees the features too" },
    crate::estimator::Parameter {
        name: "seed",
        help: "decides the parts, and is added to the seeds of the models inside",
    },
];
