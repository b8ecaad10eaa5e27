mod sq_euclidean;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [sq_euclidean::cases()].concat()
}
