//! Many values into few.

pub mod argmin_rows;
pub mod sum;
