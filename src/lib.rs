//! Classical machine learning on any GPU, called from Rust.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod array;
pub mod cpu;
pub mod device;
mod error;
pub mod kernel;
pub mod linalg;
pub mod model;
pub mod ops;

pub use array::{DeviceMatrix, DeviceVec, Matrix};
pub use device::{Device, DeviceInfo, DeviceKind, DeviceOptions, Limits, Profile, Stream, Variant};
pub use error::{Error, Result};

/// What most programs need.
pub mod prelude {
    pub use crate::{Device, DeviceMatrix, DeviceOptions, DeviceVec, Error, Limits, Matrix, Result, Stream};
}
