mod assign;
mod center_shift;
mod centroid_sum;
mod closer;
