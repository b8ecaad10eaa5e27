//! Splits by absolute error: what a side loses is the sum of its distances from its own median, which no cell can add
//! up.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::rows::{CategoryOrder, complete};
use super::{FeatureDraw, FeatureOrder, NodeSplitter, RankedSums, SplitterRows, TargetNode, TargetSplit, search_drawn};
use crate::cpu::tree::split::{Split, SplitRule, first_best};
use crate::cpu::tree::target::{RankedValues, TargetTotals, TreeTarget};

/// Rows times features of a node at least before its features are shared among threads.
const PARALLEL: usize = 1 << 13;

/// Finds splits by sorting the rows of a node by each feature and letting them into ranked sums, once from each end:
/// n·(d + p)·log n steps a level.
#[derive(Debug)]
pub struct MedianSplitter<'a> {
    rows: SplitterRows<'a>,
    targets: RankedValues<'a>,
    draw: FeatureDraw,
    order: FeatureOrder,
}

/// A place where the rows of a node, sorted by a feature, can be split.
struct Boundary {
    /// Present rows on the left.
    left: usize,
    /// The last value on the left.
    last: f32,
    rule: SplitRule,
}

/// The rows of a node, as the search of each feature needs them.
struct Sorted<'a> {
    rows: &'a [u32],
    /// What all of them lose together.
    whole: i128,
    sums: &'a [RankedSums],
}

impl<'a> MedianSplitter<'a> {
    /// Splits of these rows, which have these targets, by features that `draw` draws.
    pub fn new(rows: SplitterRows<'a>, targets: RankedValues<'a>, draw: FeatureDraw) -> MedianSplitter<'a> {
        MedianSplitter { rows, targets, draw, order: FeatureOrder::default() }
    }
}

impl<T: TreeTarget> NodeSplitter<T> for MedianSplitter<'_> {
    fn best_split(&mut self, node: &TargetNode<'_, T>, path: u64, rows: &[u32]) -> Option<TargetSplit> {
        let MedianSplitter { rows: table, targets, draw, order } = self;
        let mut sums = vec![RankedSums::default(); targets.outputs];
        for (output, sums) in sums.iter_mut().enumerate() {
            sums.rank(rows.iter().map(|row| targets.of(*row as usize, output)));
            (0..rows.len()).for_each(|place| sums.insert(place));
        }
        let whole = sums.iter().map(RankedSums::absolute_deviation).sum();
        let all = Sorted { rows, whole, sums: &sums };
        let of = |feature: &u32| of_feature((table, draw), node, path, &all, *feature);
        search_drawn(draw, order, path, |features| match rows.len() * features.len() < PARALLEL {
            true => features.iter().map(of).fold(None, first_best),
            false => features.par_iter().map(of).collect::<Vec<_>>().into_iter().fold(None, first_best),
        })
    }

    fn rows(&self) -> SplitterRows<'_> {
        self.rows
    }
}

/// The best split of a node by one feature, thresholds in ascending order.
fn of_feature<T: TreeTarget>(
    (table, draw): (&SplitterRows<'_>, &FeatureDraw),
    node: &TargetNode<'_, T>,
    path: u64,
    all: &Sorted<'_>,
    feature: u32,
) -> Option<TargetSplit> {
    let mut values = Vec::with_capacity(all.rows.len());
    table.feature_values(all.rows, feature, &mut values)?;
    // Categories in the order of their means: what is near in the target stands near.
    let categories = table.category_bins(feature).map(|bins| {
        let means = category_means(node, all.rows, &values);
        CategoryOrder::arrange(bins, &mut values, |bin| means[bin as usize])
    });
    let mut places: Vec<u32> = (0..all.rows.len() as u32).collect();
    // NaN comes last; equal rows stay in their order.
    places.sort_by(|one, other| nan_last(values[*one as usize], values[*other as usize]));
    let present = places.partition_point(|place| !values[*place as usize].is_nan());
    let at_random = draw.cuts_at_random().then_some((draw, path));
    let boundaries = boundaries(table, (&values, &places, present), at_random, feature, categories.is_some());
    if boundaries.is_empty() {
        return None;
    }
    let mut sums = all.sums.to_vec();
    let (present, missing) = places.split_at(present);
    let mut best: Option<(f64, usize, bool)> = None;
    for missing_left in [false, true] {
        if missing_left && missing.is_empty() {
            break;
        }
        let (with_left, with_right) = if missing_left { (missing, &[][..]) } else { (&[][..], missing) };
        let left = losses(&mut sums, with_left, present.iter(), boundaries.iter().map(|at| at.left));
        let from_end = boundaries.iter().rev().map(|at| present.len() - at.left);
        let right = losses(&mut sums, with_right, present.iter().rev(), from_end);
        for (at, (left, right)) in left.iter().zip(right.iter().rev()).enumerate() {
            let count = boundaries[at].left + with_left.len();
            let gain = (all.whole - left - right) as f64;
            let first = |best: (f64, usize, bool)| gain > best.0 || gain == best.0 && at < best.1;
            if node.bounds.allow(count as u64) && best.is_none_or(first) {
                best = Some((gain, at, missing_left));
            }
        }
    }
    let (gain, at, missing_left) = best?;
    let Boundary { left: count, last, rule } = boundaries[at];
    let mut left = vec![0; node.cell.len()];
    let on_left = present[..count].iter().chain(if missing_left { missing } else { &[] });
    on_left.for_each(|place| node.target.add(all.rows[*place as usize] as usize, &mut left));
    let mut split = Split { rule: SplitRule { missing_left, ..rule }, gain, left };
    complete(node, &mut split, categories.as_ref(), last, !missing.is_empty());
    Some(split)
}

/// Where the present rows can be split, ascending: everywhere between two that differ, or at one random place.
fn boundaries(
    table: &SplitterRows<'_>,
    (values, places, present): (&[f32], &[u32], usize),
    at_random: Option<(&FeatureDraw, u64)>,
    feature: u32,
    is_categorical: bool,
) -> Vec<Boundary> {
    let at = |place: usize| values[places[place] as usize];
    let mut found = vec![];
    if let Some((draw, path)) = at_random.filter(|_| present > 0 && at(0) < at(present - 1)) {
        let (low, high) = (at(0), at(present - 1));
        let (last, rule) = match is_categorical {
            true => (draw.place(path, feature, high as u32) as f32, SplitRule::at(feature, 0, 0.0)),
            false => table.random_cut(feature, (low, high), draw, path),
        };
        let left = places[..present].partition_point(|place| values[*place as usize] <= last);
        return vec![Boundary { left, last, rule }];
    }
    for left in (1..present).filter(|left| at(left - 1) < at(*left)) {
        let rule = match is_categorical {
            true => SplitRule::at(feature, 0, 0.0),
            false => table.cut_between(feature, at(left - 1), at(left)),
        };
        found.push(Boundary { left, last: at(left - 1), rule });
    }
    if present > 0 && present < places.len() {
        found.push(Boundary { left: present, last: at(present - 1), rule: table.after_last(feature) });
    }
    found
}

/// The mean target of the rows of each bin, the first where there are several.
fn category_means<T: TreeTarget>(node: &TargetNode<'_, T>, rows: &[u32], bins: &[f32]) -> Vec<f64> {
    let words = node.cell.len();
    let mut cells = vec![0; 256 * words];
    for (row, bin) in rows.iter().zip(bins).filter(|(_, bin)| !bin.is_nan()) {
        node.target.add(*row as usize, &mut cells[*bin as usize * words..][..words]);
    }
    let mean = |cell: &[u64]| {
        let mut totals = TargetTotals::default();
        node.target.totals(cell, &mut totals);
        if totals.weight > 0.0 { totals.parts[0] / totals.weight } else { 0.0 }
    };
    cells.chunks_exact(words).map(mean).collect()
}

/// What the rows lose that are in after each of these numbers of them, ascending; those in `first` are in from the
/// start.
fn losses<'a>(
    sums: &mut [RankedSums],
    first: &[u32],
    places: impl Iterator<Item = &'a u32>,
    counts: impl Iterator<Item = usize>,
) -> Vec<i128> {
    sums.iter_mut().for_each(RankedSums::clear);
    let insert = |sums: &mut [RankedSums], place: u32| sums.iter_mut().for_each(|sums| sums.insert(place as usize));
    first.iter().for_each(|place| insert(sums, *place));
    let (mut places, mut inside) = (places, 0);
    counts
        .map(|count| {
            places.by_ref().take(count - inside).for_each(|place| insert(sums, *place));
            inside = count;
            sums.iter().map(RankedSums::absolute_deviation).sum()
        })
        .collect()
}

/// The order of numbers in which NaN comes last.
fn nan_last(one: f32, other: f32) -> Ordering {
    one.partial_cmp(&other).unwrap_or_else(|| one.is_nan().cmp(&other.is_nan()))
}
