//! Fitted trees: nodes in arrays, and what can be done with them.

mod flatten;
mod graft;
mod pruning;
mod shapley;
mod storage;
mod text;
mod tree;
mod tree_model;
mod trees;

pub(crate) use flatten::flatten;
pub use pruning::PruningPath;
pub use shapley::{Cover, ShapleyTree, shapley_values};
pub use storage::{restore_trees, store_trees};
pub(crate) use text::{categories_asked, draw_lines};
pub use tree::{Node, Tree};
pub use tree_model::{SingleTree, TreeEstimator, TreeModel};
pub(crate) use trees::{Trees, check_classes, likeliest, rows_to_learn, to_matrix};
