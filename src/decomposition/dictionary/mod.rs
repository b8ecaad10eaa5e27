//! Dictionaries: rows as sums of few atoms.

mod coder;
mod coding;
mod ksvd;
mod learning;
mod least_squares;
mod model;
mod sums;
mod update;

pub use coder::{SparseCoder, SparseCoderModel};
pub use coding::CodingAlgorithm;
pub use ksvd::{AtomSamples, KSvd, KSvdModel};
pub use learning::{DictionaryLearning, DictionaryLearningModel, DictionarySolver};
