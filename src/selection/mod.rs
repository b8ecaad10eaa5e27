//! Choosing a model on rows it has not seen.
//!
//! | question | function |
//! |---|---|
//! | how good is it on new rows? | [`cross_validate`]; [`nested_cross_validate`] for a whole search |
//! | which parameters? | [`GridSearch`], [`RandomSearch`], [`HalvingSearch`]; [`Search::estimate`] says how long |
//! | which columns? | [`best_subset`], [`forward_selection`], [`backward_elimination`], [`recursive_elimination`], [`permutation_importance`] |
//! | which family, by a bound? | [`structural_risk`] |
//! | more rows, or a better model? | [`learning_curve`], [`validation_curve`], [`iteration_curve`], [`bias_variance`] |
//! | how many clusters? | [`cluster_curve`] |
//!
//! The splits themselves are in [`splits`](crate::splits).

mod bias_variance;
mod cluster_curve;
mod columns;
mod cross_validate;
mod curves;
mod grid_search;
mod halving;
mod iteration_curve;
mod nested;
mod permutation;
mod pictures;
mod random_search;
mod scoring;
mod search;
mod search_cost;
mod shared_observer;
pub mod stats;
mod structural_risk;

pub use crate::splits::{
    Folds, Splits, ThreeWay, stratified_three_way_split, stratified_train_test_split, three_way_split, train_test_split,
};
pub use bias_variance::{BiasVariance, Truth, bias_variance, bias_variance_by_generator};
pub use cluster_curve::{ClusterCurve, cluster_curve};
pub use columns::{
    ColumnPath, ColumnStep, Criterion, Subset, SubsetFit, SubsetPath, backward_elimination, backward_subsets,
    best_subset, forward_selection, forward_subsets, recursive_elimination,
};
pub use cross_validate::{CrossValidateOptions, CrossValidation, cross_validate, cross_validate_with};
pub use curves::{Curve, learning_curve, learning_curve_with, validation_curve, validation_curve_with};
pub use grid_search::{Grid, GridSearch};
pub use halving::{HalvingResult, HalvingRound, HalvingSearch};
pub use iteration_curve::{IterationCurve, iteration_curve};
pub use nested::{NestedCrossValidation, nested_cross_validate};
pub use permutation::{PermutationImportance, permutation_importance, permutation_importance_with};
pub use random_search::{Draws, ParameterRange, RandomSearch};
pub use scoring::{CustomScoring, Predictions, Scoring};
pub use search::{Candidate, Candidates, GridSearchResult, Search};
pub use search_cost::SearchCost;
pub use structural_risk::{FamilyRisk, RiskFamily, StructuralRisk, structural_risk};
