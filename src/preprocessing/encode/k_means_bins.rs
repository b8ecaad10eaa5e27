//! k-means on one sorted column: clusters are ranges, and sums over ranges come from sums over beginnings.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Iterations at most.
const MOST_ITERATIONS: usize = 300;
/// The squared shifts of the centres add up to less than this times the variance at the end, as in scikit-learn.
const TOLERANCE: f64 = 1e-4;

/// The edges of the bins around k-means centres in sorted values that are not all equal: both ends, and the middles
/// between neighbouring centres. O(n) at first, then O(k·log n) an iteration.
pub(super) fn k_means_edges(values: &[f32], bins: usize) -> Vec<f64> {
    let (low, high) = (f64::from(values[0]), f64::from(values[values.len() - 1]));
    let sums = Sums::new(values);
    let mut centers: Vec<f64> =
        (0..bins).map(|bin| low + (high - low) * (2 * bin + 1) as f64 / (2 * bins) as f64).collect();
    let mut cuts: Vec<usize> = vec![];
    for _ in 0..MOST_ITERATIONS {
        let next_cuts = cuts_between(values, &centers);
        let next = means(values, &sums, &centers, &next_cuts);
        let shift: f64 = match next.len() == centers.len() {
            true => next.iter().zip(&centers).map(|(next, center)| (next - center).powi(2)).sum(),
            false => f64::INFINITY,
        };
        let settled = next_cuts == cuts || shift <= TOLERANCE * sums.variance;
        (centers, cuts) = (next, next_cuts);
        if settled {
            break;
        }
    }
    let middles = centers.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    [low].into_iter().chain(middles).chain([high]).collect()
}

/// Sums of the values before each place, measured from their mean, which keeps them small.
struct Sums {
    before: Vec<f64>,
    mean: f64,
    variance: f64,
}

impl Sums {
    fn new(values: &[f32]) -> Sums {
        let count = values.len() as f64;
        let mean = values.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
        let variance = values.iter().map(|value| (f64::from(*value) - mean).powi(2)).sum::<f64>() / count;
        let mut sum = 0.0;
        let running = values.iter().map(|value| {
            sum += f64::from(*value) - mean;
            sum
        });
        Sums { before: [0.0].into_iter().chain(running).collect(), mean, variance }
    }

    /// Σ of the values in a range, each less the mean.
    fn of(&self, start: usize, end: usize) -> f64 {
        self.before[end] - self.before[start]
    }
}

/// Where the values of each centre end: a value halfway between two goes to the lower.
fn cuts_between(values: &[f32], centers: &[f64]) -> Vec<usize> {
    let end = |pair: &[f64]| {
        let middle = (pair[0] + pair[1]) / 2.0;
        values.partition_point(|value| f64::from(*value) <= middle)
    };
    centers.windows(2).map(end).chain([values.len()]).collect()
}

/// The means of the ranges, ascending. A centre without values takes the value farthest from its own centre, out of
/// ranges of at least two, as long as one is off its centre; without such a value it is dropped.
fn means(values: &[f32], sums: &Sums, centers: &[f64], cuts: &[usize]) -> Vec<f64> {
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let mut ranges: Vec<Range<usize>> = starts.zip(cuts).map(|(start, end)| start..*end).collect();
    let empty = ranges.iter().filter(|range| range.is_empty()).count();
    let mut means = if empty > 0 { take_farthest(values, centers, &mut ranges, empty) } else { vec![] };
    let filled = ranges.iter().filter(|range| !range.is_empty());
    means.extend(filled.map(|range| sums.of(range.start, range.end) / range.len() as f64 + sums.mean));
    means.sort_unstable_by(f64::total_cmp);
    means
}

/// Takes up to `count` values out of the ranges. The values ascend, so the farthest of a range is at one of its ends.
fn take_farthest(values: &[f32], centers: &[f64], ranges: &mut [Range<usize>], count: usize) -> Vec<f64> {
    let value = |at: usize| f64::from(values[at]);
    // (bits of the distance, which order as the distance does, lowest range first, whether it is at the end)
    let farthest = |number: usize, range: &Range<usize>| {
        let (low, high) =
            ((value(range.start) - centers[number]).abs(), (value(range.end - 1) - centers[number]).abs());
        (low.max(high).to_bits(), Reverse(number), high > low)
    };
    let candidates = ranges.iter().enumerate().filter(|(_, range)| range.len() > 1);
    let mut heap: BinaryHeap<_> = candidates.map(|(number, range)| farthest(number, range)).collect();
    let mut taken = Vec::with_capacity(count);
    while let Some((distance, Reverse(number), at_end)) = heap.pop() {
        if taken.len() == count || distance == 0 {
            break;
        }
        let range = &mut ranges[number];
        taken.push(value(if at_end { range.end - 1 } else { range.start }));
        if at_end {
            range.end -= 1
        } else {
            range.start += 1
        }
        if range.len() > 1 {
            heap.push(farthest(number, range));
        }
    }
    taken
}
