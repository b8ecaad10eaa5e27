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

mod basis;
mod column_selector;
mod columns;
mod encode;
mod scale;
mod simple_imputer;
mod sparse;
mod statistics;
mod table;
mod transformer;
mod variance_threshold;

pub use basis::*;
pub use column_selector::{ColumnSelector, ColumnSelectorModel};
pub use columns::Columns;
pub use encode::*;
pub use scale::*;
pub use simple_imputer::{ImputeStrategy, SimpleImputer, SimpleImputerModel};
pub use variance_threshold::{VarianceThreshold, VarianceThresholdModel};
