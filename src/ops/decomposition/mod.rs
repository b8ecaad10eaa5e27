//! What decompositions of rows need beside products: contrasts of components, sparse codes, maps.

pub mod contrast;
pub mod map_update;
pub mod row_descent;
pub mod sparse_code;
