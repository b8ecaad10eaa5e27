mod margin_gradient;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    margin_gradient::cases()
}
