//! What `--plot` draws.

mod alone;
mod picture;

pub use alone::draw_alone;
pub use picture::{Picture, check_picture, draw_transformed};
