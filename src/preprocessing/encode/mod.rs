//! Categories as numbers, numbers as bins, and codes for class names.

mod column_categories;
mod k_bins_discretizer;
mod k_means_bins;
mod label_encoder;
mod one_hot_encoder;
mod ordinal_encoder;
mod target_encoder;

pub use k_bins_discretizer::{BinEncoding, BinStrategy, KBinsDiscretizer, KBinsDiscretizerModel};
pub use label_encoder::{LabelEncoder, LabelEncoderModel};
pub use one_hot_encoder::{DropCategory, OneHotEncoder, OneHotEncoderModel, UnknownCategory};
pub use ordinal_encoder::{OrdinalEncoder, OrdinalEncoderModel, UnknownOrdinal};
pub use target_encoder::{TargetEncoder, TargetEncoderModel};
