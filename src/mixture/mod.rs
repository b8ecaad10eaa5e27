//! Densities of rows: one Gaussian, mixtures of them, and kernel estimates.

mod covariance;
mod gaussian_density;
mod gaussian_mixture;
mod gaussians;
mod kernel_density;
mod neighbor_density;
mod pictures;

pub use covariance::CovarianceType;
pub use gaussian_density::{GaussianDensity, GaussianDensityModel};
pub use gaussian_mixture::{GaussianMixture, GaussianMixtureModel, MixtureStart};
pub use kernel_density::{Bandwidth, KernelDensity, KernelDensityModel};
pub use neighbor_density::{NeighborDensity, NeighborDensityModel};
