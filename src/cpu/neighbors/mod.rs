//! Who is near whom: the k nearest rows, and all rows within a radius. Exact, always.
//!
//! Every path gives the bits of [`nearest::nearest`] and [`within::within`], which look at all pairs: the others only
//! leave out pairs that they have proved too far apart. Order is by the value that a metric sums, before its root,
//! then by index.

mod directions;
mod kd_query;
mod measure;
mod reduced;
mod refine;
mod sweep;
mod top_k;

pub mod index;
pub mod kd_tree;
pub mod nearest;
pub mod principal;
pub mod within;

pub use index::Index;
pub use kd_tree::KdTree;
pub use nearest::nearest;
pub use principal::Principal;
pub use within::{Neighborhoods, within};
