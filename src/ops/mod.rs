//! Checked operations on device arrays: the only place that chooses between the CPU and the GPU.
//!
//! Each op checks shapes and missing values, then runs its CPU twin at once or records its kernel on the stream.
//! Arrays must live on the stream's device.

pub mod distance;
pub mod linalg;
mod pairs;
pub mod reduce;

pub use distance::sq_euclidean::sq_euclidean;
pub use linalg::gemm::{Layout, gemm, gemm_into};
pub use linalg::transpose::transpose;
pub use reduce::argmin_rows::argmin_rows;
pub use reduce::sum::sum;

use crate::kernel::Kernel;

/// Every kernel of the crate, for the guards that read all shaders.
pub fn kernels() -> Vec<&'static Kernel> {
    vec![
        &crate::device::SEAL,
        &crate::device::SELF_TEST,
        &distance::sq_euclidean::KERNEL,
        &distance::sq_euclidean::KERNEL_SUBGROUP,
        &linalg::gemm::KERNEL,
        &linalg::gemm::KERNEL_SUBGROUP,
        &linalg::gemm::KERNEL_MERGE,
        &linalg::transpose::KERNEL,
        &reduce::argmin_rows::KERNEL,
        &reduce::sum::KERNEL,
    ]
}
