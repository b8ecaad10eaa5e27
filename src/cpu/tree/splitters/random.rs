//! Splits at random thresholds: one for each drawn feature of a node, and the best of them (Geurts, Ernst and Wehenkel,
//! "Extremely randomized trees", 2006).

use super::rows::{CategoryOrder, complete};
use super::{FeatureDraw, FeatureOrder, NodeSplitter, SplitterRows, TargetNode, TargetSplit, search_drawn};
use crate::cpu::tree::split::{SplitRule, first_best};
use crate::cpu::tree::target::TreeTarget;

/// Draws one threshold a feature, uniform between the smallest and the largest value of the node, or between the
/// smallest and the largest bin that it inhabits, or a set of categories: two passes over the rows of a node for each
/// feature, and no histogram.
#[derive(Debug)]
pub struct RandomSplitter<'a> {
    rows: SplitterRows<'a>,
    draw: FeatureDraw,
    order: FeatureOrder,
    values: Vec<f32>,
}

impl<'a> RandomSplitter<'a> {
    /// Splits of these rows by features and thresholds that `draw` draws.
    pub fn new(rows: SplitterRows<'a>, draw: FeatureDraw) -> RandomSplitter<'a> {
        RandomSplitter { rows, draw, order: FeatureOrder::default(), values: vec![] }
    }
}

impl<T: TreeTarget> NodeSplitter<T> for RandomSplitter<'_> {
    fn best_split(&mut self, node: &TargetNode<'_, T>, path: u64, rows: &[u32]) -> Option<TargetSplit> {
        let RandomSplitter { rows: all, draw, order, values } = self;
        search_drawn(draw, order, path, |features| {
            let of = |feature: &u32| of_feature((all, draw), node, path, rows, *feature, values);
            features.iter().map(of).fold(None, first_best)
        })
    }

    fn rows(&self) -> SplitterRows<'_> {
        self.rows
    }
}

/// The split of a node by one feature, if the threshold drawn for it is allowed; `values` is room for the rows' values.
fn of_feature<T: TreeTarget>(
    (all, draw): (&SplitterRows<'_>, &FeatureDraw),
    node: &TargetNode<'_, T>,
    path: u64,
    rows: &[u32],
    feature: u32,
    values: &mut Vec<f32>,
) -> Option<TargetSplit> {
    all.feature_values(rows, feature, values)?;
    // Categories in a random order, of which a cut makes a random set.
    let key = |bin: u8| draw.uniform_of_category(path, feature, bin);
    let categories = all.category_bins(feature).map(|bins| CategoryOrder::arrange(bins, values, key));
    let present = || values.iter().copied().filter(|value| !value.is_nan());
    let (low, high) = (present().fold(f32::MAX, f32::min), present().fold(f32::MIN, f32::max));
    let has_missing = values.iter().any(|value| value.is_nan());
    let (last, rule) = match low < high {
        true if categories.is_some() => (draw.place(path, feature, high as u32) as f32, SplitRule::at(feature, 0, 0.0)),
        true => all.random_cut(feature, (low, high), draw, path),
        // Nothing to split but what is present from what is missing.
        false if has_missing && low == high => (high, all.after_last(feature)),
        false => return None,
    };
    // Drawn too: the better side would be a choice among thresholds, where one is meant to be tried. Where nothing but
    // missing values is split off, they are on the right.
    let missing_left = has_missing && low < high && draw.missing_left(path, feature);
    let mut left = vec![0; node.cell.len()];
    for (row, value) in rows.iter().zip(&*values) {
        if *value <= last || (missing_left && value.is_nan()) {
            node.target.add(*row as usize, &mut left);
        }
    }
    let mut best = None;
    node.consider(&mut best, &left, SplitRule { missing_left, ..rule });
    let mut split: TargetSplit = best?;
    complete(node, &mut split, categories.as_ref(), last, has_missing);
    Some(split)
}
