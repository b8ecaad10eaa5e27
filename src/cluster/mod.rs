//! Clustering: rows that belong together, without a target.

mod clusters;
mod cost;
mod kmeans;
mod mini_batch_kmeans;

pub use kmeans::{Init, KMeans, KMeansModel};
pub use mini_batch_kmeans::{MiniBatchKMeans, MiniBatchKMeansModel};
