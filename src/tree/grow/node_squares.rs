//! The squares of the nodes of grown trees: a device adds up those of the leaves, all others are sums of them.

use std::ops::Range;

use super::Grown;
use crate::cpu::tree::NodeSquares;
use crate::tree::model::Node;

/// The leaves of trees: tree, and range of the order.
pub(super) fn leaves<Totals>(grown: &[Grown<Totals>]) -> Vec<(usize, Range<usize>)> {
    let of_tree = |(tree, grown): (usize, &Grown<Totals>)| -> Vec<(usize, Range<usize>)> {
        let nodes = grown.tree.nodes().iter().zip(&grown.rows);
        nodes.filter(|(node, _)| node.feature.is_none()).map(|(_, rows)| (tree, rows.clone())).collect()
    };
    grown.iter().enumerate().flat_map(of_tree).collect()
}

/// The squares of all nodes: a node has those of its children, which have higher numbers.
pub(super) fn add_up<Totals>(
    grown: &[Grown<Totals>],
    of_leaves: Vec<NodeSquares>,
    outputs: usize,
) -> Vec<Vec<NodeSquares>> {
    let mut of_leaves = of_leaves.into_iter();
    let mut of_tree = |Grown { tree, .. }: &Grown<Totals>| {
        let leaf = |node: &Node| match node.feature {
            None => of_leaves.next().unwrap_or_else(|| NodeSquares::none(outputs)),
            Some(_) => NodeSquares::none(0),
        };
        let mut squares: Vec<NodeSquares> = tree.nodes().iter().map(leaf).collect();
        for (number, node) in tree.nodes().iter().enumerate().rev().filter(|(_, node)| node.feature.is_some()) {
            let [left, right] = node.children.map(|child| squares[child as usize].clone());
            squares[number] = left.plus(&right);
        }
        squares
    };
    grown.iter().map(&mut of_tree).collect()
}
