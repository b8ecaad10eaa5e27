//! The best splits of nodes by classes or numbers, from the cells of their histograms.

use crate::cpu::tree::layout::FeaturePlace;
use crate::cpu::tree::splitters::{CellScratch, FeatureDraw, TargetNode, TargetSplit, scan, scan_at_random};
use crate::cpu::tree::target::TreeTarget;

/// The best split of a node by some features, the first of equals in their order. `cells` is the node's whole histogram;
/// `thresholds` are those behind the bins of each feature. With a draw and the node's path, each feature has the one threshold
/// that they say.
pub fn target_split<T: TreeTarget>(
    node: &TargetNode<'_, T>,
    features: &[u32],
    (places, thresholds): (&[FeaturePlace], &[Vec<f32>]),
    cells: &[u64],
    at_random: Option<(&FeatureDraw, u64)>,
) -> Option<TargetSplit> {
    let (mut scratch, mut best) = (CellScratch::default(), None);
    for &feature in features {
        let place = &places[feature as usize];
        let own = &cells[place.first as usize * node.cell.len()..];
        let of_feature = (feature, place, &*thresholds[feature as usize]);
        match at_random {
            None => scan(node, of_feature, own, &mut scratch, &mut best),
            Some(drawn) => scan_at_random(node, of_feature, own, drawn, &mut best),
        }
    }
    best
}
