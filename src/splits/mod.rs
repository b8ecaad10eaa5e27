//! Splits into training and test rows, as lists of row numbers.
//!
//! Random splits depend on a seed only: the same seed gives the same rows on every machine.

mod dataset;
mod folds;
mod groups;
mod ordered;
mod random;
mod stratify;

pub use folds::{Folds, Splits};
pub(crate) use random::shuffled;
pub use random::{
    ThreeWay, stratified_three_way_split, stratified_train_test_split, three_way_split, train_test_split,
};
