mod argmin_rows;
mod sum;
