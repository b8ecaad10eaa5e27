mod argmax_rows;
mod argmin_rows;
mod column_moments;
mod column_sums;
mod minimum;
mod row_sums;
mod sum;
