//! Rows under mixtures of Gaussians.

pub mod expectation;
mod whitened_sums;
