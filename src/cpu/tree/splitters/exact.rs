//! Exact splits: every threshold between two values of a node, without bins.

use rayon::prelude::*;

use super::categories::split_categories;
use super::{ExactRows, FeatureDraw, FeatureOrder, NodeSplitter, SplitterRows, TargetNode, TargetSplit, search_drawn};
use crate::cpu::tree::categories::CategoryBins;
use crate::cpu::tree::ordered;
use crate::cpu::tree::split::{SplitRule, first_best, midway};
use crate::cpu::tree::target::TreeTarget;

/// Values that a node sorts at least before its features are shared among threads.
const PARALLEL: usize = 1 << 14;

/// Finds splits by sorting the rows of a node by each feature: n·d·log n steps a level.
#[derive(Debug)]
pub struct ExactSplitter<'a> {
    rows: ExactRows<'a>,
    draw: FeatureDraw,
    order: FeatureOrder,
}

impl<'a> ExactSplitter<'a> {
    /// Splits of these rows by features that `draw` draws.
    pub fn new(rows: ExactRows<'a>, draw: FeatureDraw) -> ExactSplitter<'a> {
        ExactSplitter { rows, draw, order: FeatureOrder::default() }
    }
}

impl<T: TreeTarget> NodeSplitter<T> for ExactSplitter<'_> {
    fn best_split(&mut self, node: &TargetNode<'_, T>, path: u64, rows: &[u32]) -> Option<TargetSplit> {
        let ExactSplitter { rows: x, draw, order } = self;
        let best_of = |feature: u32, keys: &mut Vec<u64>| match x.categories(feature) {
            Some(bins) => best_of_categories(x, bins, node, rows, feature),
            None => best_of_feature(x, node, rows, feature, keys),
        };
        search_drawn(draw, order, path, |features| match rows.len() * features.len() < PARALLEL {
            true => {
                let mut keys = Vec::with_capacity(rows.len());
                features.iter().map(|feature| best_of(*feature, &mut keys)).fold(None, first_best)
            }
            false => {
                let of = |feature: &u32| best_of(*feature, &mut Vec::with_capacity(rows.len()));
                features.par_iter().map(of).collect::<Vec<_>>().into_iter().fold(None, first_best)
            }
        })
    }

    fn rows(&self) -> SplitterRows<'_> {
        SplitterRows::Exact(self.rows)
    }
}

/// The best split of one feature's categories.
fn best_of_categories<T: TreeTarget>(
    x: &ExactRows<'_>,
    bins: &CategoryBins,
    node: &TargetNode<'_, T>,
    rows: &[u32],
    feature: u32,
) -> Option<TargetSplit> {
    let (words, present) = (node.cell.len(), bins.count() as usize);
    let mut cells = vec![0; (present + 1) * words];
    for &row in rows {
        let bin = (bins.bin(x.get(row, feature)) as usize).min(present);
        node.target.add(row as usize, &mut cells[bin * words..][..words]);
    }
    let mut best = None;
    split_categories(node, feature, bins.count(), (&cells, present), |bin| bin, &mut best);
    best
}

/// The best split by one feature, thresholds in ascending order; `keys` is room to sort in.
fn best_of_feature<T: TreeTarget>(
    x: &ExactRows<'_>,
    node: &TargetNode<'_, T>,
    rows: &[u32],
    feature: u32,
    keys: &mut Vec<u64>,
) -> Option<TargetSplit> {
    let words = node.cell.len();
    let (mut left, mut missing, mut has_missing) = (vec![0; words], vec![0; words], false);
    keys.clear();
    for &row in rows {
        let value = x.get(row, feature);
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
        let value = x.get(*key as u32, feature);
        let next = keys.get(at + 1).map(|key| x.get(*key as u32, feature));
        let threshold = match next {
            Some(next) if next == value => continue,
            Some(next) => midway(value, next),
            // Behind the last value: what is present against what is missing.
            None if has_missing => f32::MAX,
            None => break,
        };
        let rule = SplitRule::at(feature, 0, threshold);
        match has_missing {
            true => node.consider_both(&mut best, &mut left, &missing, rule),
            false => node.consider(&mut best, &left, rule),
        }
    }
    let mut best: TargetSplit = best?;
    if !has_missing {
        best.rule.missing_left = node.larger_is_left(&best.left);
    }
    Some(best)
}
