//! Gradients of metrics.

pub mod pair_gradient;
