//! Where the bins of one feature end.

use crate::cpu::sort::numbers::sort_numbers;
use crate::cpu::tree::split::midway;

/// The thresholds between at most `max_bins` bins of these values, which it sorts; the last bin has none.
///
/// With few distinct values each has its bin, and a threshold is midway between two. Otherwise the bins hold nearly
/// equal numbers of values: one that alone fills a bin has one to itself, and the others share what is left.
pub fn thresholds(values: &mut [f32], max_bins: usize) -> Vec<f32> {
    sort_numbers(values);
    // Both zeros are one value, and total order has them side by side.
    let mut distinct: Vec<(f32, usize)> = vec![];
    for value in values.iter() {
        match distinct.last_mut() {
            Some((last, count)) if last == value => *count += 1,
            _ => distinct.push((*value, 1)),
        }
    }
    if distinct.len() <= max_bins {
        return distinct.windows(2).map(|pair| midway(pair[0].0, pair[1].0)).collect();
    }
    quantiles(&distinct, values.len(), max_bins)
}

/// Cuts more than `max_bins` distinct values, each with its count, where the bins are full.
fn quantiles(distinct: &[(f32, usize)], total: usize, max_bins: usize) -> Vec<f32> {
    let heavy = |count: usize| count * max_bins >= total;
    let heavy_counts = distinct.iter().map(|(_, count)| *count).filter(|count| heavy(*count));
    let (mut bins, mut rows) = heavy_counts.fold((max_bins, total), |(bins, rows), count| (bins - 1, rows - count));
    // `bins` and `rows`: what is left for the values that share.
    let mut thresholds = vec![];
    let mut in_bin = 0;
    for pair in distinct.windows(2) {
        if thresholds.len() + 1 == max_bins {
            break;
        }
        let ((value, count), (next, next_count)) = (pair[0], pair[1]);
        in_bin += count;
        let goal = rows as f64 / bins.max(1) as f64;
        let full = in_bin as f64 >= goal || heavy(next_count) && 2.0 * in_bin as f64 >= goal;
        if heavy(count) || full {
            thresholds.push(midway(value, next));
            if !heavy(count) {
                rows -= in_bin.min(rows);
                bins = bins.saturating_sub(1);
            }
            in_bin = 0;
        }
    }
    thresholds
}
