mod pair_gradient;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    pair_gradient::cases()
}
