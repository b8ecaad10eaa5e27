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
                /// The models of the first layer: names separated by commas, or a JSON list.
                #[serde(deserialize_with = "crate::ensemble::members::read_list")]
                estimators: Vec<AnyEstimator> = $estimators;
                /// The model of the second layer, which learns from their predictions.
                final_estimator: AnyEstimator = $last;
                /// Number of folds; the predictions for one come from models fitted on the others.
                cv: usize = 5, at_least(2.0);
                /// Whether the model of the second layer sees the features too.
                passthrough: bool = false;
                /// Seed of the folds; it is added to the seeds of the models inside.
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
