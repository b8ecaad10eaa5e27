mod chebyshev;
mod cosine;
mod mahalanobis;
mod manhattan;
mod minkowski;
mod pairs;
mod sq_euclidean;
