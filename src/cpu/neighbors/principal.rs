//! Nearest rows in high dimension: most pairs are proved too far apart by their leading principal coordinates.

use rayon::prelude::*;

use super::by_product::directly;
use super::directions::{directions, sample_rows};
use super::k_nearest::{SearchRows, k_nearest, write};
use super::measure::measure;
use super::reduced::{Frame, Reduced};
use super::refine::{Candidates, MARGIN_ROWS, Query, Search};
use super::sweep::{Plan, joined, sweep};
use super::top_k::{SORTED, TopK};
use crate::distance::Metric;

/// Leading directions: with the length left over they fill 32 numbers, or 16 where rows are short.
const LEAD: usize = 31;
const SHORT_LEAD: usize = 15;
/// Directions in all for long rows: with two lengths the tail fills 96 numbers.
const ALL: usize = LEAD + 94;
/// The width from which rows are long.
const LONG: usize = 192;
/// Rows and queries that the trial takes.
const TRIAL_ROWS: usize = 16_384;
const TRIAL_QUERIES: usize = 48;
/// A pair that survives the first bound costs as much as this many steps of the tile, most of it waiting for memory.
const SURVIVOR: usize = 2500;
/// Neighbours that the trial asks for.
const TRIAL_NEIGHBOURS: usize = 10;
/// Pairs of query and row looked at in one round: bounds the memory of the candidates to some tens of MiB.
const PAIRS: usize = 1 << 26;

/// Coordinates of the training rows; Euclidean distance only.
///
/// A pair whose coordinates are farther apart than the k-th neighbour found so far, by more than rounding can explain,
/// is left out; what remains is looked at with more coordinates, then in full. The result has the bits of
/// [`k_nearest`].
pub struct Principal {
    frame: Frame,
    reduced: Reduced,
    /// The largest margin of every few rows.
    margins: Vec<f32>,
}

impl Principal {
    /// The coordinates of the rows, `m×d` with `1 ≤ d ≤ 4096`; `None` if they would not leave out enough.
    ///
    /// Costs the scatter of a sample and `m·d` steps per direction, at most 125; holds 16 to 130 numbers per row.
    pub fn build(rows: &[f32], m: usize, d: usize) -> Option<Principal> {
        let (lead, all) = if d < LONG { (SHORT_LEAD, SHORT_LEAD) } else { (LEAD, ALL) };
        let directions = directions(rows, m, d, all);
        if directions.count == 0 {
            return None;
        }
        let frame = Frame::new(directions, d, lead);
        let sample = sample_rows(rows, m, d, TRIAL_ROWS);
        let trial = Principal::new(frame, &sample);
        if !trial.is_worth_it(&sample, d) {
            return None;
        }
        let whole = Principal::new(trial.frame, rows);
        whole.reduced.margins.iter().all(|margin| margin.is_finite()).then_some(whole)
    }

    fn new(frame: Frame, rows: &[f32]) -> Self {
        let reduced = frame.reduce(rows);
        let largest = |margins: &[f32]| margins.iter().fold(0.0_f32, |largest, &margin| largest.max(margin));
        let margins = reduced.margins.chunks(MARGIN_ROWS).map(largest).collect();
        Self { frame, reduced, margins }
    }

    /// Whether the leading coordinates alone leave out nearly all pairs of some rows with the sample.
    fn is_worth_it(&self, sample: &[f32], d: usize) -> bool {
        let m = sample.len() / d;
        // A row of the sample finds itself, so one more is asked for.
        let k = (TRIAL_NEIGHBOURS + 1).min(m);
        let queries = sample_rows(sample, m, d, TRIAL_QUERIES);
        let n = queries.len() / d;
        let (mut indices, mut distances) = (vec![0; n * k], vec![0.0; n * k]);
        k_nearest(Metric::Euclidean, SearchRows::new(&queries, n, sample, m, d), k, &mut indices, &mut distances);
        let width = self.frame.lead_width();
        let reduced = self.frame.reduce(&queries);
        let counts = reduced.lead.par_chunks_exact(width).zip(&reduced.margins).zip(distances.par_chunks_exact(k));
        let kept: usize = counts
            .map(|((query, &margin), distances)| {
                let rows = self.reduced.lead.chunks_exact(width).zip(&self.reduced.margins);
                let near = rows.filter(|(row, row_margin)| {
                    let square: f32 = row.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum();
                    square.sqrt() <= distances[k - 1] + margin + **row_margin
                });
                near.count()
            })
            .sum();
        // Three fifths of what all pairs cost: less would not pay for the coordinates.
        width * n * m + SURVIVOR * kept <= 3 * d * n * m / 5
    }

    /// [`k_nearest`] for the rows that this was built from, by Euclidean distance.
    pub fn k_nearest(&self, search: SearchRows<'_>, k: usize, indices: &mut [u32], distances: &mut [f32]) {
        let SearchRows { queries, n, m, d, .. } = search;
        debug_assert!(self.reduced.margins.len() == m);
        if k > SORTED || k > m / 64 {
            return k_nearest(Metric::Euclidean, search, k, indices, distances);
        }
        let at_once = (PAIRS / m).max(48 * rayon::current_num_threads());
        let mut done = 0;
        let mut in_vain = false;
        while done < n {
            let end = if in_vain { n } else { n.min(done + at_once) };
            let some = SearchRows { queries: &queries[done * d..end * d], n: end - done, ..search };
            let (indices, distances) = (&mut indices[done * k..end * k], &mut distances[done * k..end * k]);
            if in_vain {
                k_nearest(Metric::Euclidean, some, k, indices, distances);
            } else {
                in_vain = self.round(some, k, indices, distances) > some.n / 2;
            }
            done = end;
        }
    }

    /// As many queries as are looked at together; how many of them had to look at all pairs.
    fn round(&self, all: SearchRows<'_>, k: usize, indices: &mut [u32], distances: &mut [f32]) -> usize {
        let SearchRows { queries, n, rows, d, .. } = all;
        let reduced = self.frame.reduce(queries);
        let (width, tail_width) = (self.frame.lead_width(), self.frame.tail_width());
        let search = Search { rows, d, k, reduced: &self.reduced, margins: &self.margins, tail_width };
        let query = |index: usize| Query {
            row: &queries[index * d..(index + 1) * d],
            tail: &reduced.tail[index * tail_width..(index + 1) * tail_width],
            margin: f64::from(reduced.margins[index]),
        };
        let plan = Plan::new(n);
        let mut states =
            plan.states(|first, count| (first, (0..count).map(|_| Candidates::new(k)).collect::<Vec<_>>()));
        let bound = measure(Metric::Euclidean, width);
        sweep(
            &plan,
            bound.as_ref(),
            &reduced.lead,
            &self.reduced.lead,
            width,
            &mut states,
            |(first, states), block| {
                for ((offset, state), values) in
                    states.iter_mut().enumerate().zip(block.values.chunks_exact(block.columns))
                {
                    search.visit(&query(*first + offset), state, block.first_row, values);
                }
            },
        );
        let exact = measure(Metric::Euclidean, d);
        let finish = |(first, states): (usize, Vec<Candidates>)| -> Vec<Option<TopK>> {
            let states = states.into_iter().enumerate();
            states.map(|(offset, state)| search.finish(&query(first + offset), state, exact.as_ref())).collect()
        };
        let finished: Vec<Vec<Option<TopK>>> = states.into_par_iter().map(finish).collect();
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
