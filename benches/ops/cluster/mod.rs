//! Clustering.

mod assign;
mod center_shift;
mod centroid_sum;
mod min_distance_update;

use super::case::Case;

/// Every case of the family.
pub fn cases() -> Vec<Case> {
    [assign::cases(), center_shift::cases(), centroid_sum::cases(), min_distance_update::cases()].concat()
}
