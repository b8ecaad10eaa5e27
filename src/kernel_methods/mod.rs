//! Models that need only the kernel function of pairs of rows: the Gram matrix, or its products.

mod compile;
mod cost;
mod expansion;
mod falkon;
mod fitted;
mod gram_operator;
mod kernel;
mod kernel_kmeans;
mod kernel_perceptron;
mod maps;
mod mercer;
mod pictures;
mod pivoted;
mod ridge;
mod shared;
mod tangent;
mod text;

pub(crate) use expansion::KernelExpansion;
pub use falkon::{Centers, Falkon, FalkonModel};
pub(crate) use fitted::{FittedKernel, KernelRows};
pub use kernel::{Gamma, Kernel, PairFunction};
pub use kernel_kmeans::{KernelInit, KernelKMeans, KernelKMeansModel};
pub use kernel_perceptron::{KernelPerceptron, KernelPerceptronModel};
pub use maps::{
    KernelPca, KernelPcaModel, Landmarks, Nystroem, NystroemModel, RandomFourierFeatures, RandomFourierFeaturesModel,
};
pub use mercer::mercer_check;
pub use pictures::gram_figure;
pub(crate) use ridge::warn_indefinite;
pub use ridge::{KernelRidge, KernelRidgeCv, KernelRidgeCvModel, KernelRidgeModel, RidgeSolver};
pub(crate) use shared::SharedGrams;
pub use tangent::{TangentWeights, tangent_weights};
