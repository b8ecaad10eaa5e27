//! How far apart rows are.

pub mod chebyshev;
pub mod cosine;
pub mod mahalanobis;
pub mod manhattan;
pub mod minkowski;
pub mod sq_euclidean;
