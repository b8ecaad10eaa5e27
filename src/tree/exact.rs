//! Exact splits: every threshold between two values of a node, without bins.

use rayon::prelude::*;

use super::features::{FeatureDraw, FeatureOrder};
use super::level_scan::scan_levels;
use super::levels::{LevelBins, Levels};
use super::quantiles::midway;
use super::sequential::Splitter;
use super::split::{Cut, Node, Split};
use super::target::Target;
use crate::array::Matrix;
use crate::cpu::tree::ordered;

/// Values that a node sorts at least before its features are shared among threads.
const PARALLEL: usize = 1 << 14;

/// Finds splits by sorting the rows of a node by each feature: n·d·log n steps a level.
#[derive(Debug)]
pub(crate) struct ExactSplitter<'a> {
    x: &'a Matrix,
    /// The bins of categorical features, which have bins here too.
    levels: &'a Levels,
    draw: FeatureDraw,
    order: FeatureOrder,
}

impl<'a> ExactSplitter<'a> {
    /// Splits of the rows of `x` by features that `draw` draws.
    pub(crate) fn new(x: &'a Matrix, levels: &'a Levels, draw: FeatureDraw) -> ExactSplitter<'a> {
        ExactSplitter { x, levels, draw, order: FeatureOrder::default() }
    }

    /// The best split by one feature; `keys` is room to sort in.
    fn best_of<T: Target>(&self, node: &Node<'_, T>, rows: &[u32], feature: u32, keys: &mut Vec<u64>) -> Option<Split> {
        match self.levels.feature(feature as usize) {
            Some(levels) => best_of_levels(self.x, levels, node, rows, feature),
            None => best_of_feature(self.x, node, rows, feature, keys),
        }
    }
}

impl<T: Target> Splitter<T> for ExactSplitter<'_> {
    fn best_split(&mut self, node: &Node<'_, T>, path: u64, rows: &[u32]) -> Option<Split> {
        self.draw.start(path, &mut self.order);
        let features = self.order.drawn();
        let mut best = if rows.len() * features.len() < PARALLEL {
            let mut keys = Vec::with_capacity(rows.len());
            let found = features.iter().map(|feature| self.best_of(node, rows, *feature, &mut keys));
            found.fold(None, better)
        } else {
            let of = |feature: &u32| self.best_of(node, rows, *feature, &mut Vec::with_capacity(rows.len()));
            let found: Vec<Option<Split>> = features.par_iter().map(of).collect();
            found.into_iter().fold(None, better)
        };
        while best.is_none() {
            let feature = self.draw.another(&mut self.order)?;
            best = self.best_of(node, rows, feature, &mut vec![]);
        }
        best
    }

    fn partition(&mut self, split: &Split, rows: &mut [u32], right: &mut Vec<u32>) -> usize {
        let levels = split.levels.as_ref().zip(self.levels.feature(split.feature as usize));
        let goes_left = |row: u32| {
            let value = self.x.get(row as usize, split.feature as usize);
            if let Some((left, levels)) = levels.filter(|_| !value.is_nan()) {
                return left.contains(levels.bin(value));
            }
            if value.is_nan() { split.missing_left } else { value <= split.threshold }
        };
        right.clear();
        let mut left = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            if goes_left(row) {
                rows[left] = row;
                left += 1;
            } else {
                right.push(row);
            }
        }
        rows[left..].copy_from_slice(right);
        left
    }
}

/// The one that gains more; the first of equals.
pub(super) fn better(first: Option<Split>, second: Option<Split>) -> Option<Split> {
    match (&first, &second) {
        (Some(one), Some(other)) if other.gain <= one.gain => first,
        (_, Some(_)) => second,
        _ => first,
    }
}

/// The best division of one feature's levels.
fn best_of_levels<T: Target>(
    x: &Matrix,
    levels: &LevelBins,
    node: &Node<'_, T>,
    rows: &[u32],
    feature: u32,
) -> Option<Split> {
    let (words, present) = (node.cell.len(), levels.count() as usize);
    let mut cells = vec![0; (present + 1) * words];
    for &row in rows {
        let bin = (levels.bin(x.get(row as usize, feature as usize)) as usize).min(present);
        node.target.add(row as usize, &mut cells[bin * words..][..words]);
    }
    let mut best = None;
    scan_levels(node, levels, feature, &cells, present, |bin| bin, &mut best);
    best
}

/// The best split by one feature, thresholds in ascending order.
fn best_of_feature<T: Target>(
    x: &Matrix,
    node: &Node<'_, T>,
    rows: &[u32],
    feature: u32,
    keys: &mut Vec<u64>,
) -> Option<Split> {
    let words = node.cell.len();
    let (mut left, mut missing, mut has_missing) = (vec![0; words], vec![0; words], false);
    keys.clear();
    for &row in rows {
        let value = x.get(row as usize, feature as usize);
        if value.is_nan() {
            node.target.add(row as usize, &mut missing);
            has_missing = true;
        } else {
            keys.push(u64::from(ordered(value)) << 32 | u64::from(row));
        }
    }
    keys.sort_unstable();
    let mut best = None;
    for (at, key) in keys.iter().enumerate() {
        node.target.add(*key as u32 as usize, &mut left);
        let value = x.get(*key as u32 as usize, feature as usize);
        let next = keys.get(at + 1).map(|key| x.get(*key as u32 as usize, feature as usize));
        let threshold = match next {
            Some(next) if next == value => continue,
            Some(next) => midway(value, next),
            // Behind the last value: what is present against what is missing.
            None if has_missing => f32::MAX,
            None => break,
        };
        let cut = Cut { feature, bin: 0, threshold };
        match has_missing {
            true => node.consider_both(&mut best, &mut left, &missing, cut),
            false => node.consider(&mut best, &left, cut, false),
        }
    }
    let mut best: Split = best?;
    if !has_missing {
        best.missing_left = node.larger_is_left(&best);
    }
    Some(best)
}
