//! Matrices and vectors, on the host and on a device.

mod convert;
mod device_matrix;
mod device_vec;
mod marks;
mod matrix;
mod rows;
mod select;

pub use device_matrix::DeviceMatrix;
#[doc(hidden)]
pub use device_matrix::{pad, padded, unpad};
pub(crate) use device_vec::{BLOCK, zeroed};
pub use device_vec::{DeviceVec, Word};
pub(crate) use marks::{MOST_LEVELS, Marks, level};
pub use matrix::Matrix;
pub use rows::View;
pub(crate) use rows::{RowStore, blocks};
