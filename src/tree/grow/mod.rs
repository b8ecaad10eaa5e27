//! The grower: one or many trees from binned rows, level by level or the best leaf first.
//!
//! The grower decides what is divided; [`Cells`] does the work on rows, a batch of nodes at a time, so that it can be
//! done on any device: histograms, the best split of each, partitions of rows. A node is a range of the row order.

mod fixed_point;
mod gradient;
mod grower;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use fixed_point::FixedPoint;
pub(crate) use gradient::{GradientCells, Gradients, NodeSums, SplitRules};
pub(crate) use grower::grow;

use super::levels::Levels;
use super::tree::Tree;
use crate::cpu::tree::bin_set::BinSet;
use crate::error::Result;
pub(crate) use crate::ops::tree::Fill;

/// In which order leaves are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// All leaves of a level, then those of the next.
    LevelByLevel,
    /// The leaf with the largest gain first; of equal ones the one made first.
    BestFirst,
}

/// When a tree is large enough. What concerns a single split (rows of a leaf, least gain) is for [`Cells`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    pub order: Order,
    /// Divisions on the way to a leaf at most.
    pub max_depth: usize,
    /// Leaves at most, at least 1.
    pub max_leaves: usize,
}

/// A tree to grow: the range of the row order that is its root, and what those rows add up to.
#[derive(Debug, Clone)]
pub(crate) struct Root<Totals> {
    pub rows: Range<usize>,
    pub totals: Totals,
}

/// A grown tree; its values are still 0.
#[derive(Debug, Clone)]
pub(crate) struct Grown<Totals> {
    /// Features, thresholds, gains and counts are filled in.
    pub tree: Tree,
    /// What the rows of each node add up to.
    pub totals: Vec<Totals>,
    /// The range of the row order of each node.
    pub rows: Vec<Range<usize>>,
}

/// A node whose best split is wanted.
#[derive(Debug, Clone)]
pub(crate) struct Search<Totals> {
    pub tree: usize,
    /// The way from the root, see [`ROOT`](crate::tree::features::ROOT); with `tree` the key of what is drawn by
    /// chance.
    pub path: u64,
    /// The slot of its histogram.
    pub slot: usize,
    pub totals: Totals,
}

/// How a node is divided best.
#[derive(Debug, Clone)]
pub(crate) struct Split<Totals> {
    pub feature: u32,
    /// The last bin that goes left, unless a set says which do.
    pub bin: u16,
    /// The bins that go left, where the feature is categorical.
    pub levels: Option<BinSet>,
    pub missing_left: bool,
    pub gain: f64,
    pub left: Totals,
    pub right: Totals,
}

/// A node to divide.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    pub rows: Range<usize>,
    pub feature: u32,
    pub bin: u16,
    pub levels: Option<BinSet>,
    pub missing_left: bool,
    /// Rows that go left.
    pub left: usize,
}

/// The rows, their histograms and what is added up in them: gradient cells or class cells.
pub(crate) trait Cells {
    /// What the rows of a node add up to.
    type Totals: Clone;

    /// Number of rows in them.
    fn count(totals: &Self::Totals) -> u64;

    /// Whether a node of these totals could be divided at all; if not, no histogram is made for it.
    fn may_divide(&self, totals: &Self::Totals) -> bool;

    /// The bins of categorical features.
    fn levels(&self) -> &Arc<Levels>;

    /// The threshold of raw values behind a bin.
    fn threshold(&self, feature: u32, bin: u16) -> f32;

    /// How many leaves of a tree are worked out at once where the best comes first: 1, or more where a step is dear.
    fn ahead(&self) -> usize;

    /// Brings rows back into ascending order whose division was worked out and then not wanted, for what reads the
    /// order later: ranges of the order.
    fn rejoin(&mut self, unused: Vec<Range<usize>>);

    /// How many histograms may be kept at once, at least 2. More nodes than that make do without their parents'.
    fn slots(&self) -> usize;

    /// Makes histograms.
    fn fill(&mut self, fills: &[Fill]) -> Result<()>;

    /// The best split of each node, none where none is allowed.
    fn search(&mut self, searches: &[Search<Self::Totals>]) -> Result<Vec<Option<Split<Self::Totals>>>>;

    /// Divides ranges of the row order, stably: what goes left first. The ranges are disjoint and ascend. Returns how
    /// many rows went left.
    fn partition(&mut self, cuts: &[Cut]) -> Result<Vec<usize>>;
}
