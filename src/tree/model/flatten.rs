//! Trees in one array of nodes, as predictions for many rows want them.

use super::tree::Tree;
use crate::cpu::tree::predict::{CATEGORIES, FlatNode, FlatTrees, MISSING_LEFT};

/// The nodes of all trees; those that were grown together share a table of their categories' bins.
pub(crate) fn flatten(trees: &[Tree]) -> FlatTrees {
    let mut flat = FlatTrees::default();
    let mut categories = None;
    // Where the bins of each feature's categories stand, once a node has asked.
    let mut tables: Vec<Option<[u32; 2]>> = vec![];
    for tree in trees {
        if tree.categories.as_ref() != categories {
            categories = tree.categories.as_ref();
            tables.clear();
        }
        let mut nodes = Vec::with_capacity(tree.nodes().len());
        for (node, number) in tree.nodes().iter().zip(0..) {
            let Some(feature) = node.feature else {
                nodes.push(FlatNode { threshold: 0.0, feature: 0, children: [number; 2] });
                continue;
            };
            let missing = if node.missing_left { MISSING_LEFT } else { 0 };
            let bins = categories.and_then(|categories| categories.feature(feature as usize));
            nodes.push(match (tree.left_bins(node), bins) {
                (Some(set), Some(bins)) => {
                    let place = feature as usize;
                    tables.resize(tables.len().max(place + 1), None);
                    let table = *tables[place].get_or_insert_with(|| flat.add_bins(bins.bins()));
                    let threshold = flat.add_set(table, set);
                    FlatNode { threshold, feature: feature | CATEGORIES | missing, children: node.children }
                }
                _ => FlatNode { threshold: node.threshold, feature: feature | missing, children: node.children },
            });
        }
        flat.push(nodes, tree.depth());
    }
    flat
}
