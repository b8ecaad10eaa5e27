//! Models on top of models.

/// Declares the parameters of stacking, which classes and numbers share.
macro_rules! stacking_parameters {
    (
        $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ident; about $about:literal;
        estimators = $estimators:expr; final_estimator = $last:expr;
    ) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            {}
            shared StackLayers {
                /// The models below: names with commas, or a JSON list.
                #[serde(deserialize_with = "crate::ensemble::members::read_list")]
                estimators: Vec<AnyEstimator> = $estimators;
                /// The model on top, which learns from their predictions.
                final_estimator: AnyEstimator = $last;
                /// Parts of the rows; predictions for one come from models fitted on the others.
                cv: usize = 5, at_least(2.0);
                /// Whether the model on top sees the features too.
                passthrough: bool = false;
                /// Decides the parts, and is added to the seeds of the models inside.
                seed: u64 = 0;
            }
        }
    };
}
mod classifier;
mod layers;
mod regressor;

pub use classifier::{StackingClassifier, StackingClassifierModel};
pub use regressor::{StackingRegressor, StackingRegressorModel};
