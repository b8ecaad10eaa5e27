//! Clustering.

mod assign;
mod center_shift;
mod centroid_sum;
mod min_distance_update;
mod plus_plus;

use super::case::Case;

/// Every case of the family.
pub fn cases() -> Vec<Case> {
    let iteration = [assign::cases(), center_shift::cases(), centroid_sum::cases()].concat();
    [iteration, min_distance_update::cases(), plus_plus::cases()].concat()
}
