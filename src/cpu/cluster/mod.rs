//! Clustering on slices.

pub mod assign;
pub mod center_shift;
pub mod centroid_sum;
pub mod closer;
