//! Regression that outliers do not decide.

mod huber;

pub use huber::{HuberRegressor, HuberRegressorModel};
