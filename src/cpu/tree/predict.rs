//! Predictions of many trees for many rows of raw values.

use rayon::prelude::*;

use super::bin_set::{BINS, BinSet, UNKNOWN};

/// Rows that go through the trees together.
const BLOCK: usize = 256;

/// A node as the walk wants it: sixteen bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Values up to this one go to the left child; of levels, what [`Walk::add_set`] gave.
    pub threshold: f32,
    /// The feature, in the highest bit whether missing values go left, in the next whether it is divided by levels.
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
    /// For each tree whether it has a step by levels.
    by_levels: Vec<bool>,
    /// Sets and bins of levels.
    words: Vec<u32>,
}

/// The bit of [`Step::feature`] that sends missing values left.
pub const MISSING_LEFT: u32 = 1 << 31;
/// The bit of [`Step::feature`] that says that a set of levels goes left.
pub const LEVELS: u32 = 1 << 30;
/// The bits of [`Step::feature`] that number the feature.
pub const FEATURE: u32 = LEVELS - 1;

impl Walk {
    /// Adds a tree.
    pub fn push(&mut self, steps: impl IntoIterator<Item = Step>, depth: usize) {
        let first = self.steps.len();
        self.trees.push((first, depth));
        self.steps.extend(steps);
        self.by_levels.push(self.steps[first..].iter().any(|step| step.feature & LEVELS != 0));
    }

    /// Adds the bins of a feature's levels, by code, for the sets of its steps; [`UNKNOWN`] where a level has none.
    pub fn add_bins(&mut self, bins: &[u8]) -> [u32; 2] {
        let first = self.words.len() as u32;
        let word = |four: &[u8]| four.iter().rev().fold(0, |word, bin| word << 8 | u32::from(*bin));
        self.words.extend(bins.chunks(4).map(word));
        [first, bins.len() as u32]
    }

    /// Adds the set of bins that go left from a step, with [`UNKNOWN`] if missing values and levels without a bin do.
    pub fn add_set(&mut self, bins: [u32; 2], left: &BinSet) -> f32 {
        let place = self.words.len() as u32;
        self.words.extend(bins.iter().chain(&left.0));
        f32::from_bits(place)
    }

    /// What the steps by levels refer to: at the place of a set where its feature's bins begin, how many levels have
    /// one, then the set; at the place of bins four in each word.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Whether a value goes left by a step of levels.
    #[inline(always)]
    fn in_set(&self, step: &Step, value: f32) -> bool {
        let place = step.threshold.to_bits() as usize;
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
                if self.by_levels[tree] {
                    (0..depth).for_each(|_| self.step_by_levels(steps, rows, columns, places));
                    arrive(out, tree, places);
                    continue;
                }
                for _ in 0..depth {
                    for (row, place) in rows.chunks_exact(columns).zip(places.iter_mut()) {
                        let step = steps[*place as usize];
                        let value = row[(step.feature & FEATURE) as usize];
                        let left = value <= step.threshold || value.is_nan() & (step.feature & MISSING_LEFT != 0);
                        *place = step.children[usize::from(!left)];
                    }
                }
                arrive(out, tree, places);
            }
        });
    }

    /// One step of each row through a tree that has steps by levels.
    fn step_by_levels(&self, steps: &[Step], rows: &[f32], columns: usize, places: &mut [u32]) {
        for (row, place) in rows.chunks_exact(columns).zip(places) {
            let step = steps[*place as usize];
            let value = row[(step.feature & FEATURE) as usize];
            let left = match step.feature & LEVELS {
                0 => value <= step.threshold || value.is_nan() & (step.feature & MISSING_LEFT != 0),
                _ => self.in_set(&step, value),
            };
            *place = step.children[usize::from(!left)];
        }
    }
}
