//! The sum of each column.

use super::column_blocks::{Value, sum_columns};

/// `out[j] = Σ_i x[i][j]` in f64, for `x` of `rows×columns`.
///
/// Reads `x` once, as fast as memory can be read. Within `rows·2⁻⁵³·Σ|terms|` of the exact sum, to the same bits with
/// any number of threads.
pub fn column_sums(x: &[f32], rows: usize, columns: usize, out: &mut [f64]) {
    debug_assert_eq!(x.len(), rows * columns);
    debug_assert_eq!(out.len(), columns);
    out.copy_from_slice(&sum_columns(Value, x, &vec![0.0; columns], None));
}
