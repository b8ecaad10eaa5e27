//! Predictions of many trees for many rows of raw values.

use rayon::prelude::*;

use super::categories::{BINS, BinSet, UNKNOWN};

/// Rows that go through the trees together.
const BLOCK: usize = 256;

/// A node for prediction: sixteen bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlatNode {
    /// Values up to this one go to the left child; of categories, what [`FlatTrees::add_set`] gave.
    pub threshold: f32,
    /// The feature, in the highest bit whether missing values go left, in the next whether it splits categories.
    pub feature: u32,
    /// The children; a leaf is its own two children.
    pub children: [u32; 2],
}

/// Trees for prediction: the nodes of all, one tree after the other, with children numbered within their tree.
#[derive(Debug, Clone, Default)]
pub struct FlatTrees {
    nodes: Vec<FlatNode>,
    /// For each tree: its first node, the splits on its longest way.
    trees: Vec<(usize, usize)>,
    /// For each tree whether it has a split of categories.
    by_categories: Vec<bool>,
    /// Sets and bins of categories.
    words: Vec<u32>,
}

/// The bit of [`FlatNode::feature`] that sends missing values left.
pub const MISSING_LEFT: u32 = 1 << 31;
/// The bit of [`FlatNode::feature`] that says that a set of categories goes left.
pub const CATEGORIES: u32 = 1 << 30;
/// The bits of [`FlatNode::feature`] that number the feature.
pub const FEATURE: u32 = CATEGORIES - 1;

impl FlatTrees {
    /// Adds a tree.
    pub fn push(&mut self, nodes: impl IntoIterator<Item = FlatNode>, depth: usize) {
        let first = self.nodes.len();
        self.trees.push((first, depth));
        self.nodes.extend(nodes);
        self.by_categories.push(self.nodes[first..].iter().any(|node| node.feature & CATEGORIES != 0));
    }

    /// Adds the bins of a feature's categories, by code, for the sets of its nodes; [`UNKNOWN`] where one has none.
    pub fn add_bins(&mut self, bins: &[u8]) -> [u32; 2] {
        let first = self.words.len() as u32;
        let word = |four: &[u8]| four.iter().rev().fold(0, |word, bin| word << 8 | u32::from(*bin));
        self.words.extend(bins.chunks(4).map(word));
        [first, bins.len() as u32]
    }

    /// Adds the set of bins that go left from a node, with [`UNKNOWN`] if missing values and categories without a bin do.
    pub fn add_set(&mut self, bins: [u32; 2], left: &BinSet) -> f32 {
        let place = self.words.len() as u32;
        self.words.extend(bins.iter().chain(&left.0));
        f32::from_bits(place)
    }

    /// What splits of categories refer to: at the place of a set where its feature's bins begin, how many categories
    /// have one, then the set; at the place of bins four in each word.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Whether a value goes left by a split of categories.
    #[inline(always)]
    fn in_set(&self, node: &FlatNode, value: f32) -> bool {
        let place = node.threshold.to_bits() as usize;
        let set = &self.words[place..place + 2 + BINS / 32];
        let code = value as u32;
        let bin = match code < set[1] && code as f32 == value {
            true => (self.words[set[0] as usize + code as usize / 4] >> (8 * (code % 4))) as u8,
            false => UNKNOWN,
        };
        set[2 + bin as usize / 32] >> (bin % 32) & 1 == 1
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// The nodes of all trees, one tree after the other.
    pub fn nodes(&self) -> &[FlatNode] {
        &self.nodes
    }

    /// For each tree its first node and the splits on its longest way.
    pub fn roots(&self) -> &[(usize, usize)] {
        &self.trees
    }

    /// Leads each row (of `columns` values) through the trees in order and calls `arrive` for each block of rows and tree
    /// with the rows' results, the tree and the leaf of each row. `out` is n×outputs. Rows in parallel, trees in order.
    pub fn run<T: Send>(
        &self,
        values: &[f32],
        columns: usize,
        out: &mut [T],
        outputs: usize,
        arrive: impl Fn(&mut [T], usize, &[u32]) + Sync,
    ) {
        if columns == 0 || outputs == 0 {
            return;
        }
        let blocks = values.par_chunks(BLOCK * columns).zip(out.par_chunks_mut(BLOCK * outputs));
        blocks.for_each(|(rows, out)| {
            let mut places = [0_u32; BLOCK];
            let places = &mut places[..rows.len() / columns];
            for (tree, &(first, depth)) in self.trees.iter().enumerate() {
                places.fill(0);
                let nodes = &self.nodes[first..];
                if self.by_categories[tree] {
                    (0..depth).for_each(|_| self.step_by_categories(nodes, rows, columns, places));
                    arrive(out, tree, places);
                    continue;
                }
                for _ in 0..depth {
                    for (row, place) in rows.chunks_exact(columns).zip(places.iter_mut()) {
                        let node = nodes[*place as usize];
                        let value = row[(node.feature & FEATURE) as usize];
                        let left = value <= node.threshold || value.is_nan() & (node.feature & MISSING_LEFT != 0);
                        *place = node.children[usize::from(!left)];
                    }
                }
                arrive(out, tree, places);
            }
        });
    }

    /// The leaf of a row in a tree.
    pub fn leaf(&self, tree: usize, row: &[f32]) -> u32 {
        let (first, _) = self.trees[tree];
        let mut place = 0;
        loop {
            let node = &self.nodes[first + place as usize];
            if node.children == [place; 2] {
                return place;
            }
            place = self.step(node, row[(node.feature & FEATURE) as usize]);
        }
    }

    /// The child that a value goes to.
    #[inline(always)]
    fn step(&self, node: &FlatNode, value: f32) -> u32 {
        let left = match node.feature & CATEGORIES {
            0 => value <= node.threshold || value.is_nan() & (node.feature & MISSING_LEFT != 0),
            _ => self.in_set(node, value),
        };
        node.children[usize::from(!left)]
    }

    /// One step of each row through a tree that splits categories.
    fn step_by_categories(&self, nodes: &[FlatNode], rows: &[f32], columns: usize, places: &mut [u32]) {
        for (row, place) in rows.chunks_exact(columns).zip(places) {
            let node = nodes[*place as usize];
            let value = row[(node.feature & FEATURE) as usize];
            *place = self.step(&node, value);
        }
    }
}
