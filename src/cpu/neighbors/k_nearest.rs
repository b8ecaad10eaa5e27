//! The k nearest rows of every query, by looking at all pairs.

use rayon::prelude::*;

use super::by_product::k_nearest_by_product;
use super::measure::{common, distance, measure, prepared};
use super::sweep::{Plan, joined, sweep};
use super::top_k::TopK;
use crate::distance::Metric;

/// Bytes of candidates held at a time: queries beyond that wait for the next round.
const HELD: usize = 1 << 26;

/// Queries, `n×d`, and the rows that are searched for what is near them, `m×d`.
#[derive(Debug, Clone, Copy)]
pub struct SearchRows<'a> {
    /// The queries, row by row.
    pub queries: &'a [f32],
    /// How many there are.
    pub n: usize,
    /// The rows that are searched, row by row.
    pub rows: &'a [f32],
    /// How many there are.
    pub m: usize,
    /// Columns of both.
    pub d: usize,
}

impl<'a> SearchRows<'a> {
    /// The queries with their number, the rows with theirs, and the columns.
    pub fn new(queries: &'a [f32], n: usize, rows: &'a [f32], m: usize, d: usize) -> SearchRows<'a> {
        debug_assert!(queries.len() == n * d && rows.len() == m * d);
        SearchRows { queries, n, rows, m, d }
    }
}

/// The `k` nearest of the `m×d` rows for each of the `n×d` queries, nearest first; equal ones by the lowest index.
///
/// `indices` and `distances` are `n×k`, with `1 ≤ k ≤ m`. Order is by the value before the root, which is taken last.
/// The values are those of the direct form, in which nothing cancels far from the origin: by Euclidean distance, products
/// of centred rows choose for which rows it is computed. Costs `n·m·d` steps, and some MiB besides the output; a query's neighbours do not depend on the other queries or on the number of threads.
pub fn k_nearest(metric: Metric, search: SearchRows<'_>, k: usize, indices: &mut [u32], distances: &mut [f32]) {
    let SearchRows { n, m, d, .. } = search;
    debug_assert!((1..=m).contains(&k) && m <= u32::MAX as usize);
    debug_assert!(indices.len() == n * k && distances.len() == n * k);
    if n == 0 {
        return;
    }
    if d == 0 {
        return without_columns(metric, k, indices, distances);
    }
    if common(metric) == Metric::Euclidean && k_nearest_by_product(search, k, indices, distances) {
        return;
    }
    k_nearest_directly(metric, search, k, indices, distances);
}

/// The same by the direct form throughout, for rows of at least one column and at least one query.
pub(super) fn k_nearest_directly(
    metric: Metric,
    search: SearchRows<'_>,
    k: usize,
    indices: &mut [u32],
    distances: &mut [f32],
) {
    let SearchRows { queries, rows, d, .. } = search;
    let measure = measure(metric, d);
    let at_once = (HELD / (12 * k)).max(48 * rayon::current_num_threads());
    let outputs = indices.chunks_mut(at_once * k).zip(distances.chunks_mut(at_once * k));
    for (queries, (indices, distances)) in queries.chunks(at_once * d).zip(outputs) {
        let queries = prepared(metric, queries, d);
        let plan = Plan::new(queries.len() / d);
        let mut states = plan.states(|_, count| (0..count).map(|_| TopK::new(k)).collect::<Vec<_>>());
        sweep(&plan, measure.as_ref(), &queries, rows, d, &mut states, |lists, block| {
            for (list, values) in lists.iter_mut().zip(block.values.chunks_exact(block.columns)) {
                list.offer_rising(block.first_row as u32, values);
            }
        });
        let outputs = indices.par_chunks_mut(k).zip(distances.par_chunks_mut(k));
        let lists = joined(states, plan.parts(), TopK::join);
        lists.into_par_iter().zip(outputs).with_min_len(64).for_each(|(list, (indices, distances))| {
            write(metric, list, indices, distances);
        });
    }
}

/// A list in order, as `k` indices and distances.
pub(super) fn write(metric: Metric, list: TopK, indices: &mut [u32], distances: &mut [f32]) {
    for ((value, row), (index, out)) in list.into_pairs().zip(indices.iter_mut().zip(distances)) {
        (*index, *out) = (row, distance(metric, value));
    }
}

/// Rows of no columns are all equal: at distance 0, or 1 by their cosine as all rows of zeros are.
fn without_columns(metric: Metric, k: usize, indices: &mut [u32], distances: &mut [f32]) {
    indices.iter_mut().enumerate().for_each(|(place, index)| *index = (place % k) as u32);
    distances.fill(if metric == Metric::Cosine { 1.0 } else { 0.0 });
}
