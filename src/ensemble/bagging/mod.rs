//! One model, fitted on many bags of rows.

mod bags;
mod classifier;
mod regressor;

pub use classifier::{BaggingClassifier, BaggingClassifierModel};
pub use regressor::{BaggingRegressor, BaggingRegressorModel};

/// The parameters of both.
const PARAMETERS: &[crate::estimator::Parameter] = &[
    crate::estimator::Parameter {
        name: "estimator",
        help: "the model that is fitted on each bag; its parameters as estimator.NAME",
    },
    crate::estimator::Parameter { name: "n_estimators", help: "number of bags" },
    crate::estimator::Parameter { name: "max_samples", help: "rows of a bag, as a share of all" },
    crate::estimator::Parameter { name: "max_features", help: "columns of a bag, as a share of all" },
    crate::estimator::Parameter { name: "bootstrap", help: "whether a row may be drawn more than once" },
    crate::estimator::Parameter { name: "bootstrap_features", help: "whether a column may be drawn more than once" },
    crate::estimator::Parameter {
        name: "oob_score",
        help: "whether the rows that a bag does not have are scored by it",
    },
    crate::estimator::Parameter { name: "seed", help: "decides the bags and the seeds of their models" },
];
