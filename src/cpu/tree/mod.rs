//! Growing and reading decision trees. What decides a tree is an integer or one fixed f64 formula of integers, so that
//! any number of threads, any cut of the work and any device give the same tree.
//!
//! | module | what is in it |
//! |---|---|
//! | `layout`, `categories` | where features stand in binned rows; bins of categories and sets of them |
//! | `gradients`, `fixed_exp` | gradients and Hessians of losses, the same bits on every device |
//! | `fixed_point`, `histogram` | gradients as integers; histograms of them |
//! | `target` | classes and numbers as integers |
//! | `forest` | what trees of them are made of: the rows they draw, histograms, splits, sums of squares |
//! | `split` | what a split is |
//! | `best_split`, `monotone` | the best split by gradients |
//! | `splitters` | the best split by classes or numbers, node after node |
//! | `category_split` | sets of categories, for both |
//! | `partition`, `predict` | rows to the left and right; leaves of rows |
//! | `leaves`, `leaf_quantiles` | sums of the rows of leaves; quantiles of their residuals, Huber's δ and steps |
//! | `other_scores` | scores of rows outside the trees |
//! | `row_sample` | rows drawn anew for each round |

pub mod best_split;
pub mod categories;
pub mod category_split;
pub mod fixed_exp;
pub mod fixed_point;
mod forest;
pub mod gradients;
pub mod histogram;
pub mod layout;
pub mod leaf_quantiles;
pub mod leaves;
pub mod monotone;
pub mod other_scores;
pub mod partition;
pub mod predict;
pub mod row_sample;
pub mod split;
pub mod splitters;
pub mod target;

pub use categories::{BinSet, CategoryBins, UNKNOWN};
pub use fixed_point::GradientSums;
pub use forest::{bootstrap, target_histogram, target_split, target_squares};
pub use layout::{BinLayout, FeaturePlace};
pub use partition::Route;
pub use row_sample::RowSample;
pub use split::{Split, SplitRule};
pub use target_histogram::{ClassRows, TargetRows, ValueRows};
pub use target_squares::NodeSquares;

use crate::cpu::sort::numbers::key;

/// Rows as bins, in two orders: row `i` is `stride` bytes, one for each column and then padding.
#[derive(Debug, Clone, Copy)]
pub struct BinnedRows<'a> {
    /// n×stride bytes.
    pub bins: &'a [u8],
    /// Bytes of a row, a multiple of eight.
    pub stride: usize,
    /// The same codes column after column, n bytes each.
    pub columns: &'a [u8],
}

/// Threads that share the work; results never depend on it.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads().max(1)
}

/// An integer in the order of the numbers, as the shaders make it; −0 as 0, as they compare equal.
#[inline(always)]
pub(crate) fn ordered(value: f32) -> u32 {
    key(value + 0.0)
}
