//! All rows within a radius of every query, by looking at all pairs.

use rayon::prelude::*;

use super::k_nearest::SearchRows;
use super::measure::{distance, largest_value, measure, prepared};
use super::sweep::{Plan, joined, sweep};
use super::top_k::Below;
use crate::cpu::simd::arch;
use crate::distance::Metric;

/// The rows near each of `n` queries, one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Neighborhoods {
    /// Where each query's rows begin, and the end: `n + 1` places, the first is 0.
    pub offsets: Vec<usize>,
    /// The rows of each query, in the order of their indices.
    pub indices: Vec<u32>,
    /// The distances of these rows.
    pub distances: Vec<f32>,
}

impl Neighborhoods {
    /// The rows near query `query` and their distances.
    pub fn get(&self, query: usize) -> (&[u32], &[f32]) {
        let range = self.offsets[query]..self.offsets[query + 1];
        (&self.indices[range.clone()], &self.distances[range])
    }

    /// From the pairs of index and value of every query.
    pub(super) fn from_values(metric: Metric, lists: Vec<Vec<(u32, f32)>>) -> Self {
        let mut offsets = Vec::with_capacity(lists.len() + 1);
        offsets.push(0);
        let mut total = 0;
        for list in &lists {
            total += list.len();
            offsets.push(total);
        }
        let (mut indices, mut distances) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for list in lists {
            indices.extend(list.iter().map(|&(index, _)| index));
            distances.extend(list.iter().map(|&(_, value)| distance(metric, value)));
        }
        Self { offsets, indices, distances }
    }
}

/// The rows of `m×d` whose distance from each of the `n×d` queries is at most `radius ≥ 0`, in the order of their indices.
///
/// The rounded distance decides, as [`k_nearest`](super::k_nearest::k_nearest) gives it. Costs `n·m·d` steps, and room for
/// the result twice.
pub fn radius_neighbors(metric: Metric, search: SearchRows<'_>, radius: f32) -> Neighborhoods {
    let SearchRows { queries, n, rows, m, d } = search;
    debug_assert!(radius >= 0.0 && m <= u32::MAX as usize);
    if d == 0 {
        return without_columns(metric, n, m, radius);
    }
    let largest = largest_value(metric, radius);
    let measure = measure(metric, d);
    let queries = prepared(metric, queries, d);
    let plan = Plan::new(n);
    let mut states = plan.states(|_, count| vec![Vec::new(); count]);
    sweep(&plan, measure.as_ref(), &queries, rows, d, &mut states, |lists: &mut Vec<Vec<(u32, f32)>>, block| {
        for (list, values) in lists.iter_mut().zip(block.values.chunks_exact(block.columns)) {
            collect(list, largest, block.first_row as u32, values);
        }
    });
    let mut lists = joined(states, plan.parts(), |list, other| list.extend(other));
    if plan.parts() > 1 {
        lists.par_iter_mut().for_each(|list| list.sort_unstable_by_key(|&(index, _)| index));
    }
    Neighborhoods::from_values(metric, lists)
}

/// Appends the rows whose value is at most `largest`.
fn collect(list: &mut Vec<(u32, f32)>, largest: f32, first: u32, values: &[f32]) {
    if largest == f32::INFINITY {
        list.extend(values.iter().enumerate().map(|(place, &value)| (first + place as u32, value)));
    } else {
        let bound = largest.next_up();
        let take = |list: &mut Vec<_>, place, value| list.push((first + place as u32, value));
        arch().dispatch(Below { list, values, take, bound: |_: &Vec<_>| bound });
    }
}

/// Rows of no columns are all at distance 0, or at 1 by their cosine.
fn without_columns(metric: Metric, n: usize, m: usize, radius: f32) -> Neighborhoods {
    let value = if metric == Metric::Cosine { 1.0 } else { 0.0 };
    let list: Vec<(u32, f32)> =
        if value <= radius { (0..m as u32).map(|index| (index, value)).collect() } else { Vec::new() };
    Neighborhoods::from_values(metric, vec![list; n])
}
