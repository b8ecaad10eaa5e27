//! Growing: the column of the largest information gain, level by level.

use std::collections::{BTreeMap, VecDeque};

use rayon::prelude::*;

use super::Id3Classifier;
use super::nominal_tree::{NominalNode, NominalTree};
use crate::array::Matrix;
use crate::data::Labels;
use crate::tree::Criterion;

/// Values of a node at least before its columns are shared among threads.
const PARALLEL: usize = 1 << 14;

/// The rows that a tree learns from.
struct NominalRows<'a> {
    x: &'a Matrix,
    codes: &'a [u32],
    classes: usize,
    weights: Option<&'a [f32]>,
}

/// A node whose rows are known.
struct Open {
    number: usize,
    depth: usize,
    rows: Vec<u32>,
}

/// A column by which a node could be split.
struct ColumnSplit {
    column: usize,
    gain: f64,
}

/// Grows a tree from all rows that count.
pub(super) fn grow(rules: &Id3Classifier, x: &Matrix, y: &Labels, weights: Option<&[f32]>) -> NominalTree {
    let rows = NominalRows { x, codes: y.codes(), classes: y.classes(), weights };
    let counting = (0..x.rows() as u32).filter(|row| rows.weight(*row) > 0.0).collect();
    let mut tree = NominalTree { classes: y.classes(), nodes: vec![], probabilities: vec![] };
    rows.add_node(&mut tree, &counting);
    let mut open = VecDeque::from([Open { number: 0, depth: 0, rows: counting }]);
    while let Some(Open { number, depth, rows: own }) = open.pop_front() {
        let few = own.len() < rules.min_samples_split || rules.max_depth.is_some_and(|most| depth >= most);
        let pure = tree.nodes[number].entropy == 0.0;
        let Some(split) = (!few && !pure).then(|| rows.best(&own)).flatten() else { continue };
        if split.gain < rules.min_gain {
            continue;
        }
        let first_child = tree.nodes.len() as u32;
        let by_category = rows.by_category(split.column, &own);
        let node = &mut tree.nodes[number];
        (node.column, node.gain, node.first_child) = (Some(split.column as u32), split.gain, first_child);
        node.categories = by_category.keys().copied().collect();
        for rows_of_category in by_category.into_values() {
            let number = tree.nodes.len();
            rows.add_node(&mut tree, &rows_of_category);
            open.push_back(Open { number, depth: depth + 1, rows: rows_of_category });
        }
    }
    tree
}

impl NominalRows<'_> {
    fn weight(&self, row: u32) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[row as usize]))
    }

    /// The weight of each class among some rows, added in their order.
    fn count<'a>(&self, rows: impl IntoIterator<Item = &'a u32>) -> Vec<f64> {
        let mut counts = vec![0.0; self.classes];
        rows.into_iter().for_each(|row| counts[self.codes[*row as usize] as usize] += self.weight(*row));
        counts
    }

    /// Adds a leaf of these rows.
    fn add_node(&self, tree: &mut NominalTree, rows: &Vec<u32>) {
        let counts = self.count(rows);
        let weight: f64 = counts.iter().sum();
        let entropy = Criterion::Entropy.impurity(&counts);
        tree.nodes.push(NominalNode { entropy, weight, count: rows.len() as u64, ..NominalNode::default() });
        tree.probabilities.extend(counts.into_iter().map(|count| count / weight));
    }

    /// The rows of each category; those without one are in none.
    fn by_category(&self, column: usize, rows: &[u32]) -> BTreeMap<u32, Vec<u32>> {
        let mut categories: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for row in rows {
            let value = self.x.get(*row as usize, column);
            if !value.is_nan() {
                categories.entry(value as u32).or_default().push(*row);
            }
        }
        categories
    }

    /// The column of the largest gain, the lowest of equals; none where each has one category.
    fn best(&self, rows: &[u32]) -> Option<ColumnSplit> {
        let of = |column: usize| self.column_split(column, rows);
        let columns = self.x.columns();
        let found: Vec<Option<ColumnSplit>> = match rows.len() * columns < PARALLEL {
            true => (0..columns).map(of).collect(),
            false => (0..columns).into_par_iter().map(of).collect(),
        };
        found.into_iter().flatten().reduce(|best, other| if other.gain > best.gain { other } else { best })
    }

    /// The gain of a column: the entropy of the rows that have a category less that within the categories, times their
    /// share of all. None for a column of one category.
    fn column_split(&self, column: usize, rows: &[u32]) -> Option<ColumnSplit> {
        let mut categories: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        let (mut known, mut all) = (vec![0.0; self.classes], 0.0);
        for row in rows {
            let (value, weight) = (self.x.get(*row as usize, column), self.weight(*row));
            all += weight;
            if !value.is_nan() {
                let class = self.codes[*row as usize] as usize;
                categories.entry(value as u32).or_insert_with(|| vec![0.0; self.classes])[class] += weight;
                known[class] += weight;
            }
        }
        let bits = |counts: &[f64]| counts.iter().sum::<f64>() * Criterion::Entropy.impurity(counts);
        let within: f64 = categories.values().map(|counts| bits(counts)).sum();
        (categories.len() > 1).then(|| ColumnSplit { column, gain: ((bits(&known) - within) / all).max(0.0) })
    }
}
