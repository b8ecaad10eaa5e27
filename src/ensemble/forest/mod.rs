//! Random forests (Breiman 2001): trees of bootstrap samples that look at a few features in each node, and their mean.
//!
//! Trees are grown side by side on all cores. What a tree draws depends on the seed and its number alone, so a forest is
//! the same to the bit on any number of threads, and the first trees of a larger forest are those of a smaller one.

mod bootstrap;
mod by_name;
mod classifier;
mod growth;
mod out_of_bag;
mod regressor;

pub use classifier::{RandomForestClassifier, RandomForestClassifierModel};
pub use regressor::{RandomForestRegressor, RandomForestRegressorModel};
