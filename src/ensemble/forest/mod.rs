//! Random forests (Breiman 2001): trees of bootstrap samples that look at a few features in each node, and their mean.
//! Extra trees (Geurts, Ernst and Wehenkel 2006): the same with thresholds drawn by chance.
//!
//! Trees are grown side by side on all cores. What a tree draws depends on the seed and its number alone, so a forest is
//! the same to the bit on any number of threads, and the first trees of a larger forest are those of a smaller one.

mod bootstrap;
mod by_name;
mod classifier;
mod extra_trees_classifier;
mod extra_trees_regressor;
mod growth;
mod out_of_bag;
mod regressor;
mod votes;

#[doc(hidden)]
pub use bootstrap::Bootstrap;
pub use classifier::{RandomForestClassifier, RandomForestClassifierModel};
pub use extra_trees_classifier::{ExtraTreesClassifier, ExtraTreesClassifierModel};
pub use extra_trees_regressor::{ExtraTreesRegressor, ExtraTreesRegressorModel};
pub use regressor::{RandomForestRegressor, RandomForestRegressorModel};

/// Which forest it is: the two differ in how a threshold is found, and in their defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ForestKind {
    RandomForest,
    ExtraTrees,
}

impl ForestKind {
    /// The kind of a model file.
    fn of_file(kind: &str) -> ForestKind {
        if kind.starts_with("extra-trees") { ForestKind::ExtraTrees } else { ForestKind::RandomForest }
    }

    /// The name of its classifier in messages.
    fn classifier(self) -> &'static str {
        match self {
            ForestKind::RandomForest => "RandomForestClassifier",
            ForestKind::ExtraTrees => "ExtraTreesClassifier",
        }
    }

    /// The name of its regressor in messages.
    fn regressor(self) -> &'static str {
        match self {
            ForestKind::RandomForest => "RandomForestRegressor",
            ForestKind::ExtraTrees => "ExtraTreesRegressor",
        }
    }

    /// What an observer is told.
    fn label(self) -> &'static str {
        match self {
            ForestKind::RandomForest => "random forest",
            ForestKind::ExtraTrees => "extra trees",
        }
    }
}
