//! What models learn from: class labels.

mod labels;

pub use labels::Labels;
