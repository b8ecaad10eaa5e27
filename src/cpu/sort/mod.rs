//! Order: prefix sums, sorting, gathering.

pub mod exclusive_scan;
pub mod gather_rows;
pub mod numbers;
pub mod radix_sort;
pub mod select_smallest;
