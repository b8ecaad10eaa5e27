//! Growing and reading decision trees: histograms of binned rows, the best split of one, stable partitions of rows, and
//! predictions. What decides a tree is an integer or one fixed f64 formula of integers, so that any number of threads,
//! any cut of the work and any device give the same tree.

pub mod best_split;
pub mod bin_set;
pub mod class_histogram;
pub mod gradients;
pub mod histogram;
pub mod level_split;
mod losses;
pub mod monotone;
pub mod partition;
pub mod predict;
pub mod target_histogram;
pub mod value_histogram;

pub use target_histogram::TargetRows;

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
    let bits = (value + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}
