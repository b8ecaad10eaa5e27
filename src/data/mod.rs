//! What models learn from: class labels and data sets.

mod dataset;
mod labels;

pub use dataset::{Dataset, Target};
pub use labels::Labels;
