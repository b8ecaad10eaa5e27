//! Rows as sums of few directions: principal components, and the singular vectors of sparse rows.

mod columns;
mod pca;
mod truncated_svd;

pub use pca::{ColumnScale, Components, Pca, PcaModel};
pub use truncated_svd::{TruncatedSvd, TruncatedSvdModel};
