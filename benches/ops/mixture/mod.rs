mod expectation;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    expectation::cases()
}
