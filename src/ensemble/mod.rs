//! Many models as one.
//!
//! An ensemble is made of any models of the [`registry`](crate::registry); each is fitted on rows of its own, or in its
//! own way on all of them.

mod bagging;
mod members;
mod stacking;

mod voting;

pub use bagging::{BaggingClassifier, BaggingClassifierModel, BaggingRegressor, BaggingRegressorModel};
pub use stacking::{StackingClassifier, StackingClassifierModel, StackingRegressor, StackingRegressorModel};
pub use voting::{Vote, VotingClassifier, VotingClassifierModel, VotingRegressor, VotingRegressorModel};
