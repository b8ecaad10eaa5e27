mod bellman;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    bellman::cases()
}
