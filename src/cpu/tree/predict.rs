//! Predictions of many trees for many rows of raw values.

use rayon::prelude::*;

/// Rows that go through the trees together.
const BLOCK: usize = 256;

/// A node as the walk wants it: sixteen bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Values up to this one go to the left child.
    pub threshold: f32,
    /// The feature, and in the highest bit whether missing values go left.
    pub feature: u32,
    /// The children; a leaf is its own two children.
    pub children: [u32; 2],
}

/// Trees for prediction: the nodes of all, one tree after the other, with children numbered within their tree.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    steps: Vec<Step>,
    /// For each tree: its first node, the divisions on its longest way.
    trees: Vec<(usize, usize)>,
}

/// The bit of [`Step::feature`] that sends missing values left.
pub const MISSING_LEFT: u32 = 1 << 31;

impl Walk {
    /// Adds a tree.
    pub fn push(&mut self, steps: impl IntoIterator<Item = Step>, depth: usize) {
        self.trees.push((self.steps.len(), depth));
        self.steps.extend(steps);
    }

    /// Number of trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// The nodes of all trees, one tree after the other.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// For each tree its first node and the divisions on its longest way.
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
                let steps = &self.steps[first..];
                for _ in 0..depth {
                    for (row, place) in rows.chunks_exact(columns).zip(places.iter_mut()) {
                        let step = steps[*place as usize];
                        let value = row[(step.feature & !MISSING_LEFT) as usize];
                        let left = value <= step.threshold || value.is_nan() & (step.feature & MISSING_LEFT != 0);
                        *place = step.children[usize::from(!left)];
                    }
                }
                arrive(out, tree, places);
            }
        });
    }
}
