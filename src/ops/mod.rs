//! Checked operations on device arrays: the only place that chooses between the CPU and the GPU.
//!
//! Each op checks shapes and missing values, then runs its CPU twin at once or records its kernel on the stream.
//! Arrays must live on the stream's device.

pub mod cluster;
mod columns;
pub mod distance;
pub mod linalg;
pub mod neighbors;
mod pairs;
pub mod random;
pub mod reduce;
pub mod sort;
pub mod tree;

pub use cluster::assign::assign;
pub use cluster::center_shift::center_shift;
pub use cluster::centroid_sum::centroid_sum;
pub use cluster::min_distance_update::{MinDistanceUpdate, min_distance_update};
pub use distance::pairwise::{chebyshev, cosine, mahalanobis, manhattan, minkowski, sq_euclidean};
pub use linalg::affine::{ColumnLines, affine};
pub use linalg::gemm::{Layout, gemm, gemm_into};
pub use linalg::gemv::{gemv, gemv_transposed};
pub use linalg::linear_predictor::linear_predictor;
pub use linalg::normal_equations::{NormalEquations, normal_equations};
pub use linalg::syrk::syrk;
pub use linalg::transpose::transpose;
pub use neighbors::k_nearest::k_nearest;
pub use neighbors::radius_neighbors::{Neighborhoods, radius_neighbors};
pub use random::permutation::permutation;
pub use random::philox::{random_bits, random_integers, random_normals, random_uniforms};
pub use reduce::argmax_rows::argmax_rows;
pub use reduce::argmin_rows::argmin_rows;
pub use reduce::column_moments::{ColumnMoments, column_moments};
pub use reduce::column_sums::column_sums;
pub use reduce::minimum::minimum;
pub use reduce::row_sums::row_sums;
pub use reduce::sum::sum;
pub use sort::exclusive_scan::exclusive_scan;
pub use sort::gather_rows::gather_rows;
pub use sort::radix_sort::radix_sort;

use crate::kernel::Kernel;

/// Every kernel of the crate, for the guards that read all shaders.
pub fn kernels() -> Vec<&'static Kernel> {
    vec![
        &crate::device::SEAL,
        &crate::device::SELF_TEST,
        &cluster::assign::KERNEL,
        &cluster::assign::KERNEL_UNIFORM,
        &cluster::center_shift::KERNEL,
        &cluster::centroid_sum::KERNEL,
        &cluster::centroid_sum::KERNEL_COUNT,
        &cluster::centroid_sum::KERNEL_MERGE,
        &cluster::centroid_sum::KERNEL_PLACE,
        &cluster::min_distance_update::KERNEL,
        &distance::pairwise::KERNEL,
        &distance::pairwise::KERNEL_UNIT,
        &linalg::affine::KERNEL,
        &linalg::gemm::KERNEL,
        &linalg::gemm::KERNEL_MERGE,
        &linalg::gemv::KERNEL,
        &linalg::gemv::KERNEL_TRANSPOSED,
        &linalg::syrk::KERNEL,
        &linalg::transpose::KERNEL,
        &neighbors::k_nearest::KERNEL,
        &neighbors::k_nearest::KERNEL_MERGE,
        &neighbors::select::SELECT,
        &neighbors::select::SORT,
        &neighbors::radius_neighbors::KERNEL,
        &neighbors::radius_neighbors::KERNEL_CLEAR,
        &neighbors::radius_neighbors::KERNEL_LIST,
        &neighbors::radius_neighbors::KERNEL_VALUES,
        &random::philox::KERNEL,
        &reduce::argmax_rows::KERNEL,
        &reduce::argmin_rows::KERNEL,
        &reduce::column_moments::KERNEL,
        &reduce::column_sums::KERNEL,
        &reduce::minimum::KERNEL,
        &reduce::row_sums::KERNEL,
        &reduce::sum::KERNEL,
        &sort::exclusive_scan::KERNEL,
        &sort::exclusive_scan::KERNEL_SUMS,
        &sort::gather_rows::KERNEL,
        &sort::radix_sort::KERNEL,
        &sort::radix_sort::KERNEL_SCATTER,
        &tree::best_split::KERNEL,
        &tree::best_split::KERNEL_SHORTLIST,
        &tree::histogram::KERNEL,
        &tree::histogram::KERNEL_MERGE,
        &tree::partition::KERNEL,
        &tree::partition::KERNEL_SCAN,
        &tree::partition::KERNEL_PLACE,
        &tree::predict::KERNEL,
        &tree::target_histogram::KERNEL,
        &tree::target_histogram::KERNEL_MERGE,
    ]
}
