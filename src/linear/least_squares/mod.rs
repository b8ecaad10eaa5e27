//! Least squares without a penalty or with one on the squares of the coefficients.

pub(super) mod centred_sparse;
mod condense;
mod dense;
pub(super) mod fit;
mod leave_one_out;
mod linear_regression;
mod normal;
mod ridge;
mod ridge_cv;
mod sparse;
mod spectrum;
mod statistics;

pub use linear_regression::{LinearRegression, LinearRegressionModel};
pub use ridge::{Ridge, RidgeModel};
pub use ridge_cv::{RidgeCv, RidgeCvModel};
pub use spectrum::RidgePath;
pub use statistics::Statistics;
