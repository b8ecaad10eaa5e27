mod nearest;
mod within;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [nearest::cases(), within::cases()].concat()
}
