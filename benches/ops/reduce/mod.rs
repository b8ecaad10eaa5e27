mod argmin_rows;
mod sum;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [argmin_rows::cases(), sum::cases()].concat()
}
