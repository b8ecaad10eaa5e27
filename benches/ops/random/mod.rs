mod philox;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [philox::cases()].concat()
}
