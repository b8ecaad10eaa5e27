//! Trees as a walk over many rows wants them.

use super::tree::Tree;
use crate::cpu::tree::predict::{LEVELS, MISSING_LEFT, Step, Walk};

/// The walk through trees; those that were grown together share a table of their levels' bins.
pub(crate) fn walk(trees: &[Tree]) -> Walk {
    let mut walk = Walk::default();
    let mut levels = None;
    // Where the bins of each feature's levels stand, once a node has asked.
    let mut tables: Vec<Option<[u32; 2]>> = vec![];
    for tree in trees {
        if tree.levels.as_ref() != levels {
            levels = tree.levels.as_ref();
            tables.clear();
        }
        let mut steps = Vec::with_capacity(tree.nodes().len());
        for (node, number) in tree.nodes().iter().zip(0..) {
            let Some(feature) = node.feature else {
                steps.push(Step { threshold: 0.0, feature: 0, children: [number; 2] });
                continue;
            };
            let missing = if node.missing_left { MISSING_LEFT } else { 0 };
            let bins = levels.and_then(|levels| levels.feature(feature as usize));
            steps.push(match (tree.left_bins(node), bins) {
                (Some(set), Some(bins)) => {
                    let place = feature as usize;
                    tables.resize(tables.len().max(place + 1), None);
                    let table = *tables[place].get_or_insert_with(|| walk.add_bins(bins.bins()));
                    let threshold = walk.add_set(table, set);
                    Step { threshold, feature: feature | LEVELS | missing, children: node.children }
                }
                _ => Step { threshold: node.threshold, feature: feature | missing, children: node.children },
            });
        }
        walk.push(steps, tree.depth());
    }
    walk
}
