//! The best split of a node from its histogram of target cells.

use super::categories::split_categories;
use super::{TargetNode, TargetSplit};
use crate::cpu::tree::layout::FeaturePlace;
use crate::cpu::tree::split::{Split, SplitRule, midway};
use crate::cpu::tree::target::{TreeTarget, add_cell, take_cell};

/// Room for cells, used again for every feature.
#[derive(Debug, Clone, Default)]
pub struct CellScratch {
    pub(super) cells: Vec<u64>,
    pub(super) bins: Vec<u8>,
}

/// Compares the splits by one feature with the best so far, bins in ascending order.
///
/// `cells` begins with the feature's first cell, `thresholds` are those behind its bins. Where the bins behind a split
/// are empty in the node, its threshold is midway to the next that is not: what comes later between the two is likelier
/// sent the right way.
pub fn scan<T: TreeTarget>(
    node: &TargetNode<'_, T>,
    (feature, place, thresholds): (u32, &FeaturePlace, &[f32]),
    cells: &[u64],
    scratch: &mut CellScratch,
    best: &mut Option<TargetSplit>,
) {
    if place.all_bins() >= 2 {
        let own = (feature, place, thresholds);
        scan_cells(node, own, cells_of_bins(node, place, cells, scratch), place.bins as usize, |bin| bin, best);
    }
}

/// The cells of all bins of a feature: `cells` begins with its first; where a bin has none, they are put together in `scratch`.
pub(super) fn cells_of_bins<'a, T>(
    node: &TargetNode<'_, T>,
    place: &FeaturePlace,
    cells: &'a [u64],
    scratch: &'a mut CellScratch,
) -> &'a [u64] {
    let (words, all) = (node.cell.len(), place.all_bins());
    let Some(default) = place.default.map(usize::from) else { return &cells[..all * words] };
    // The bin without a cell has what the others leave of the node.
    scratch.cells.clear();
    scratch.cells.extend_from_slice(&cells[..default * words]);
    scratch.cells.extend_from_slice(node.cell);
    scratch.cells.extend_from_slice(&cells[default * words..(all - 1) * words]);
    let (before, rest) = scratch.cells.split_at_mut(default * words);
    let (rest_of_node, behind) = rest.split_at_mut(words);
    before.chunks_exact(words).chain(behind.chunks_exact(words)).for_each(|cell| take_cell(rest_of_node, cell));
    &scratch.cells
}

/// The same from the cells of some bins, ascending, and behind the first `present` of them, which hold what is present,
/// one for missing values or none. `bin_of` tells which bins they are.
pub(super) fn scan_cells<T: TreeTarget>(
    node: &TargetNode<'_, T>,
    (feature, place, thresholds): (u32, &FeaturePlace, &[f32]),
    cells: &[u64],
    present: usize,
    bin_of: impl Fn(usize) -> usize,
    best: &mut Option<TargetSplit>,
) {
    if place.categorical {
        return split_categories(node, feature, place.bins, (cells, present), bin_of, best);
    }
    let words = node.cell.len();
    let (cells, missing) = cells.split_at(present * words);
    let inhabited = |cell: &[u64]| cell.iter().any(|word| *word != 0);
    let threshold = |at: usize| {
        let next = cells[(at + 1) * words..].chunks_exact(words).position(inhabited);
        between(thresholds, bin_of(at), next.map(|next| bin_of(at + 1 + next)))
    };
    if inhabited(missing) {
        let (mut left, mut best_at) = (vec![0; words], None);
        // The split behind the last bin parts what is present from what is missing. Behind an empty bin it is the one
        // before, and at the front it would have nothing present on the left.
        for (at, cell) in cells.chunks_exact(words).enumerate().filter(|(_, cell)| inhabited(cell)) {
            let before = best.as_ref().map(|best| best.gain);
            add_cell(&mut left, cell);
            node.consider_both(best, &mut left, missing, SplitRule::at(feature, bin_of(at) as u16, 0.0));
            if best.as_ref().map(|best| best.gain) != before {
                best_at = Some(at);
            }
        }
        if let (Some(best), Some(at)) = (best, best_at) {
            best.rule.threshold = threshold(at);
        }
    } else if cells.len() > words
        && let Some((at, gain)) = node.target.best_cut(&node.bounds, cells)
        && best.as_ref().is_none_or(|best| gain > best.gain)
    {
        let mut left = vec![0; words];
        cells[..(at + 1) * words].chunks_exact(words).for_each(|cell| add_cell(&mut left, cell));
        let missing_left = node.larger_is_left(&left);
        let rule = SplitRule { missing_left, ..SplitRule::at(feature, bin_of(at) as u16, threshold(at)) };
        *best = Some(Split { rule, gain, left });
    }
}

/// A threshold behind `bin` and before `next`, bins between which a node has nothing; behind all numbers without one.
pub fn between(thresholds: &[f32], bin: usize, next: Option<usize>) -> f32 {
    let Some(next) = next else { return f32::MAX };
    match (thresholds[bin], thresholds[next - 1]) {
        (low, high) if low < high => midway(low, high),
        (low, _) => low,
    }
}
