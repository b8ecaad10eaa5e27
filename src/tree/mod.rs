//! Decision trees for classification and regression.
//!
//! Rows are put into at most 255 bins a feature, or split exactly at every value; NaN is missing and goes where the
//! gain is larger. What decides a split is an integer or one fixed formula of integers, so a tree is the same to the
//! bit for any number of threads.

#[doc(hidden)]
pub mod bins;
pub(crate) mod cost;
mod decision_tree_classifier;
mod decision_tree_regressor;
#[doc(hidden)]
pub mod grow;
mod id3;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod parameters;
pub(crate) mod pictures;
mod ranked;

pub use crate::cpu::tree::target::{Criterion, RegressionCriterion};
pub use crate::data::ClassWeight;
pub use decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierModel};
pub(crate) use decision_tree_regressor::RedrawnRows;
pub use decision_tree_regressor::{DecisionTreeRegressor, DecisionTreeRegressorModel};
pub(crate) use id3::category_name;
pub use id3::{Id3Classifier, Id3ClassifierModel, NominalNode, NominalTree};
pub use model::{Node, PruningPath, Tree, TreeModel};
pub(crate) use model::{TreeEstimator, Trees, categories_asked, check_classes, likeliest, rows_to_learn, to_matrix};
pub use parameters::{MaxFeatures, Ties};
pub(crate) use parameters::{TreeLimits, with_tree_limits};
pub use pictures::{NominalTreeFigure, TreeFigure, along_pruning, pruning_curves, pruning_path};
