//! Preparing rows: scaling, encoding, basis functions, bins, imputation, and codes for class names.
//!
//! Each transformer is a struct of parameters whose `fit` returns a model. The model turns rows into rows
//! ([`Transform`](crate::estimator::Transform)), names the new columns, and is saved and loaded like any other.
//! Statistics are computed in f64 on the host, on all cores. [`StandardScaler`], [`RobustScaler`] and, without
//! `clip`, [`MinMaxScaler`] transform rows on their device; what the others make on the host is brought there.
//!
//! | transformer | missing values |
//! |---|---|
//! | [`StandardScaler`], [`MinMaxScaler`], [`RobustScaler`] | skipped in `fit`, stay missing in `transform` |
//! | [`QuantileTransformer`], [`VarianceThreshold`] | the same |
//! | [`FunctionTransformer`], [`ColumnSelector`], [`OrdinalEncoder`] | stay missing |
//! | [`TargetEncoder`] | a category of their own |
//! | [`SimpleImputer`] | replaced |
//! | [`OneHotEncoder`] | stay missing in columns that are not encoded, refused in those that are |
//! | all others | refused, with row and column |
//!
//! ```
//! use gristmill::prelude::*;
//! use gristmill::preprocessing::{SimpleImputer, StandardScaler};
//! let x = Matrix::from_rows(&[[1.0, 10.0], [f32::NAN, 20.0], [3.0, 30.0]])?;
//! let whole = SimpleImputer::default().fit(&x)?.transform(&x)?;
//! let scaled = StandardScaler::default().fit(&whole)?.transform(&whole)?;
//! assert_eq!((whole.get(1, 0), scaled.get(1, 0), scaled.get(1, 1)), (2.0, 0.0, 0.0));
//! # Ok::<(), gristmill::Error>(())
//! ```

mod column_selector;
mod columns;
mod function_transformer;
mod gaussian_basis;
mod k_bins_discretizer;
mod k_means_bins;
mod label_encoder;
mod min_max_scaler;
mod normal;
mod normalizer;
mod one_hot_categories;
mod one_hot_encoder;
mod ordinal_encoder;
mod polynomial_features;
mod quantile_transformer;
mod robust_scaler;
mod simple_imputer;
mod sine_basis;
mod sparse;
mod standard_scaler;
mod statistics;
mod table;
mod target_encoder;
mod variance_threshold;

pub use column_selector::{ColumnSelector, ColumnSelectorModel};
pub use columns::Columns;
pub use function_transformer::{Function, FunctionTransformer, FunctionTransformerModel};
pub use gaussian_basis::{GaussianBasis, GaussianBasisModel, GaussianCenters};
pub use k_bins_discretizer::{BinEncoding, BinStrategy, KBinsDiscretizer, KBinsDiscretizerModel};
pub use label_encoder::{LabelEncoder, LabelEncoderModel};
pub use min_max_scaler::{MinMaxScaler, MinMaxScalerModel};
pub use normalizer::{Norm, Normalizer, NormalizerModel};
pub use one_hot_encoder::{DropCategory, OneHotEncoder, OneHotEncoderModel, UnknownCategory};
pub use ordinal_encoder::{OrdinalEncoder, OrdinalEncoderModel, UnknownOrdinal};
pub use polynomial_features::{PolynomialFeatures, PolynomialFeaturesModel};
pub use quantile_transformer::{OutputDistribution, QuantileTransformer, QuantileTransformerModel};
pub use robust_scaler::{RobustScaler, RobustScalerModel};
pub use simple_imputer::{ImputeStrategy, SimpleImputer, SimpleImputerModel};
pub use sine_basis::{SineBasis, SineBasisModel};
pub use standard_scaler::{StandardScaler, StandardScalerModel};
pub use target_encoder::{TargetEncoder, TargetEncoderModel};
pub use variance_threshold::{VarianceThreshold, VarianceThresholdModel};
