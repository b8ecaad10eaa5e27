mod assign;
mod center_shift;
mod centroid_sum;
mod min_distance_update;
mod plus_plus;
