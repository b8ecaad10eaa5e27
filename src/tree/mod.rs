//! Decision trees: rows divided by one feature and threshold after the other, for classes and for numbers.
//!
//! Rows are put into at most 255 bins a feature, or split exactly at every value; NaN is missing and goes where the
//! gain is larger. What decides a split is a whole number or one fixed formula of whole numbers, so a tree is the same
//! to the bit for any number of threads.

#[cfg(test)]
mod agreement;
mod binned;
mod bins;
mod bundles;
mod by_name;
mod copying;
mod criterion;
mod decision_tree_classifier;
mod decision_tree_regressor;
mod exact;
pub(crate) mod features;
mod fitting;
pub(crate) mod grow;
mod id3;
mod layout;
mod level_groups;
mod level_scan;
mod levels;
mod median_splits;
mod parameters;
pub(crate) mod pictures;
mod pruning;
mod quantiles;
mod random_splits;
mod ranked_sums;
mod scan;
mod sequential;
mod shapley;
mod split;
mod stored_level_sets;
mod target;
mod target_cells;
mod text;
mod together;
#[allow(clippy::module_inception)]
mod tree;
mod trees;
mod view;
mod walking;

pub(crate) use bins::{BinnedMatrix, Bins};
pub use criterion::{Criterion, RegressionCriterion};
pub use decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierModel};
pub use decision_tree_regressor::{DecisionTreeRegressor, DecisionTreeRegressorModel};
pub(crate) use features::FeatureDraw;
pub(crate) use fitting::Table;
pub(crate) use id3::level_name;
pub use id3::{Id3Classifier, Id3ClassifierModel, NominalNode, NominalTree};
pub(crate) use level_groups::Guide;
pub(crate) use levels::Levels;
pub use parameters::{ClassWeight, MaxFeatures};
pub(crate) use parameters::{Limits, at_least, check_bins};
pub use pictures::{NominalTreeFigure, TreeFigure, along_pruning, pruning_curves, pruning_path};
pub use pruning::PruningPath;
pub(crate) use shapley::{Cover, Term, shapley_values};
pub(crate) use target::{ClassTarget, FixedWeights, Target, Values};
pub(crate) use target_cells::Learner;
pub(crate) use text::levels_asked;
pub(crate) use together::Together;
pub use tree::{Node, Tree};
pub(crate) use tree::{restore_trees, store_trees};
pub(crate) use trees::{Trees, check_classes, likeliest, rows_to_learn, to_matrix};
pub(crate) use walking::walk;
