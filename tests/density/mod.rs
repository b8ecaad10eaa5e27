//! Components, densities and mixtures against published numbers, scikit-learn's, and f64.

mod bayes;
mod metric_learning;
mod mixtures;
mod pca;
