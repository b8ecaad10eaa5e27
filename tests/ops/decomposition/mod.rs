mod contrast;
mod map_update;
mod row_descent;
mod sparse_code;
