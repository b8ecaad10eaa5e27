//! Trees from the nodes of others: numbered anew, cut short, or put in the place of a leaf.

use super::tree::{Node, Tree};
use crate::cpu::tree::SplitRule;

impl Tree {
    /// Puts a tree in the place of a leaf, whose values it has.
    pub(crate) fn graft(&mut self, leaf: u32, subtree: &Tree) {
        let mut open = vec![(leaf, 0)];
        while let Some((to, from)) = open.pop() {
            open.extend(self.split_as(to, subtree, from).into_iter().flatten());
        }
    }

    /// The same tree with its nodes numbered level by level, from left to right; a node for which `keeps` does not hold
    /// is a leaf.
    pub(crate) fn by_level(&self, keeps: impl Fn(u32) -> bool) -> Tree {
        let leaf = Tree::leaf(self.outputs(), Node::default());
        let mut copy = Tree { categories: self.categories.clone(), ..leaf };
        copy.copy_leaf(0, self, 0);
        let (mut order, mut number) = (vec![0_u32], 0);
        while let Some(&from) = order.get(number) {
            if keeps(from)
                && let Some(children) = copy.split_as(number as u32, self, from)
            {
                order.extend(children.map(|(_, child)| child));
            }
            number += 1;
        }
        copy
    }

    /// Splits a leaf as a node of another tree is split; returns the new leaves and the children they stand for. None
    /// where that node is a leaf.
    fn split_as(&mut self, leaf: u32, tree: &Tree, from: u32) -> Option<[(u32, u32); 2]> {
        let node = &tree.nodes()[from as usize];
        let Node { threshold, missing_left, gain, .. } = *node;
        let categories = tree.left_bins(node).copied();
        let rule = SplitRule { categories, missing_left, ..SplitRule::at(node.feature?, 0, threshold) };
        let [left, right] = self.split(leaf, &rule, gain);
        let children = [(left, node.children[0]), (right, node.children[1])];
        children.iter().for_each(|(to, from)| self.copy_leaf(*to, tree, *from));
        Some(children)
    }

    /// Gives a leaf the values of another tree's node, and what is known of its rows.
    fn copy_leaf(&mut self, to: u32, tree: &Tree, from: u32) {
        let Node { weight, count, impurity, .. } = tree.nodes()[from as usize];
        *self.node_mut(to) = Node { weight, count, impurity, ..Node::default() };
        self.value_mut(to).copy_from_slice(tree.value(from));
    }
}
