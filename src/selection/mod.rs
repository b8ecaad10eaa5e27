//! Choosing a model honestly: splits, folds, cross-validation, grid search, curves, and what a few scores say.
//!
//! Splits are lists of row numbers, so that they fit any data. Each is decided by a seed: the same seed gives the same
//! rows on every machine.

mod cross_validate;
mod curves;
mod folds;
mod grid_search;
mod permutation;
mod pictures;
mod scoring;
mod split;
pub mod stats;
mod stratify;

pub use cross_validate::{CrossValidateOptions, CrossValidation, cross_validate, cross_validate_with};
pub use curves::{Curve, learning_curve, learning_curve_with, validation_curve, validation_curve_with};
pub use folds::{Folds, Splits};
pub use grid_search::{Candidate, GridSearch, GridSearchResult};
pub use permutation::{PermutationImportance, permutation_importance, permutation_importance_on};
pub use scoring::{Predictions, Scoring};
pub use split::{ThreeWay, stratified_three_way_split, stratified_train_test_split, three_way_split, train_test_split};
