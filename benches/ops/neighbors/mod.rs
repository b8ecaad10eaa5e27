mod k_nearest;
mod radius_neighbors;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [k_nearest::cases(), radius_neighbors::cases()].concat()
}
