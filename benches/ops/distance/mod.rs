mod chebyshev;
mod cosine;
mod mahalanobis;
mod manhattan;
mod minkowski;
mod sq_euclidean;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [
        chebyshev::cases(),
        cosine::cases(),
        mahalanobis::cases(),
        manhattan::cases(),
        minkowski::cases(),
        sq_euclidean::cases(),
    ]
    .concat()
}
