mod exclusive_scan;
mod gather_rows;
mod radix_sort;
mod select_smallest;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [exclusive_scan::cases(), gather_rows::cases(), radix_sort::cases(), select_smallest::cases()].concat()
}
