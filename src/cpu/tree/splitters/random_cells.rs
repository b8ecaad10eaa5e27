//! The split of a node at the threshold drawn for a feature, from the target cells of its bins: the one that `random` finds from
//! the rows.

use super::histogram_split::{CellScratch, cells_of_bins};
use super::rows::{CategoryOrder, complete};
use super::{FeatureDraw, TargetNode, TargetSplit};
use crate::cpu::tree::layout::FeaturePlace;
use crate::cpu::tree::split::SplitRule;
use crate::cpu::tree::target::{TreeTarget, add_cell};

/// Compares the split by one feature at its random threshold, or by a random set of its categories, with the best so far.
///
/// `cells` begins with the feature's first cell, `thresholds` are those behind its bins; `path` names the node.
pub fn scan_at_random<T: TreeTarget>(
    node: &TargetNode<'_, T>,
    (feature, place, thresholds): (u32, &FeaturePlace, &[f32]),
    cells: &[u64],
    (draw, path): (&FeatureDraw, u64),
    best: &mut Option<TargetSplit>,
) {
    let (words, present) = (node.cell.len(), place.bins as usize);
    if place.all_bins() < 2 {
        return;
    }
    let mut scratch = CellScratch::default();
    let (cells, missing) = cells_of_bins(node, place, cells, &mut scratch).split_at(present * words);
    let cell = |bin: u8| &cells[bin as usize * words..][..words];
    let is_inhabited = |cell: &[u64]| cell.iter().any(|word| *word != 0);
    let key = |bin: u8| if place.categorical { draw.uniform_of_category(path, feature, bin) } else { 0.0 };
    let order = CategoryOrder::of(place.bins, |bin| (bin as usize) < present && is_inhabited(cell(bin)), key);
    let (bins, has_missing) = (order.inhabited(), is_inhabited(missing));
    let (Some(first), Some(last)) = (bins.first(), bins.last()) else { return };
    // How many of the bins go left.
    let (count, rule) = match bins.len() {
        1 if has_missing => (1, SplitRule::at(feature, place.bins.saturating_sub(1), f32::MAX)),
        1 => return,
        all if place.categorical => {
            (draw.place(path, feature, all as u32 - 1) as usize + 1, SplitRule::at(feature, 0, 0.0))
        }
        _ => {
            let bin = first + draw.place(path, feature, u32::from(last - first)) as u8;
            let threshold = thresholds.get(bin as usize).copied().unwrap_or(f32::MAX);
            (bins.partition_point(|own| *own <= bin), SplitRule::at(feature, u16::from(bin), threshold))
        }
    };
    let mut left = vec![0; words];
    bins[..count].iter().for_each(|bin| add_cell(&mut left, cell(*bin)));
    let missing_left = has_missing && bins.len() > 1 && draw.missing_left(path, feature);
    if missing_left {
        add_cell(&mut left, missing);
    }
    let mut own = None;
    node.consider(&mut own, &left, SplitRule { missing_left, ..rule });
    let Some(mut split) = own else { return };
    complete(node, &mut split, place.categorical.then_some(&order), (count - 1) as f32, has_missing);
    if best.as_ref().is_none_or(|best| split.gain > best.gain) {
        *best = Some(split);
    }
}
