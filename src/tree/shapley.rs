//! Shapley values of trees: how much each feature moves a row's prediction away from the expected one.
//!
//! Exact and path-dependent (Lundberg et al. 2020, algorithm 2): a feature that is not known goes both ways, by the
//! shares of the training rows, so all 2^d subsets of features cost O(leaves · depth²) a tree.

use rayon::prelude::*;

use super::tree::{Node, Tree};
use crate::array::Matrix;
use crate::error::Result;

/// Rows that one task explains.
const ROWS: usize = 32;

/// By what the shares of a node's children are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cover {
    /// The number of their rows.
    Rows,
    /// The weight of their rows.
    Weights,
}

/// A tree of a sum, and where its values go.
#[derive(Debug)]
pub(crate) struct Term<'t> {
    tree: &'t Tree,
    /// The first output that its values belong to.
    output: usize,
    /// What its values are multiplied by.
    scale: f64,
    /// The shares of each node's children; of a leaf, nothing.
    shares: Vec<[f64; 2]>,
    depth: usize,
}

impl<'t> Term<'t> {
    pub(crate) fn new(tree: &'t Tree, output: usize, scale: f64, cover: Cover) -> Term<'t> {
        let nodes = tree.nodes();
        let size = |child: u32| match cover {
            Cover::Rows => nodes[child as usize].count as f64,
            Cover::Weights => nodes[child as usize].weight,
        };
        let share = |node: &Node| {
            let [left, right] = node.children.map(size);
            if left + right > 0.0 { [left / (left + right), right / (left + right)] } else { [0.5; 2] }
        };
        let shares = nodes.iter().map(|node| if node.feature.is_some() { share(node) } else { [0.0; 2] }).collect();
        Term { tree, output, scale, shares, depth: tree.depth() }
    }

    /// Adds the expected values of the tree to those of its outputs.
    fn add_expected(&self, expected: &mut [f64]) {
        let mut reach = vec![0.0; self.shares.len()];
        reach[0] = self.scale;
        // Children stand behind their parents.
        for (number, node) in self.tree.nodes().iter().enumerate() {
            if node.feature.is_none() {
                let values = self.tree.value(number as u32);
                expected[self.output..].iter_mut().zip(values).for_each(|(sum, value)| *sum += reach[number] * value);
                continue;
            }
            for (child, share) in node.children.iter().zip(self.shares[number]) {
                reach[*child as usize] = reach[number] * share;
            }
        }
    }

    /// Adds the Shapley values of a row to `out`, outputs×(features + 1).
    fn add(&self, row: &[f32], room: &mut Room, out: &mut [f64]) {
        let width = row.len() + 1;
        room.begin(self.depth, row.len());
        while let Some(visit) = room.waiting.pop() {
            let path = room.enter(&visit);
            let node = &self.tree.nodes()[visit.node as usize];
            let Some(feature) = node.feature else {
                let values = self.tree.value(visit.node);
                for step in 1..path.len() {
                    let weight = self.scale * sum_without(path, step) * (path[step].one - path[step].zero);
                    let places = out.iter_mut().skip(self.output * width + path[step].feature as usize);
                    places.step_by(width).zip(values).for_each(|(place, value)| *place += weight * value);
                }
                continue;
            };
            // A feature met before counts once, with what both divisions leave of it.
            let (mut zero, mut one) = (1.0, 1.0);
            let known = path.iter().skip(1).position(|step| step.feature == feature);
            let length = match known {
                Some(at) => {
                    (zero, one) = (path[at + 1].zero, path[at + 1].one);
                    unwind(path, at + 1);
                    path.len() - 1
                }
                None => path.len(),
            };
            let taken = usize::from(!self.tree.goes_left(node, row[feature as usize]));
            for side in [0, 1] {
                let (zero, one) =
                    (zero * self.shares[visit.node as usize][side], if side == taken { one } else { 0.0 });
                // What no subset of the features reaches has no part in the prediction.
                if zero > 0.0 || one > 0.0 {
                    let level = visit.level + 1;
                    room.waiting.push(Visit { node: node.children[side], level, length, feature, zero, one });
                }
            }
        }
    }
}

/// A feature on the way to a node, in m of the paper.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    feature: u32,
    /// The share of the rows that go this way where the feature is not known.
    zero: f64,
    /// 1 if the row goes this way, else 0.
    one: f64,
    /// The weight of the subsets with as many features as steps before this one.
    weight: f64,
}

/// A node that waits, with the step to it; the way to its parent is on the level above.
#[derive(Debug, Clone, Copy)]
struct Visit {
    node: u32,
    level: usize,
    /// Steps of the parent's way that are kept.
    length: usize,
    feature: u32,
    zero: f64,
    one: f64,
}

/// The ways to the nodes on the way to a leaf, one a level.
#[derive(Debug, Default)]
struct Room {
    steps: Vec<Step>,
    stride: usize,
    waiting: Vec<Visit>,
}

impl Room {
    fn begin(&mut self, depth: usize, features: usize) {
        self.stride = depth.min(features) + 2;
        self.steps.resize(self.steps.len().max((depth + 2) * self.stride), Step::default());
        self.waiting.clear();
        self.waiting.push(Visit { node: 0, level: 1, length: 0, feature: u32::MAX, zero: 1.0, one: 1.0 });
    }

    /// The way to a node: its parent's, and one step more.
    fn enter(&mut self, visit: &Visit) -> &mut [Step] {
        let Visit { level, length, feature, zero, one, .. } = *visit;
        let (above, own) = self.steps.split_at_mut(level * self.stride);
        let own = &mut own[..=length];
        own[..length].copy_from_slice(&above[(level - 1) * self.stride..][..length]);
        own[length] = Step { feature, zero, one, weight: if length == 0 { 1.0 } else { 0.0 } };
        let all = (length + 1) as f64;
        for at in (0..length).rev() {
            own[at + 1].weight += one * own[at].weight * (at + 1) as f64 / all;
            own[at].weight *= zero * (length - at) as f64 / all;
        }
        own
    }
}

/// Takes a step out of a way; the last place is free then.
fn unwind(path: &mut [Step], at: usize) {
    let last = path.len() - 1;
    let (Step { zero, one, .. }, all) = (path[at], path.len() as f64);
    let mut next = path[last].weight;
    for step in (0..last).rev() {
        let old = path[step].weight;
        if one != 0.0 {
            path[step].weight = next * all / ((step + 1) as f64 * one);
            next = old - path[step].weight * zero * (last - step) as f64 / all;
        } else {
            path[step].weight = old * all / (zero * (last - step) as f64);
        }
    }
    for step in at..last {
        path[step] = Step { weight: path[step].weight, ..path[step + 1] };
    }
}

/// The sum of the weights of a way without one step.
fn sum_without(path: &[Step], at: usize) -> f64 {
    let last = path.len() - 1;
    let (Step { zero, one, .. }, all) = (path[at], path.len() as f64);
    let (mut next, mut sum) = (path[last].weight, 0.0);
    for step in (0..last).rev() {
        if one != 0.0 {
            let weight = next * all / ((step + 1) as f64 * one);
            sum += weight;
            next = path[step].weight - weight * zero * (last - step) as f64 / all;
        } else {
            sum += path[step].weight * all / (zero * (last - step) as f64);
        }
    }
    sum
}

/// The Shapley values of each row of `x` for a sum of trees and a constant for each output: a matrix n×(d + 1) for each,
/// with the expected value in the last column. Each row of it adds up to the row's prediction.
pub(crate) fn shapley_values(terms: &[Term<'_>], constants: &[f64], x: &Matrix) -> Result<Vec<Matrix>> {
    let (columns, outputs) = (x.columns(), constants.len());
    let width = columns + 1;
    let mut expected = constants.to_vec();
    terms.iter().for_each(|term| term.add_expected(&mut expected));
    let mut found = vec![0.0_f32; x.rows() * outputs * width];
    found.par_chunks_mut((ROWS * outputs * width).max(1)).enumerate().for_each(|(block, found)| {
        let (mut room, mut sums) = (Room::default(), vec![0.0; outputs * width]);
        for (at, found) in found.chunks_exact_mut(outputs * width).enumerate() {
            sums.fill(0.0);
            terms.iter().for_each(|term| term.add(x.row(block * ROWS + at), &mut room, &mut sums));
            sums.chunks_exact_mut(width).zip(&expected).for_each(|(sums, expected)| sums[columns] = *expected);
            found.iter_mut().zip(&sums).for_each(|(place, value)| *place = *value as f32);
        }
    });
    let of_output = |output: usize| {
        let own = found.chunks_exact(width).skip(output).step_by(outputs).flatten().copied().collect();
        Matrix::from_vec(x.rows(), width, own)
    };
    (0..outputs).map(of_output).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::random::philox::Philox;

    const FEATURES: usize = 5;

    /// A tree of random divisions, some of a feature that was met before, with three values a leaf.
    fn random_tree(divisions: usize, seed: u64) -> Tree {
        let numbers = Philox::new(seed, 9);
        let mut tree = Tree::leaf(3, Node { count: 1000, weight: 1000.0, ..Node::default() });
        let mut leaves = vec![0_u32];
        for division in 0..divisions as u64 {
            let at = numbers.below(8 * division, leaves.len() as u32) as usize;
            let parent = leaves.swap_remove(at);
            let feature = numbers.below(8 * division + 1, FEATURES as u32);
            let missing_left = numbers.below(8 * division + 2, 2) == 0;
            let children = tree.divide(parent, feature, numbers.normal(8 * division + 3), missing_left, 1.0);
            let whole = tree.nodes()[parent as usize].weight;
            let left = whole * (0.1 + 0.2 * f64::from(numbers.below(8 * division + 4, 5)));
            for (child, weight) in children.into_iter().zip([left, whole - left]) {
                tree.node_mut(child).weight = weight;
            }
            leaves.extend(children);
        }
        for leaf in leaves {
            for output in 0..3 {
                tree.value_mut(leaf)[output] = f64::from(numbers.normal(10_000 + 3 * u64::from(leaf) + output as u64));
            }
        }
        tree
    }

    /// What is expected of a row of which only the features of the set are known.
    fn expected(tree: &Tree, node: u32, row: &[f32], known: u32, output: usize) -> f64 {
        let own = &tree.nodes()[node as usize];
        let Some(feature) = own.feature else { return tree.value(node)[output] };
        let of = |child: u32| expected(tree, child, row, known, output);
        if known >> feature & 1 == 1 {
            return of(own.children[usize::from(!tree.goes_left(own, row[feature as usize]))]);
        }
        let weights = own.children.map(|child| tree.nodes()[child as usize].weight);
        (weights[0] * of(own.children[0]) + weights[1] * of(own.children[1])) / (weights[0] + weights[1])
    }

    /// Shapley's definition: the mean over all subsets, by how many orders of the features lead to each.
    fn by_subsets(tree: &Tree, row: &[f32], feature: usize, output: usize) -> f64 {
        let factorial = |n: usize| (1..=n).product::<usize>() as f64;
        let without = (0..1_u32 << FEATURES).filter(|set| set >> feature & 1 == 0);
        let part = |set: u32| {
            let size = set.count_ones() as usize;
            let orders = factorial(size) * factorial(FEATURES - size - 1) / factorial(FEATURES);
            let gain = expected(tree, 0, row, set | 1 << feature, output) - expected(tree, 0, row, set, output);
            orders * gain
        };
        without.map(part).sum()
    }

    #[test]
    fn they_are_those_of_all_subsets() {
        for seed in 0..12 {
            let trees = [random_tree(seed as usize, seed), random_tree(14, seed + 100)];
            let mut values: Vec<f32> = (0..40).map(|at| Philox::new(seed, 3).normal(at)).collect();
            values[7] = f32::NAN;
            let x = Matrix::from_vec(8, FEATURES, values).unwrap();
            let terms = [Term::new(&trees[0], 0, 0.5, Cover::Weights), Term::new(&trees[1], 0, 2.0, Cover::Weights)];
            let found = shapley_values(&terms, &[1.0, 2.0, 3.0], &x).unwrap();
            for (output, found) in found.iter().enumerate() {
                for row in 0..8 {
                    let mut sum = 0.0;
                    for feature in 0..FEATURES {
                        let of = |tree: &Tree| by_subsets(tree, x.row(row), feature, output);
                        let wanted = 0.5 * of(&trees[0]) + 2.0 * of(&trees[1]);
                        sum += wanted;
                        let value = f64::from(found.get(row, feature));
                        assert!((value - wanted).abs() < 1e-6, "seed {seed}: {value} {wanted}");
                    }
                    let of = |tree: &Tree| tree.value(tree.leaf_of(x.row(row)))[output];
                    let whole = (output + 1) as f64 + 0.5 * of(&trees[0]) + 2.0 * of(&trees[1]);
                    assert!((f64::from(found.get(row, FEATURES)) + sum - whole).abs() < 1e-5);
                }
            }
        }
    }
}
