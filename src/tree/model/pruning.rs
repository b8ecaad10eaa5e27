//! Cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984): the weakest link first.

use std::collections::BinaryHeap;

use super::tree::{Node, Tree};
use crate::tree::parameters::TreeLimits;
use crate::tree::ranked::Ranked;

/// How a tree shrinks as pruning grows stronger.
///
/// R(T) adds up the impurities of a tree's leaves, each times its share of all weights. A subtree of several leaves is
/// worth α = (R(node) − R(subtree)) / (leaves − 1) for each leaf it adds; the one that is worth least goes first.
#[derive(Debug, Clone, PartialEq)]
pub struct PruningPath {
    /// 0, and what each subtree was worth that went, ascending: the values of `ccp_alpha` that change the tree.
    pub alphas: Vec<f64>,
    /// R of the tree after each of them.
    pub impurities: Vec<f64>,
}

/// A tree that is pruned.
struct Pruning<'a> {
    tree: &'a Tree,
    parents: Vec<usize>,
    places: Vec<usize>,
    /// R of each node as a leaf, and of the subtree below it.
    own: Vec<f64>,
    below: Vec<f64>,
    leaves: Vec<usize>,
    /// Nodes that are leaves now.
    closed: Vec<bool>,
    /// Subtrees that could go, the least worth first, then as a node comes before what is below it, left before right;
    /// each with its leaves when it was valued: an older value does not count.
    links: BinaryHeap<Ranked<(usize, usize)>>,
}

impl<'a> Pruning<'a> {
    fn new(tree: &'a Tree) -> Pruning<'a> {
        let nodes = tree.nodes();
        let total = nodes[0].weight;
        let own: Vec<f64> = nodes.iter().map(|node| node.weight / total * node.impurity).collect();
        let (mut below, mut leaves) = (own.clone(), vec![1; nodes.len()]);
        let mut parents = vec![0; nodes.len()];
        // Children come behind their parents.
        for (number, node) in nodes.iter().enumerate().rev().filter(|(_, node)| node.feature.is_some()) {
            let [left, right] = node.children.map(|child| child as usize);
            (parents[left], parents[right]) = (number, number);
            (below[number], leaves[number]) = (below[left] + below[right], leaves[left] + leaves[right]);
        }
        let closed = nodes.iter().map(|node| node.feature.is_none()).collect();
        let places = places(nodes);
        let mut pruning = Pruning { tree, parents, places, own, below, leaves, closed, links: BinaryHeap::new() };
        (0..nodes.len()).for_each(|node| pruning.value(node));
        pruning
    }

    /// Puts a subtree among those that could go.
    fn value(&mut self, node: usize) {
        if !self.closed[node] {
            let leaves = self.leaves[node];
            // A split that gains nothing is worth 0, though rounding may make it less.
            let worth = ((self.own[node] - self.below[node]) / (leaves - 1) as f64).max(0.0) + 0.0;
            self.links.push(Ranked { rank: -worth, number: self.places[node], item: (node, leaves) });
        }
    }

    /// The subtree that is worth least.
    fn weakest(&mut self) -> Option<(f64, usize)> {
        while let Some(Ranked { rank, item: (node, leaves), .. }) = self.links.pop() {
            if !self.closed[node] && self.leaves[node] == leaves {
                return Some((-rank, node));
            }
        }
        None
    }

    /// Makes a node a leaf.
    fn close(&mut self, node: usize) {
        let mut within = vec![node];
        while let Some(number) = within.pop() {
            if !std::mem::replace(&mut self.closed[number], true) {
                within.extend(self.tree.nodes()[number].children.map(|child| child as usize));
            }
        }
        let (gone, difference) = (self.leaves[node] - 1, self.own[node] - self.below[node]);
        let mut at = node;
        loop {
            self.leaves[at] -= gone;
            self.below[at] += difference;
            self.value(at);
            if at == 0 {
                break;
            }
            at = self.parents[at];
        }
    }
}

/// The place of each node when it comes before what is below it, left before right.
fn places(nodes: &[Node]) -> Vec<usize> {
    let (mut places, mut waiting, mut next) = (vec![0; nodes.len()], vec![0], 0);
    while let Some(number) = waiting.pop() {
        places[number] = next;
        next += 1;
        let node = &nodes[number];
        if node.feature.is_some() {
            let [left, right] = node.children.map(|child| child as usize);
            waiting.extend([right, left]);
        }
    }
    places
}

impl Tree {
    /// The path of the tree's cost-complexity pruning, down to the root alone. Costs about n·depth·log n steps for n
    /// nodes.
    pub fn pruning_path(&self) -> PruningPath {
        let mut pruning = Pruning::new(self);
        let mut path = PruningPath { alphas: vec![0.0], impurities: vec![pruning.below[0]] };
        let mut alpha = 0.0_f64;
        while let Some((worth, node)) = pruning.weakest() {
            pruning.close(node);
            // What goes later is worth as much at least, but for rounding.
            alpha = alpha.max(worth);
            path.alphas.push(alpha);
            path.impurities.push(pruning.below[0]);
        }
        path
    }

    /// The tree without what `ccp_alpha` takes away.
    pub(crate) fn pruned_by(self, limits: &TreeLimits) -> Tree {
        if limits.ccp_alpha > 0.0 { self.pruned(limits.ccp_alpha) } else { self }
    }

    /// The tree without the subtrees that are worth at most `alpha` for each leaf they add, the weakest first.
    pub fn pruned(&self, alpha: f64) -> Tree {
        let mut pruning = Pruning::new(self);
        while let Some((worth, node)) = pruning.weakest()
            && worth <= alpha
        {
            pruning.close(node);
        }
        self.by_level(|node| !pruning.closed[node as usize])
    }
}
