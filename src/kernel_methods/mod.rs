//! Models that need only the kernel function of pairs of rows: the Gram matrix, or its products.

mod compile;
mod fitted;
mod kernel;
mod mercer;
mod tangent;
mod text;

pub(crate) use fitted::{FittedKernel, KernelRows};
pub use kernel::{Gamma, Kernel, PairFunction};
pub use mercer::mercer_check;
pub use tangent::{TangentWeights, tangent_weights};
