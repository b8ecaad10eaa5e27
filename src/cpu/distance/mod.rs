//! How far apart rows are.

pub mod sq_euclidean;
