//! Every estimator against published numbers and the properties that must hold, on the CPU and on the GPU.

#[path = "../support/mod.rs"]
mod support;

mod ada_boost;
mod blobs;
mod boosting;
mod boosting_edges;
mod boosting_export;
mod boosting_losses;
mod boosting_more;
mod categories;
mod decision_tree;
mod ensembles;
mod extra_trees;
mod forest_devices;
mod id3;
mod kmeans;
mod linear;
mod linear_edges;
mod linear_nist;
mod local_outlier_factor;
mod margins;
mod mini_batch_kmeans;
mod neighbors;
mod observers;
mod random_forest;
mod tree_devices;
mod tree_edges;
mod tree_medians;
mod tree_pruning;
