//! Who is near whom: the k nearest rows, and all rows within a radius. Exact, always.
//!
//! Every path gives the bits of [`k_nearest::k_nearest`] and [`radius_neighbors::radius_neighbors`], which look at
//! all pairs: the others only leave out pairs that they have proved too far apart. Order is by the value that a metric
//! sums, before its root, then by index.

mod by_product;
mod directions;
mod kd_query;
mod measure;
mod reduced;
mod refine;
mod sweep;
mod top_k;

pub mod index;
pub mod k_nearest;
pub mod kd_tree;
pub mod principal;
pub mod radius_neighbors;

pub use index::Index;
pub use k_nearest::{SearchRows, k_nearest};
pub use kd_tree::KdTree;
pub use principal::Principal;
pub use radius_neighbors::{Neighborhoods, radius_neighbors};
