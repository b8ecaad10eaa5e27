//! Components, densities and mixtures against published numbers, scikit-learn's, and f64.

mod mixtures;
mod pca;
