//! Where the bins of one feature end.

/// The thresholds between at most `most` bins of these values, which it sorts; the last bin has none.
///
/// With few distinct values each has its bin, and a threshold is midway between two. Otherwise the bins hold nearly
/// equal numbers of values: one that alone fills a bin has one to itself, and the others share what is left.
pub(super) fn thresholds(values: &mut [f32], most: usize) -> Vec<f32> {
    values.sort_unstable_by(f32::total_cmp);
    // Both zeros are one value, and total order has them side by side.
    let mut distinct: Vec<(f32, usize)> = vec![];
    for value in values.iter() {
        match distinct.last_mut() {
            Some((last, count)) if last == value => *count += 1,
            _ => distinct.push((*value, 1)),
        }
    }
    if distinct.len() <= most {
        return distinct.windows(2).map(|pair| midway(pair[0].0, pair[1].0)).collect();
    }
    quantiles(&distinct, values.len(), most)
}

/// Cuts more than `most` distinct values, each with its count, where the bins are full.
fn quantiles(distinct: &[(f32, usize)], total: usize, most: usize) -> Vec<f32> {
    let heavy = |count: usize| count * most >= total;
    let heavy_counts = distinct.iter().map(|(_, count)| *count).filter(|count| heavy(*count));
    let (mut bins, mut rows) = heavy_counts.fold((most, total), |(bins, rows), count| (bins - 1, rows - count));
    // `bins` and `rows`: what is left for the values that share.
    let mut thresholds = vec![];
    let mut in_bin = 0;
    for pair in distinct.windows(2) {
        if thresholds.len() + 1 == most {
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

/// A number `middle` with `low ≤ middle < high`.
fn midway(low: f32, high: f32) -> f32 {
    let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
    if middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each_with_thresholds_midway() {
        assert_eq!(thresholds(&mut [3.0, 1.0, 1.0, 2.0, -0.0, 0.0], 255), [0.5, 1.5, 2.5]);
        let (low, high) = (1.0_f32, 1.0_f32.next_up());
        assert_eq!(thresholds(&mut [high, low], 255), [low]);
        assert_eq!(thresholds(&mut [f32::MAX, f32::MIN], 2), [0.0]);
        assert!(thresholds(&mut [], 255).is_empty() && thresholds(&mut [7.0; 5], 255).is_empty());
    }

    #[test]
    fn many_values_make_bins_of_nearly_equal_counts() {
        let mut values: Vec<f32> = (0..10_000).map(|value| (value * 7919 % 10_000) as f32).collect();
        let cuts = thresholds(&mut values, 100);
        assert_eq!(cuts.len(), 99);
        let mut last = 0;
        for cut in cuts {
            let below = values.iter().filter(|value| **value <= cut).count();
            assert_eq!(below - last, 100);
            last = below;
        }
    }

    #[test]
    fn a_heavy_value_has_a_bin_to_itself() {
        let mut values: Vec<f32> = (0..1000).map(|value| value as f32).chain([500.25; 9000]).collect();
        let cuts = thresholds(&mut values, 10);
        assert!(cuts.contains(&500.125) && cuts.contains(&500.625), "{cuts:?}");
        assert!(cuts.len() <= 9 && cuts.len() >= 7, "{cuts:?}");
    }
}
