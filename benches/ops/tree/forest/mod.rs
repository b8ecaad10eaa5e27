mod bootstrap;
mod target_histogram;
mod target_split;
mod target_squares;

use super::super::case::Case;
use super::binned;

pub fn cases() -> Vec<Case> {
    [bootstrap::cases(), target_histogram::cases(), target_split::cases(), target_squares::cases()].concat()
}
