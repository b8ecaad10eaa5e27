//! Rows under mixtures of Gaussians.

pub mod expectation;
