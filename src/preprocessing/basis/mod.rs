//! Functions of columns as new columns.

mod gaussian_basis;
mod polynomial_features;
mod sine_basis;

pub use gaussian_basis::{GaussianBasis, GaussianBasisModel, GaussianCenters};
pub use polynomial_features::{PolynomialFeatures, PolynomialFeaturesModel};
pub use sine_basis::{SineBasis, SineBasisModel};
