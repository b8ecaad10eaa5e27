//! What `--plot` draws.

mod model_panels;
mod picture;
mod tree;

pub use picture::{Picture, check_picture};
pub use tree::save as draw_tree;
