//! Models that need only the kernel function of pairs of rows: the Gram matrix, or its products.

mod compile;
mod expansion;
mod falkon;
mod fitted;
mod kernel;
mod mercer;
mod pivoted;
mod ridge;
mod tangent;
mod text;

pub use falkon::{Centers, Falkon, FalkonModel};
pub(crate) use fitted::{FittedKernel, KernelRows};
pub use kernel::{Gamma, Kernel, PairFunction};
pub use mercer::mercer_check;
pub use ridge::{KernelRidge, KernelRidgeCv, KernelRidgeCvModel, KernelRidgeModel, RidgeSolver};
pub use tangent::{TangentWeights, tangent_weights};
