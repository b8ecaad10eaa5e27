//! Choosing a model honestly: splits, folds, and what is known from a few scores.
//!
//! Splits are lists of row numbers, so that they fit any data. Each is decided by a seed: the same seed gives the same
//! rows on every machine.

mod folds;
mod split;
pub mod stats;
mod stratify;

pub use folds::{Folds, Splits};
pub use split::{ThreeWay, stratified_three_way_split, stratified_train_test_split, three_way_split, train_test_split};
