//! Choosing a model on rows it has not seen: splits, folds, cross-validation, grid search, learning and validation
//! curves, permutation importance, and the statistics of a few scores.
//!
//! The splits themselves are in [`splits`](crate::splits).

mod cross_validate;
mod curves;
mod grid_search;
mod permutation;
mod pictures;
mod scoring;
mod shared_observer;
pub mod stats;

pub use crate::splits::{
    Folds, Splits, ThreeWay, stratified_three_way_split, stratified_train_test_split, three_way_split, train_test_split,
};
pub use cross_validate::{CrossValidateOptions, CrossValidation, cross_validate, cross_validate_with};
pub use curves::{Curve, learning_curve, learning_curve_with, validation_curve, validation_curve_with};
pub use grid_search::{Candidate, GridSearch, GridSearchResult};
pub use permutation::{PermutationImportance, permutation_importance, permutation_importance_with};
pub use scoring::{CustomScoring, Predictions, Scoring};
