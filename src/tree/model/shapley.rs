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
pub enum Cover {
    /// The number of their rows.
    Rows,
    /// The weight of their rows.
    Weights,
}

/// A tree of a sum, and where its values go.
#[derive(Debug)]
pub struct ShapleyTree<'t> {
    tree: &'t Tree,
    /// The first output that its values belong to.
    output: usize,
    /// What its values are multiplied by.
    scale: f64,
    /// The shares of each node's children; of a leaf, nothing.
    shares: Vec<[f64; 2]>,
    depth: usize,
}

impl<'t> ShapleyTree<'t> {
    /// A tree whose values, times `scale`, belong to the outputs from `output` on.
    pub fn new(tree: &'t Tree, output: usize, scale: f64, cover: Cover) -> ShapleyTree<'t> {
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
        ShapleyTree { tree, output, scale, shares, depth: tree.depth() }
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
    fn add(&self, row: &[f32], paths: &mut Paths, out: &mut [f64]) {
        let width = row.len() + 1;
        paths.begin(self.depth, row.len());
        while let Some(visit) = paths.waiting.pop() {
            let path = paths.enter(&visit);
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
            // A feature met before counts once, with what both splits leave of it.
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
                    paths.waiting.push(Visit { node: node.children[side], level, length, feature, zero, one });
                }
            }
        }
    }
}

/// A feature on the way to a node, in m of the paper.
#[derive(Debug, Clone, Copy, Default)]
struct PathStep {
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
struct Paths {
    steps: Vec<PathStep>,
    stride: usize,
    waiting: Vec<Visit>,
}

impl Paths {
    fn begin(&mut self, depth: usize, features: usize) {
        self.stride = depth.min(features) + 2;
        self.steps.resize(self.steps.len().max((depth + 2) * self.stride), PathStep::default());
        self.waiting.clear();
        self.waiting.push(Visit { node: 0, level: 1, length: 0, feature: u32::MAX, zero: 1.0, one: 1.0 });
    }

    /// The way to a node: its parent's, and one step more.
    fn enter(&mut self, visit: &Visit) -> &mut [PathStep] {
        let Visit { level, length, feature, zero, one, .. } = *visit;
        let (above, own) = self.steps.split_at_mut(level * self.stride);
        let own = &mut own[..=length];
        own[..length].copy_from_slice(&above[(level - 1) * self.stride..][..length]);
        own[length] = PathStep { feature, zero, one, weight: if length == 0 { 1.0 } else { 0.0 } };
        let all = (length + 1) as f64;
        for at in (0..length).rev() {
            own[at + 1].weight += one * own[at].weight * (at + 1) as f64 / all;
            own[at].weight *= zero * (length - at) as f64 / all;
        }
        own
    }
}

/// Takes a step out of a way; the last place is free then.
fn unwind(path: &mut [PathStep], at: usize) {
    let last = path.len() - 1;
    let (PathStep { zero, one, .. }, all) = (path[at], path.len() as f64);
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
        path[step] = PathStep { weight: path[step].weight, ..path[step + 1] };
    }
}

/// The sum of the weights of a way without one step.
fn sum_without(path: &[PathStep], at: usize) -> f64 {
    let last = path.len() - 1;
    let (PathStep { zero, one, .. }, all) = (path[at], path.len() as f64);
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
pub fn shapley_values(trees: &[ShapleyTree<'_>], constants: &[f64], x: &Matrix) -> Result<Vec<Matrix>> {
    let (columns, outputs) = (x.columns(), constants.len());
    let width = columns + 1;
    let mut expected = constants.to_vec();
    trees.iter().for_each(|tree| tree.add_expected(&mut expected));
    let mut found = vec![0.0_f32; x.rows() * outputs * width];
    found.par_chunks_mut((ROWS * outputs * width).max(1)).enumerate().for_each(|(block, found)| {
        let (mut paths, mut sums) = (Paths::default(), vec![0.0; outputs * width]);
        for (at, found) in found.chunks_exact_mut(outputs * width).enumerate() {
            sums.fill(0.0);
            trees.iter().for_each(|tree| tree.add(x.row(block * ROWS + at), &mut paths, &mut sums));
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
