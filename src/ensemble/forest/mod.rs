//! Random forests (Breiman 2001): trees of bootstrap samples that look at a few features in each node, and their mean.
//! Extra trees (Geurts, Ernst and Wehenkel 2006): the same with thresholds drawn at random.
//!
//! Trees are grown side by side on all cores. What a tree draws depends on the seed and its number alone, so a forest
//! is the same to the bit on any number of threads, and the first trees of a larger forest are those of a smaller one.

/// Declares the parameters of a forest; classes and numbers, random forests and extra trees share most of them.
macro_rules! forest_parameters {
    (
        $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ty; about $about:literal;
        bootstrap = $bootstrap:expr; max_features = $max_features:expr; { $($own:tt)* }
    ) => {
        crate::tree::with_tree_limits! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            new(n_estimators: usize);
            { $($own)* }
            shared ForestSettings {
                /// Number of trees.
                n_estimators: usize = 100, at_least(1.0);
                /// How many features each split considers: sqrt, log2, a number, a share such as 0.5; none: all.
                max_features: MaxFeatures = $max_features;
                /// Maximum number of bins of a feature; none: exact splits at every value, which takes longer.
                max_bins: Option<usize> = Some(255), from_to(2.0, 255.0);
                /// Whether each tree learns from a bootstrap sample: as many rows as there are, drawn with replacement.
                bootstrap: bool = $bootstrap;
                /// The share of the rows that a bootstrap sample draws; none: as many as there are.
                max_samples: Option<f64> = None, above_to(0.0, 1.0);
                /// Whether to compute the out-of-bag score: each row is predicted by the trees that did not draw it.
                oob_score: bool = false;
                /// Seed of all random draws.
                seed: u64 = 0;
            }
        }
    };
}

mod bootstrap;
mod classifier;
mod growth;
mod out_of_bag;
mod regressor;

#[doc(hidden)]
pub use bootstrap::Bootstrap;
pub use classifier::{
    ExtraTreesClassifier, ExtraTreesClassifierModel, ForestClassifierModel, RandomForestClassifier,
    RandomForestClassifierModel,
};
pub use regressor::{
    ExtraTreesRegressor, ExtraTreesRegressorModel, ForestRegressorModel, RandomForestRegressor,
    RandomForestRegressorModel,
};

use crate::estimator::{Declared, Estimator};

/// How forests differ besides their defaults.
#[doc(hidden)]
pub trait Forest: Estimator + Declared {
    /// Its name in messages.
    const OP: &'static str;
    /// Its name in the reports to an observer.
    const LABEL: &'static str;
    /// Whether thresholds are random, as in extra trees.
    const RANDOM_CUTS: bool;
}
