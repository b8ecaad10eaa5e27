//! Targets that are counts or positive amounts: their mean is the exponential of a weighted sum of the columns.

mod exponential_mean;
mod newton;

pub use exponential_mean::{GammaRegressor, GammaRegressorModel, PoissonRegressor, PoissonRegressorModel};
