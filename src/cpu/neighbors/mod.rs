//! Who is near whom: the k nearest rows, and all rows within a radius. Exact, always.
//!
//! Every path gives the bits of [`nearest::nearest`] and [`within::within`], which look at all pairs: the others only
//! leave out pairs that they have proved too far apart. Order is by the value that a metric sums, before its root,
//! then by index.

mod measure;
mod sweep;
mod top_k;

pub mod nearest;
pub mod within;

pub use nearest::nearest;
pub use within::{Neighborhoods, within};
