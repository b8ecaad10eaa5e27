//! What a tree learns, as integers: a cell adds up rows, and a split is scored by the cells of its two children.
//!
//! A cell is a few 64-bit words. Words are added and taken away without overflow checks, as integers modulo 2⁶⁴, so
//! sums are exact in any order and a sibling is its parent without the other child.

mod class;
mod criterion;
mod value;
mod weights;

pub use class::ClassTarget;
pub use criterion::{Criterion, RegressionCriterion, log2};
pub use value::{FixedValues, RankedValues, ValueTarget, weighted_median};
pub use weights::FixedWeights;

use super::{NodeSquares, TargetRows};

/// The sums of a node as numbers, by which its splits are scored.
#[derive(Debug, Clone, Default)]
pub struct TargetTotals {
    /// The sum of the weights, in units of the fixed point.
    pub weight: f64,
    /// The weight of each class, or the sum of each output.
    pub parts: Vec<f64>,
    /// What the criterion adds up over the whole node, where it needs it.
    pub purity: f64,
}

/// What splits of a node must keep to.
#[derive(Debug, Clone, Copy)]
pub struct SplitBounds<'a> {
    /// The sums of the node.
    pub totals: &'a TargetTotals,
    /// Rows of the node.
    pub count: u64,
    /// Rows that a child has at least, 1 or more.
    pub min_samples_leaf: u64,
}

impl SplitBounds<'_> {
    /// Whether both children have rows enough when the left one has so many.
    #[inline(always)]
    pub fn allow(&self, left: u64) -> bool {
        left >= self.min_samples_leaf && self.count - left >= self.min_samples_leaf
    }
}

/// How splits are scored, for what scores them without the targets themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitScore {
    /// What a split reduces.
    pub kind: ScoreKind,
    /// Low bits of a word that count rows.
    pub count_bits: u32,
}

/// What a split reduces; numbers as in the shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreKind {
    /// The Gini impurity of two classes.
    GiniOfTwo = 0,
    /// That of more.
    Gini = 1,
    /// The entropy.
    Entropy = 2,
    /// The share of the rows that are not of the commonest class.
    Misclassification = 3,
    /// The variance.
    Variance = 4,
}

/// What a node predicts for its rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeSummary {
    /// The sum of the rows' weights.
    pub weight: f64,
    /// Rows, each once whatever it weighs.
    pub count: u64,
    /// How mixed its rows are.
    pub impurity: f64,
    /// Whether no split could make it purer.
    pub pure: bool,
}

/// What [`TreeTarget::summary`] takes, beside the cell of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SummarySource {
    /// Nothing more.
    Cell,
    /// The sums of squares of its rows: integers too, so that a device adds them up.
    Squares,
    /// The rows themselves.
    Rows,
}

/// Targets of rows with a criterion, in fixed point: the classes, or the numbers. Rows of weight 0 have empty cells.
pub trait TreeTarget: Send + Sync {
    /// 64-bit words of a cell.
    fn words(&self) -> usize;

    /// Numbers of a leaf: the probability of each class, or each output.
    fn outputs(&self) -> usize;

    /// Whether a row counts at all.
    fn counts(&self, row: usize) -> bool;

    /// Adds a row to a cell.
    fn add(&self, row: usize, cell: &mut [u64]);

    /// The words of all rows, as histograms take them.
    fn rows(&self) -> TargetRows<'_>;

    /// Whether the sums alone tell that no split could make a node purer.
    fn is_pure(&self, cell: &[u64]) -> bool;

    /// Rows in a cell.
    fn count(&self, cell: &[u64]) -> u64;

    /// The sums of a node's cell as numbers.
    fn totals(&self, cell: &[u64], totals: &mut TargetTotals);

    /// What a split gains whose left side has this cell, both children having rows: the weighted decrease of the
    /// impurity in units of [`TreeTarget::gain_unit`], never negative.
    fn gain(&self, totals: &TargetTotals, left: &[u64]) -> f64;

    /// How [`TreeTarget::gain`] scores.
    fn score(&self) -> SplitScore;

    /// The best of the splits behind each of these cells but the last, if one is allowed: its place and what it gains.
    /// Of equal ones the first.
    fn best_cut(&self, bounds: &SplitBounds<'_>, cells: &[u64]) -> Option<(usize, f64)>;

    /// The profile of the rows of a cell, appended to `profile`, and their weight: the mean of each output, the share
    /// of each class, of the second alone where there are two. Bins with one number each are split best in its order.
    fn profile(&self, cell: &[u64], profile: &mut Vec<f64>) -> f64;

    /// Turns a gain into weight × impurity.
    fn gain_unit(&self) -> f64;

    /// The numbers themselves, where a criterion scores children by their medians: cells and gains are then of no use
    /// to it.
    fn by_medians(&self) -> Option<RankedValues<'_>> {
        None
    }

    /// What a summary is made of.
    fn summary_source(&self) -> SummarySource;

    /// What a node of these rows, in this order, predicts; its value is appended to `values`.
    fn summary(&self, rows: &[u32], cell: &[u64], values: &mut Vec<f64>) -> NodeSummary;

    /// The same to the bit without the rows, where [`TreeTarget::summary_source`] does not ask for them.
    fn summary_of_squares(&self, squares: &NodeSquares, cell: &[u64], values: &mut Vec<f64>) -> NodeSummary;
}

/// `cell += other`, word by word.
#[inline(always)]
pub fn add_cell(cell: &mut [u64], other: &[u64]) {
    cell.iter_mut().zip(other).for_each(|(word, other)| *word = word.wrapping_add(*other));
}

/// `cell −= other`, word by word.
#[inline(always)]
pub fn take_cell(cell: &mut [u64], other: &[u64]) {
    cell.iter_mut().zip(other).for_each(|(word, other)| *word = word.wrapping_sub(*other));
}

/// [`TreeTarget::best_cut`] for cells of any width.
fn best_cut<T: TreeTarget>(target: &T, bounds: &SplitBounds<'_>, cells: &[u64]) -> Option<(usize, f64)> {
    let words = target.words();
    let mut left = vec![0; words];
    let mut best = None;
    for (at, cell) in cells[..cells.len() - words].chunks_exact(words).enumerate() {
        // Behind an empty bin the split is the one before.
        if cell.iter().all(|word| *word == 0) {
            continue;
        }
        add_cell(&mut left, cell);
        if bounds.allow(target.count(&left)) {
            let gain = target.gain(bounds.totals, &left);
            if best.is_none_or(|(_, best)| gain > best) {
                best = Some((at, gain));
            }
        }
    }
    best
}
