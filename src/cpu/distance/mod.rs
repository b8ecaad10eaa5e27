//! How far apart rows are.

pub mod minkowski;
pub mod pairwise;
