//! Decision trees: binned rows, the one grower of every tree, and the tree itself.

mod bins;
mod bundles;
pub(crate) mod grow;
mod layout;
mod quantiles;
mod text;
#[allow(clippy::module_inception)]
mod tree;

pub(crate) use bins::{BinnedMatrix, Bins};
pub(crate) use layout::Layout;
pub use tree::{Node, Tree};
pub(crate) use tree::{restore_trees, store_trees};
