//! Many values into few.

pub mod argmax_rows;
pub mod argmin_rows;
mod column_blocks;
pub mod column_moments;
pub mod column_sums;
mod extreme;
pub mod minimum;
pub mod row_sums;
pub mod sum;

/// The place of the largest number of a row; the first of equals, 0 for none.
pub fn argmax<T: PartialOrd>(row: &[T]) -> usize {
    (1..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best })
}
