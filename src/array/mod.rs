//! Matrices and vectors, on the host and on a device.

mod column_info;
mod convert;
mod device_matrix;
mod device_vec;
mod exact;
mod matrix;
mod pending;
mod reshape;
mod rows;
mod select;
mod show;
mod sparse;
mod to_host;

pub(crate) use column_info::{ColumnInfo, ColumnKind, MAX_CATEGORIES, category};
pub use device_matrix::DeviceMatrix;
#[doc(hidden)]
pub use device_matrix::{pad, padded, unpad};
pub(crate) use device_vec::{BLOCK, zeroed};
pub use device_vec::{DeviceVec, Word};
pub(crate) use exact::{Exact, LARGE, Rounding, is_kept};
pub use matrix::Matrix;
pub use pending::PendingVec;
pub use rows::View;
pub(crate) use rows::{RowStore, RowTarget, blocks};
pub use sparse::SparseMatrix;
