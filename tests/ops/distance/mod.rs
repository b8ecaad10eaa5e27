mod chebyshev;
mod cosine;
mod mahalanobis;
mod manhattan;
mod minkowski;
mod pairwise;
mod sq_euclidean;
