//! The steps of k-means: assignment, sums about the centres, their movement, and how starting centres are chosen.

pub mod assign;
pub mod bounds;
pub mod center_shift;
pub mod centroid_sum;
pub mod min_distance_update;
pub mod plus_plus;
