//! How far apart rows are: all pairs of the rows of two matrices.

pub mod pairwise;
