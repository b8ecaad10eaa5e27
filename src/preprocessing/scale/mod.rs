//! Columns and rows of a like size: scalers, and functions of single values.

mod function_transformer;
mod min_max_scaler;
mod normal;
mod normalizer;
mod quantile_transformer;
mod robust_scaler;
mod standard_scaler;

pub use function_transformer::{Function, FunctionTransformer, FunctionTransformerModel};
pub use min_max_scaler::{MinMaxScaler, MinMaxScalerModel};
pub use normalizer::{Norm, Normalizer, NormalizerModel};
pub use quantile_transformer::{OutputDistribution, QuantileTransformer, QuantileTransformerModel};
pub use robust_scaler::{RobustScaler, RobustScalerModel};
pub use standard_scaler::{StandardScaler, StandardScalerModel};
