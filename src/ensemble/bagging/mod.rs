//! One model, fitted on many bags of rows.

/// Declares the parameters of bagging, which classes and numbers share.
macro_rules! bagging_parameters {
    ($(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ident; about $about:literal; estimator = $estimator:expr;) => {
        parameters! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            new(estimator: AnyEstimator);
            {}
            shared BagRules {
                /// The model that is fitted on each bag; set its parameters as estimator.NAME.
                estimator: AnyEstimator = $estimator;
                /// Number of bags.
                n_estimators: usize = 10, at_least(1.0);
                /// Number of rows of a bag, as a share of all.
                max_samples: f64 = 1.0, above_to(0.0, 1.0);
                /// Number of columns of a bag, as a share of all.
                max_features: f64 = 1.0, above_to(0.0, 1.0);
                /// Whether a row may be drawn more than once.
                bootstrap: bool = true;
                /// Whether a column may be drawn more than once.
                bootstrap_features: bool = false;
                /// Whether to compute the out-of-bag score: each row is predicted by the bags without it.
                oob_score: bool = false;
                /// Seed of the bags and of their models.
                seed: u64 = 0;
            }
        }
    };
}
mod bags;
mod classifier;
mod regressor;

pub use classifier::{BaggingClassifier, BaggingClassifierModel};
pub use regressor::{BaggingRegressor, BaggingRegressorModel};
