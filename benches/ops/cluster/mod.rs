//! Clustering.

mod assign;
mod center_shift;
mod centroid_sum;
mod closer;

use super::case::Case;

/// Every case of the family.
pub fn cases() -> Vec<Case> {
    [assign::cases(), center_shift::cases(), centroid_sum::cases(), closer::cases()].concat()
}
