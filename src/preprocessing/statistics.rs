//! What is known of each column, in f64, without its missing values.

use rayon::prelude::*;

use crate::array::Matrix;
use crate::cpu::reduce::column_moments::column_moments;
use crate::error::Result;

/// Columns gathered in one pass over the rows: sixteen numbers are a cache line.
const STRIP: usize = 16;
/// Numbers in a block of rows; the cut follows from the shape alone, so sums have the same bits with any threads.
const BLOCK_NUMBERS: usize = 1 << 18;

/// Mean, variance and number of the values in each column.
pub(super) struct Moments {
    pub(super) mean: Vec<f64>,
    /// Of the population: Σ (x − mean)² / n.
    pub(super) variance: Vec<f64>,
    pub(super) count: Vec<usize>,
}

/// The moments of each column, in two passes; zeros for a column without a value.
pub(super) fn moments(x: &Matrix) -> Result<Moments> {
    let (rows, columns) = (x.rows(), x.columns());
    if x.check_finite()?.is_none() {
        let found = column_moments(x.as_slice(), rows, columns, None);
        return Ok(Moments { mean: found.mean, variance: found.variance, count: vec![rows; columns] });
    }
    let (sums, count) = sum_present(x, &vec![0.0; columns], |value, _| value);
    let share = |sums: Vec<f64>| -> Vec<f64> {
        sums.iter().zip(&count).map(|(sum, count)| sum / (*count).max(1) as f64).collect()
    };
    let mean = share(sums);
    let (squares, _) = sum_present(x, &mean, |value, mean| (value - mean) * (value - mean));
    let variance = share(squares);
    Ok(Moments { mean, variance, count })
}

/// Σ of a term over the values of each column that are there, and how many they are.
fn sum_present(x: &Matrix, at: &[f64], term: impl Fn(f64, f64) -> f64 + Sync) -> (Vec<f64>, Vec<usize>) {
    let columns = x.columns();
    let one = |block: &[f32]| {
        let (mut sums, mut counts) = (vec![0.0_f64; columns], vec![0_usize; columns]);
        for row in block.chunks_exact(columns) {
            for (((value, at), sum), count) in row.iter().zip(at).zip(&mut sums).zip(&mut counts) {
                let present = !value.is_nan();
                *sum += if present { term(f64::from(*value), *at) } else { 0.0 };
                *count += usize::from(present);
            }
        }
        (sums, counts)
    };
    let rows = (BLOCK_NUMBERS / columns).clamp(64, 1 << 14);
    let blocks: Vec<(Vec<f64>, Vec<usize>)> = x.as_slice().par_chunks(rows * columns).map(one).collect();
    let (mut sums, mut counts) = (vec![0.0_f64; columns], vec![0_usize; columns]);
    for (block_sums, block_counts) in blocks {
        sums.iter_mut().zip(block_sums).for_each(|(sum, block)| *sum += block);
        counts.iter_mut().zip(block_counts).for_each(|(count, block)| *count += block);
    }
    (sums, counts)
}

/// The smallest and the largest value of each column; zeros for a column without a value.
pub(super) fn extremes(x: &Matrix) -> (Vec<f32>, Vec<f32>) {
    let columns = x.columns();
    let start = || (vec![f32::INFINITY; columns], vec![f32::NEG_INFINITY; columns]);
    let one = |block: &[f32]| {
        let (mut low, mut high) = start();
        for row in block.chunks_exact(columns) {
            // A comparison with NaN is false, so a missing value changes nothing.
            for ((value, low), high) in row.iter().zip(&mut low).zip(&mut high) {
                *low = if value < low { *value } else { *low };
                *high = if value > high { *value } else { *high };
            }
        }
        (low, high)
    };
    let rows = (BLOCK_NUMBERS / columns).clamp(64, 1 << 14);
    let (mut low, mut high) = x.as_slice().par_chunks(rows * columns).map(one).reduce(start, |left, right| {
        let lows = left.0.iter().zip(&right.0).map(|(left, right)| left.min(*right)).collect();
        let highs = left.1.iter().zip(&right.1).map(|(left, right)| left.max(*right)).collect();
        (lows, highs)
    });
    for (low, high) in low.iter_mut().zip(&mut high).filter(|(low, high)| low > high) {
        (*low, *high) = (0.0, 0.0);
    }
    (low, high)
}

/// `statistic` of the number and the values of each column, without the missing ones. A strip of columns is copied at a time.
pub(super) fn by_column<T: Send>(x: &Matrix, statistic: impl Fn(usize, Vec<f32>) -> T + Sync) -> Vec<T> {
    let columns = x.columns();
    let one = |strip: usize| {
        let range = strip * STRIP..columns.min((strip + 1) * STRIP);
        let mut gathered: Vec<Vec<f32>> = range.clone().map(|_| Vec::with_capacity(x.rows())).collect();
        for row in x.as_slice().chunks_exact(columns) {
            for (values, value) in gathered.iter_mut().zip(&row[range.clone()]) {
                if !value.is_nan() {
                    values.push(*value);
                }
            }
        }
        range.into_par_iter().zip(gathered).map(|(column, values)| statistic(column, values)).collect()
    };
    let strips: Vec<Vec<T>> = (0..columns.div_ceil(STRIP)).into_par_iter().map(one).collect();
    strips.into_iter().flatten().collect()
}

/// The quantile `share`, from 0 to 1, of at least one value: between two of them by linear interpolation. O(n).
pub(super) fn quantile(values: &mut [f32], share: f64) -> f64 {
    let place = share * (values.len() - 1) as f64;
    let low = (place.floor() as usize).min(values.len() - 1);
    let (_, first, behind) = values.select_nth_unstable_by(low, f32::total_cmp);
    let first = f64::from(*first);
    match behind.iter().copied().reduce(f32::min) {
        Some(second) if place > low as f64 => first + (f64::from(second) - first) * (place - low as f64),
        _ => first,
    }
}

/// The same of sorted values: O(1).
pub(super) fn sorted_quantile(values: &[f32], share: f64) -> f64 {
    let place = share * (values.len() - 1) as f64;
    let (low, high) = (f64::from(values[place.floor() as usize]), f64::from(values[place.ceil() as usize]));
    low + (high - low) * place.fract()
}
