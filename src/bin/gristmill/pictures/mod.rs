//! What `--plot` draws.

mod alone;
mod picture;

pub use alone::figures_alone;
pub use picture::{Picture, transformed_figures};
