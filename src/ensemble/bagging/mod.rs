//! One model, fitted on many bags of rows.

mod bags;
mod classifier;
mod regressor;

pub use classifier::{BaggingClassifier, BaggingClassifierModel};
pub use regressor::{BaggingRegressor, BaggingRegressorModel};

/// The parameters of both.
const PARAMETERS: &[(&str, &str)] = &[
    ("estimator", "the model that is fitted on each bag; its parameters as estimator.NAME"),
    ("n_estimators", "number of bags"),
    ("max_samples", "rows of a bag, as a share of all"),
    ("max_features", "columns of a bag, as a share of all"),
    ("bootstrap", "whether a row may be drawn more than once"),
    ("bootstrap_features", "whether a column may be drawn more than once"),
    ("oob_score", "whether the rows that a bag does not have are scored by it"),
    ("seed", "decides the bags and the seeds of their models"),
];
