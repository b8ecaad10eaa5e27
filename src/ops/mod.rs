//! Checked operations on device arrays: the only place that chooses between the CPU and the GPU.
//!
//! Each op checks shapes and missing values, then runs its CPU twin at once or records its kernel on the stream.
//! Arrays must live on the stream's device.

pub mod cluster;
mod columns;
pub mod decision;
pub mod decomposition;
pub mod distance;
pub mod gram;
pub mod linalg;
pub mod linear;
pub mod metric_learning;
pub mod mixture;
pub mod neighbors;
pub mod neural;
mod pairs;
pub mod random;
pub mod reduce;
pub mod sort;
pub mod svm;
pub mod tree;

pub use cluster::assign::assign;
pub use cluster::center_shift::center_shift;
pub use cluster::centroid_sum::centroid_sum;
pub use cluster::min_distance_update::{MinDistanceUpdate, min_distance_update};
pub use cluster::plus_plus::plus_plus;
pub use distance::pairwise::{chebyshev, cosine, mahalanobis, manhattan, minkowski, sq_euclidean};
pub use linalg::affine::{ColumnLines, affine};
pub use linalg::dot::{dot, dot_into};
pub use linalg::gemm::{Activation, Layout, gemm, gemm_bias, gemm_into};
pub use linalg::gemv::{gemv, gemv_into, gemv_transposed, gemv_transposed_into};
pub use linalg::linear_predictor::linear_predictor;
pub use linalg::map::{Combine, Map, axpy, combine, combine_matrices, map};
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
pub use reduce::column_sums::{column_sums, column_sums_into};
pub use reduce::minimum::{minimum, minimum_into};
pub use reduce::row_sums::row_sums;
pub use reduce::sum::{sum, sum_into};
pub use sort::exclusive_scan::exclusive_scan;
pub use sort::gather_rows::gather_rows;
pub use sort::radix_sort::radix_sort;
pub use sort::select_smallest::select_smallest;

use crate::kernel::Kernel;

/// Every kernel of the crate, for the guards that read all shaders.
pub fn kernels() -> Vec<&'static Kernel> {
    let of_files = [
        crate::device::encode::KERNELS,
        crate::device::self_test::KERNELS,
        cluster::assign::KERNELS,
        cluster::center_shift::KERNELS,
        cluster::centroid_sum::KERNELS,
        cluster::min_distance_update::KERNELS,
        cluster::plus_plus::KERNELS,
        decomposition::contrast::KERNELS,
        decomposition::map_update::KERNELS,
        decomposition::row_descent::KERNELS,
        decomposition::sparse_code::KERNELS,
        decision::bellman::KERNELS,
        distance::pairwise::KERNELS,
        gram::diagonal::KERNELS,
        gram::matrix::KERNELS,
        gram::product::KERNELS,
        linalg::affine::KERNELS,
        linalg::dot::KERNELS,
        linalg::gemm::KERNELS,
        linalg::gemv::KERNELS,
        linalg::map::KERNELS,
        linalg::syrk::KERNELS,
        linalg::transpose::KERNELS,
        linear::coordinate_descent::KERNELS,
        linear::margin_gradient::KERNELS,
        metric_learning::pair_gradient::KERNELS,
        mixture::expectation::KERNELS,
        neighbors::by_product::KERNELS,
        neighbors::k_nearest::KERNELS,
        neighbors::select::KERNELS,
        neighbors::radius_neighbors::KERNELS,
        neural::activate::KERNELS,
        neural::augment::KERNELS,
        neural::convolution::KERNELS,
        neural::dense::KERNELS,
        neural::embedding::KERNELS,
        neural::gather_batch::KERNELS,
        neural::latent::KERNELS,
        neural::loss::KERNELS,
        neural::normalise::KERNELS,
        neural::norms::KERNELS,
        neural::pool::KERNELS,
        neural::recurrent::KERNELS,
        neural::tie::KERNELS,
        neural::update::KERNELS,
        random::philox::KERNELS,
        reduce::argmin_rows::KERNELS,
        reduce::column_sums::KERNELS,
        reduce::minimum::KERNELS,
        reduce::row_sums::KERNELS,
        reduce::sum::KERNELS,
        sort::exclusive_scan::KERNELS,
        sort::gather_rows::KERNELS,
        sort::radix_sort::KERNELS,
        sort::select_smallest::KERNELS,
        svm::working_set::KERNELS,
        tree::best_split::KERNELS,
        tree::bootstrap::KERNELS,
        tree::gradients::KERNELS,
        tree::histogram::KERNELS,
        tree::leaf_quantiles::KERNELS,
        tree::leaves::KERNELS,
        tree::other_scores::KERNELS,
        tree::partition::KERNELS,
        tree::predict::KERNELS,
        tree::target_histogram::KERNELS,
        tree::target_split::KERNELS,
        tree::target_squares::KERNELS,
    ];
    of_files.concat()
}
