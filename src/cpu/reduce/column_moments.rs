//! The mean and the variance of each column, in two passes.

use super::column_blocks::{SquaredDeviation, Value, sum_columns};
use super::sum::sum;

/// What [`column_moments`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnMoments {
    /// `Σ w·x / Σ w` of each column.
    pub mean: Vec<f64>,
    /// `Σ w·(x − mean)² / Σ w` of each column, the variance of the population.
    pub variance: Vec<f64>,
    /// Rows.
    pub count: usize,
    /// `Σ w`; the number of rows without weights.
    pub weight: f64,
}

/// Mean and variance of the columns of `x`, `rows×columns`; `weights` has one per row, not negative.
///
/// No rows, or no weight, give zeros. Reads `x` twice and works in f64. The mean is within `rows·2⁻⁵³·Σ|terms| / Σw`,
/// the variance within about `rows·2⁻⁵³` of itself, however far from the origin the data lie.
pub fn column_moments(x: &[f32], rows: usize, columns: usize, weights: Option<&[f32]>) -> ColumnMoments {
    debug_assert_eq!(x.len(), rows * columns);
    debug_assert!(weights.is_none_or(|weights| weights.len() == rows));
    let weight = weights.map_or(rows as f64, sum);
    let share = |sums: Vec<f64>| -> Vec<f64> {
        sums.into_iter().map(|sum| if weight > 0.0 { sum / weight } else { 0.0 }).collect()
    };
    let mean = share(sum_columns(Value, x, &vec![0.0; columns], weights));
    let variance = share(sum_columns(SquaredDeviation, x, &mean, weights));
    ColumnMoments { mean, variance, count: rows, weight }
}
