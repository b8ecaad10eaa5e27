//! Explicit features of rows, whose inner products are a kernel or close to it.

mod kernel_pca;
mod nystroem;
mod preimages;
mod random_fourier_features;
mod spectrum;

pub use kernel_pca::{KernelPca, KernelPcaModel};
pub use nystroem::{Landmarks, Nystroem, NystroemModel};
pub use random_fourier_features::{RandomFourierFeatures, RandomFourierFeaturesModel};

use crate::estimator::InputColumns;

/// Columns named `component0`, `component1`, …
fn numbered(name: &str, count: usize) -> InputColumns {
    InputColumns::named(&(0..count).map(|number| format!("{name}{number}")).collect::<Vec<_>>())
}
