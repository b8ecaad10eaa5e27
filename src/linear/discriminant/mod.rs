//! Discriminant analysis: classes as Gaussian clouds, of one shape (linear) or of their own (quadratic).

mod linear;
mod moments;
mod quadratic;
mod shrinkage;

pub use linear::{LinearDiscriminantAnalysis, LinearDiscriminantAnalysisModel};
pub use quadratic::{QuadraticDiscriminantAnalysis, QuadraticDiscriminantAnalysisModel};
pub use shrinkage::Shrinkage;
