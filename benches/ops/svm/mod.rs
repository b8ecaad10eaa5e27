mod working_set;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    working_set::cases()
}
