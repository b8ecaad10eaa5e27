//! Regression that outliers do not decide: absolute errors, quantiles, Huber's loss, and errors of both kinds at once.

mod huber;
mod mixed_error;
mod quantile;
mod smoothed;

pub use huber::{HuberRegressor, HuberRegressorModel};
pub use mixed_error::{MixedErrorRegressor, MixedErrorRegressorModel};
pub use quantile::{QuantileRegressor, QuantileRegressorModel};
