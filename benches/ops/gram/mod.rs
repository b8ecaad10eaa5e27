mod diagonal;
mod matrix;
mod product;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [diagonal::cases(), matrix::cases(), product::cases()].concat()
}
