//! The k nearest rows at the price of a product: `|x − y|² = |x|² + |y|² − 2x·y` on centred rows says which rows may be
//! among them, and the direct form settles those few.
//!
//! With `g` the relative rounding of the sums, the product form is within `2g(|x|² + |y|²)` of the true square. The part
//! of that which belongs to y is taken off its |y|², so that what the tile sums is a lower bound but for a number that
//! depends on the query alone.

use rayon::prelude::*;

use super::directions::sample_rows;
use super::k_nearest::{SearchRows, k_nearest_directly, write};
use super::measure::Measure;
use super::sweep::{Plan, joined, sweep};
use super::top_k::{Below, SORTED, TopK};
use crate::cpu::simd::arch;
use crate::cpu::tile::{
    Dot, Operand, PANEL_DEPTH, pack_panels, pair_distances, panel_product, panel_width, with_buffer,
};
use crate::cpu::vectorised;
use crate::distance::Metric;

/// The shapes for which it pays: shorter rows cost as much to look through as to sum, and few queries do not pay for
/// the centring.
const LEAST_COLUMNS: usize = 12;
const LEAST_QUERIES: usize = 64;
const LEAST_ROWS: usize = 512;
/// Rows whose mean is the centre; any centre is right, a good one keeps the margins small.
const SAMPLE: usize = 4096;
/// Queries of the first round, which shows whether the margins are small enough.
const TRIAL: usize = 96;
/// Candidates a query may keep beside twice k: with more it is looked at directly.
const SPARE: usize = 192;
/// The unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;
/// Squares below this may have lost digits to underflow.
const TINY: f64 = 1e-36;
/// Larger squares are near the end of f32.
const LARGEST: f64 = 1e36;
/// Numbers are rounded to f32 upwards or downwards by these factors.
const UP: f64 = 1.0 + 2.5 * U;
const DOWN: f64 = 1.0 - 2.5 * U;
/// Rows that a query waits for before it looks at the first: they give it a bound that few are below.
const HELD: usize = 4096;
/// Groups of held rows whose minima give that bound; k is at most as many.
const GROUPS: usize = SORTED;

/// The direct form's [`k_nearest`](super::k_nearest::k_nearest) by Euclidean distance, to its bits; false, with nothing
/// done, where that is as fast.
///
/// Costs `n·m·(d + 1)` multiply-adds, and `m` numbers of memory beside that of the direct form.
pub(super) fn k_nearest_by_product(
    search: SearchRows<'_>,
    k: usize,
    indices: &mut [u32],
    distances: &mut [f32],
) -> bool {
    let SearchRows { queries, n, rows, m, d } = search;
    let suits = (LEAST_COLUMNS..PANEL_DEPTH).contains(&d) && n >= LEAST_QUERIES && m >= LEAST_ROWS;
    if !suits || k > SORTED || k > m / 16 {
        return false;
    }
    let products = Products::new(rows, m, d);
    if !products.norms.iter().all(|&norm| f64::from(norm) < LARGEST) {
        return false;
    }
    let (mut done, mut in_vain) = (0, false);
    while done < n {
        let end = if done == 0 { n.min(TRIAL) } else { n };
        let some = SearchRows { queries: &queries[done * d..end * d], n: end - done, ..search };
        let (indices, distances) = (&mut indices[done * k..end * k], &mut distances[done * k..end * k]);
        if in_vain {
            k_nearest_directly(Metric::Euclidean, some, k, indices, distances);
        } else {
            in_vain = products.round(some, k, indices, distances) > some.n / 4;
        }
        done = end;
    }
    true
}

/// The rows' side of the products.
struct Products {
    center: Vec<f32>,
    /// |y|² of each centred row.
    norms: Vec<f32>,
    largest_norm: f32,
    /// The relative rounding of a sum: a chain of at most one depth block, the blocks' sums, and those of the norms,
    /// of the centring and of the shifts by a query's own number, each with some to spare.
    rounding: f64,
}

impl Products {
    fn new(rows: &[f32], m: usize, d: usize) -> Self {
        let sample = sample_rows(rows, m, d, SAMPLE);
        let mut sums = vec![0.0_f64; d];
        for row in sample.chunks_exact(d) {
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        let count = (sample.len() / d) as f64;
        let center: Vec<f32> = sums.into_iter().map(|sum| (sum / count) as f32).collect();
        let norms: Vec<f32> = rows.par_chunks_exact(d).with_min_len(64).map(|row| norm(row, &center)).collect();
        let largest_norm = norms.iter().fold(0.0, |largest: f32, &norm| largest.max(norm));
        Self { center, norms, largest_norm, rounding: 1.05 * ((d + 1).min(256) + d / 256 + 16) as f64 * U }
    }

    /// As many queries as are looked at together; how many of them had to be looked at directly.
    fn round(&self, all: SearchRows<'_>, k: usize, indices: &mut [u32], distances: &mut [f32]) -> usize {
        let SearchRows { queries, n, rows, d, .. } = all;
        let plan = Plan::new(n);
        let mut states = plan.states(|first, count| {
            let queries = queries[first * d..(first + count) * d].chunks_exact(d);
            queries.map(|query| Shortlist::new(k, norm(query, &self.center), self)).collect::<Vec<_>>()
        });
        sweep(&plan, self, queries, rows, d, &mut states, |states, block| {
            for (state, values) in states.iter_mut().zip(block.values.chunks_exact(block.columns)) {
                state.visit(block.first_row, values);
            }
        });
        let states = states.into_iter().enumerate();
        let firsts = states.map(|(index, state)| (plan.first_query(index), state)).collect::<Vec<_>>();
        let finish = |(first, states): (usize, Vec<Shortlist<'_>>)| -> Vec<Option<TopK>> {
            let queries = queries[first * d..].chunks_exact(d);
            states.into_iter().zip(queries).map(|(state, query)| state.finish(query, rows)).collect()
        };
        let finished: Vec<_> = firsts.into_par_iter().map(finish).collect();
        let lists = joined(finished, plan.parts(), |list, other| match (list.as_mut(), other) {
            (Some(list), Some(other)) => list.join(other),
            _ => *list = None,
        });
        let mut missing = Vec::new();
        for (index, list) in lists.into_iter().enumerate() {
            let range = index * k..(index + 1) * k;
            match list {
                Some(list) => write(Metric::Euclidean, list, &mut indices[range.clone()], &mut distances[range]),
                None => missing.push(index),
            }
        }
        directly(&missing, all, k, indices, distances);
        missing.len()
    }
}

/// The queries that gave up, by the direct form.
pub(super) fn directly(missing: &[usize], all: SearchRows<'_>, k: usize, indices: &mut [u32], distances: &mut [f32]) {
    let (n, d) = (missing.len(), all.d);
    let some: Vec<f32> =
        missing.iter().flat_map(|&index| all.queries[index * d..(index + 1) * d].iter().copied()).collect();
    let (mut found, mut apart) = (vec![0; n * k], vec![0.0; n * k]);
    k_nearest_directly(Metric::Euclidean, SearchRows { queries: &some, n, ..all }, k, &mut found, &mut apart);
    for (place, &index) in missing.iter().enumerate() {
        indices[index * k..(index + 1) * k].copy_from_slice(&found[place * k..(place + 1) * k]);
        distances[index * k..(index + 1) * k].copy_from_slice(&apart[place * k..(place + 1) * k]);
    }
}

/// |y|² of a centred row.
fn norm(row: &[f32], center: &[f32]) -> f32 {
    let square = |(&value, &center): (&f32, &f32)| f64::from(value - center).powi(2);
    row.iter().zip(center).map(square).sum::<f64>() as f32
}

impl Measure for Products {
    fn packed(&self, count: usize, d: usize) -> usize {
        count.next_multiple_of(panel_width()) * (d + 1)
    }

    /// Centred rows, and for each `|y|²·(1 − 2g)`.
    fn pack(&self, rows: &[f32], d: usize, panels: &mut [f32]) {
        with_buffer(rows.len() / d * (d + 1), |centred| {
            for (out, row) in centred.chunks_exact_mut(d + 1).zip(rows.chunks_exact(d)) {
                out.iter_mut().zip(row.iter().zip(&self.center)).for_each(|(out, (x, center))| *out = x - center);
                out[d] = (f64::from(norm(row, &self.center)) * (1.0 - 2.0 * self.rounding)) as f32;
            }
            pack_panels(Operand::from_rows(centred, rows.len() / d, d + 1), panels);
        });
    }

    /// `|y|²·(1 − 2g) − 2x·y`: lower bounds of the squares, but for the queries' own numbers.
    fn values(&self, queries: &[f32], d: usize, panels: &[f32], columns: usize, out: &mut [f32]) {
        with_buffer(queries.len() / d * (d + 1), |centred| {
            for (out, row) in centred.chunks_exact_mut(d + 1).zip(queries.chunks_exact(d)) {
                let pairs = row.iter().zip(&self.center);
                out.iter_mut().zip(pairs).for_each(|(out, (x, center))| *out = -2.0 * (x - center));
                out[d] = 1.0;
            }
            panel_product(Dot, Operand::from_rows(centred, queries.len() / d, d + 1), panels, columns, out);
        });
    }
}

/// What one query knows of the rows that it has seen.
struct Shortlist<'a> {
    products: &'a Products,
    k: usize,
    /// The first values, until there are enough of them, and the row that they begin with.
    held: Option<Vec<f32>>,
    first: usize,
    /// The k smallest upper bounds of squares.
    upper: TopK,
    /// Rows with the lower bounds of their squares, as far as they may still belong to the k nearest.
    close: Vec<(u32, f32)>,
    /// What is below it is close: the largest lower bound that may belong to the k nearest, less the query's number.
    threshold: f32,
    /// What makes a lower bound of a value: `|x|²·(1 − 2g)`.
    own: f64,
    /// |x|² of the centred query.
    norm: f64,
    room: usize,
    gave_up: bool,
}

impl<'a> Shortlist<'a> {
    fn new(k: usize, norm: f32, products: &'a Products) -> Self {
        let norm = f64::from(norm);
        Self {
            products,
            k,
            held: Some(Vec::new()),
            first: 0,
            upper: TopK::new(k),
            close: Vec::new(),
            threshold: f32::INFINITY,
            own: norm * (1.0 - 2.0 * products.rounding),
            norm,
            room: 4 * k + 2 * SPARE,
            gave_up: norm.is_nan() || norm >= LARGEST,
        }
    }

    /// Takes the values of the rows from `first` on.
    fn visit(&mut self, first: usize, values: &[f32]) {
        match &mut self.held {
            _ if self.gave_up => {}
            None => self.look(first, values),
            Some(held) => {
                if held.is_empty() {
                    self.first = first;
                    held.reserve_exact(HELD + values.len());
                }
                held.extend_from_slice(values);
                if held.len() >= HELD {
                    self.look_at_held();
                }
            }
        }
    }

    /// Each group's minimum is a row of its own, so the k-th of the minima bounds the k-th value.
    fn look_at_held(&mut self) {
        let Some(held) = self.held.take() else {
            return;
        };
        let mut minima = [f32::INFINITY; GROUPS];
        vectorised!(group_minima(&held, &mut minima));
        let (_, &mut value, _) = minima.select_nth_unstable_by(self.k - 1, f32::total_cmp);
        self.lower_threshold(self.upper(f64::from(value) + self.own, self.products.largest_norm));
        self.look(self.first, &held);
    }

    fn look(&mut self, first: usize, values: &[f32]) {
        let norms = &self.products.norms[first..first + values.len()];
        let take = |list: &mut Self, place: usize, value: f32| list.take((first + place) as u32, value, norms[place]);
        arch().dispatch(Below { list: self, values, take, bound: |list: &Self| list.threshold });
        if self.close.len() > self.room {
            self.prune();
            self.gave_up = self.close.len() > self.room / 2;
        }
    }

    #[inline(always)]
    fn take(&mut self, row: u32, value: f32, norm: f32) {
        let lower = f64::from(value) + self.own;
        self.close.push((row, (lower.max(0.0) * DOWN) as f32));
        self.upper.offer((self.upper(lower, norm) * UP) as f32, row);
        if self.upper.is_full() {
            self.lower_threshold(f64::from(self.upper.bound()));
        }
    }

    /// The upper bound of a square with this lower one.
    #[inline(always)]
    fn upper(&self, lower: f64, norm: f32) -> f64 {
        (lower + 4.0 * self.products.rounding * (self.norm + f64::from(norm))).max(0.0)
    }

    #[inline(always)]
    fn lower_threshold(&mut self, upper: f64) {
        let threshold = self.largest(upper) - self.own;
        self.threshold = self.threshold.min((threshold + threshold.abs() * (UP - 1.0) + TINY) as f32);
    }

    /// The largest lower bound that may belong to the k nearest, from an upper bound of the k-th square.
    ///
    /// If A is that and e the error of the direct form, k rows have values of at most A·(1+e), and a row whose square
    /// is above A·(1+e)/(1−e), less than A·(1+3e), has a larger one.
    #[inline(always)]
    fn largest(&self, upper: f64) -> f64 {
        (upper + TINY) * (1.0 + 3.0 * self.products.rounding) + TINY
    }

    fn prune(&mut self) {
        if self.upper.is_full() {
            let largest = self.largest(f64::from(self.upper.bound()));
            self.close.retain(|&(_, lower)| f64::from(lower) <= largest);
        }
    }

    /// The k nearest of the rows seen, by their values in the direct form; `None` if too many were close.
    fn finish(mut self, query: &[f32], rows: &[f32]) -> Option<TopK> {
        self.look_at_held();
        self.prune();
        if self.gave_up || self.close.len() > self.room / 2 {
            return None;
        }
        let d = query.len();
        let mut list = TopK::new(self.k);
        with_buffer(self.close.len(), |values| {
            let row = |index: usize| self.close[index].0 as usize;
            pair_distances(|index| (query, &rows[row(index) * d..(row(index) + 1) * d]), values);
            self.close.iter().zip(&*values).for_each(|(&(row, _), &value)| list.offer(value, row));
        });
        Some(list)
    }
}

/// The minima of every [`GROUPS`]-th value.
#[inline(always)]
fn group_minima(values: &[f32], minima: &mut [f32; GROUPS]) {
    for values in values.chunks(GROUPS) {
        for (minimum, &value) in minima.iter_mut().zip(values) {
            *minimum = if value < *minimum { value } else { *minimum };
        }
    }
}
