//! Clustering: rows that belong together, without a target.

mod bisecting_kmeans;
mod clusters;
mod cost;
mod kmeans;
mod mini_batch_kmeans;

pub use bisecting_kmeans::{BisectingKMeans, BisectingKMeansModel, BisectingStrategy};
pub use kmeans::{Init, KMeans, KMeansModel};
pub use mini_batch_kmeans::{MiniBatchKMeans, MiniBatchKMeansModel};
