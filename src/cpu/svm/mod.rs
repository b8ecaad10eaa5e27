//! Steps of sequential minimal optimisation (SMO) on a kernel matrix in memory.

pub mod block;
mod passes;
pub mod working_set;

pub use block::{Block, Ended, Piece, Variables};
pub use passes::add_rows;
