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
