//! The largest number of each row and where it is.

use super::extreme::{Largest, extreme_rows};

/// `value[i]`, the maximum of row `i` of `x` (`rows×columns`, `columns ≥ 1`), and `index[i]`, its lowest column.
///
/// NaN is passed over. Reads every number once.
pub fn argmax_rows(x: &[f32], rows: usize, columns: usize, index: &mut [u32], value: &mut [f32]) {
    debug_assert_eq!(x.len(), rows * columns);
    extreme_rows(Largest, x, columns, index, value);
}
