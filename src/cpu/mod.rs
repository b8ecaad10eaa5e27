//! The CPU twins: plain slices in, plain slices out, on all cores. No GPU types here.

pub mod cluster;
pub mod distance;
pub mod elementary;
pub mod linalg;
pub mod neighbors;
pub mod random;
pub mod reduce;
pub mod sort;
pub mod sparse;
mod tile;
pub mod tree;
