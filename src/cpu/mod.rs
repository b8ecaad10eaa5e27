//! The CPU twins: plain slices in, plain slices out, on all cores. No GPU types here.

pub mod distance;
pub mod linalg;
pub mod reduce;
mod tile;
