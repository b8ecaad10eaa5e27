//! Least squares with a penalty on the absolute values of the coefficients, which makes many of them exactly 0.

mod cross_validated;
mod elastic_net;
mod folds;
mod path;
mod prepare;
mod sparse_columns;

pub use cross_validated::{ElasticNetCv, ElasticNetCvModel, LassoCv, LassoCvModel};
pub use elastic_net::{ElasticNet, ElasticNetModel, Lasso, LassoModel};
pub use path::LassoPath;
