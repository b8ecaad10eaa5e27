//! Sums over rows for mixtures of Gaussians.

pub mod expectation;
