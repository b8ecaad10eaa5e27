//! Growing trees.
//!
//! | file | what is in it |
//! |---|---|
//! | `grower` | many trees from binned rows, level by level or the best leaf first, a batch of nodes at a time |
//! | `leaf` | nodes that wait to be split, and the leaves from which growth goes on |
//! | `gradient_cells`, `target_cells` | what the grower works on: gradients, or classes and numbers |
//! | `context` | binned rows on a device, for both |
//! | `batched_forest` | trees of classes or numbers that grow together on a device |
//! | `node_squares` | sums of squares of their nodes |
//! | `sequential` | one tree, node after node |
//! | `node_rules` | what both have in common: limits, the children of a node, and what is written of it |
//! | `table` | which of the ways is taken |
//!
//! The grower decides what is split; `Cells` does the work on rows, so that it can be done on any device: histograms,
//! the best split of each node, partitions of rows. A node is a range of the row order.

mod batched_forest;
mod context;
mod gradient_cells;
mod grower;
mod leaf;
mod node_rules;
mod node_squares;
mod sequential;
mod table;
mod target_cells;

pub(crate) use batched_forest::{BatchedForest, rows_without_histogram};
pub(crate) use context::GrowContext;
pub(crate) use gradient_cells::{GradientCells, NodeSums};
pub(crate) use grower::grow;
pub use table::TreeTable;
pub(crate) use target_cells::{TreeBatch, TreeLearner};

use std::ops::Range;

use super::model::Tree;
use crate::cpu::tree::SplitRule;
use crate::error::Result;
use crate::ops::tree::{HistogramFill, NodePartition};

/// In which order leaves are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GrowOrder {
    /// All leaves of a level, then those of the next.
    LevelByLevel,
    /// The leaf with the largest gain first; of equal ones the one made first.
    BestFirst,
}

/// When a tree is large enough. What concerns a single split (rows of a leaf, least gain) is for [`Cells`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GrowLimits {
    pub order: GrowOrder,
    /// Splits on the way to a leaf at most.
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

/// A node that may be split, before its split is known.
#[derive(Debug, Clone)]
pub(crate) struct OpenNode<Totals> {
    pub tree: usize,
    /// The way from the root, see [`ROOT`](crate::cpu::tree::splitters::ROOT); with `tree` the key of what is drawn.
    pub path: u64,
    pub depth: usize,
    pub rows: Range<usize>,
    pub totals: Totals,
    /// The slot of its histogram; none if it is searched by its rows.
    pub slot: Option<usize>,
}

/// What the split of a node is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SplitSource {
    /// Nothing: it cannot be split.
    None,
    /// Its histogram.
    Histogram,
    /// Its rows, when no node is left that has a histogram: one wait is then enough for a level.
    Rows,
    /// Its rows, by whoever goes on with the tree: the grower leaves it a leaf.
    Host,
}

/// How a node is split best.
#[derive(Debug, Clone)]
pub(crate) struct NodeSplit<Totals> {
    pub rule: SplitRule,
    pub gain: f64,
    pub children: [Totals; 2],
}

/// The splits of nodes, and those of the two children of some of them.
pub(crate) struct TwoLevelSplits<Totals> {
    /// One for each node.
    pub splits: Vec<Option<NodeSplit<Totals>>>,
    /// One pair for each node whose children were asked for.
    pub children: Vec<[Option<NodeSplit<Totals>>; 2]>,
}

/// The rows, their histograms and what is added up in them: gradient cells or target cells.
pub(crate) trait Cells {
    /// What the rows of a node add up to.
    type Totals: Clone;

    /// Number of rows in them.
    fn count(totals: &Self::Totals) -> u64;

    /// What the split of a node of these totals would be found by.
    fn split_source(&self, totals: &Self::Totals) -> SplitSource;

    /// Whether the rows of every leaf must lie together in the end.
    fn keeps_order(&self) -> bool {
        true
    }

    /// The binned rows.
    fn context(&self) -> &GrowContext<'_>;

    /// Brings rows back into ascending order that were partitioned for a split that was then not wanted, for what reads
    /// the order later: ranges of the order.
    fn restore_order(&mut self, unused: Vec<Range<usize>>);

    /// Makes histograms.
    fn fill(&mut self, fills: &[HistogramFill]) -> Result<()>;

    /// The best split of each node, none where none is allowed. All have a histogram, or none has.
    fn search(&mut self, nodes: &[OpenNode<Self::Totals>]) -> Result<Vec<Option<NodeSplit<Self::Totals>>>>;

    /// Whether the children of nodes can be searched along with them, without a wait between.
    fn looks_beyond(&self) -> bool {
        false
    }

    /// The same as [`search`](Cells::search), with the children of some nodes: `parents` has their places in `nodes`, each
    /// with a free slot for the histogram of the smaller child. Their rows are partitioned. None, and nothing done, where
    /// it is too much at once.
    fn search_two_levels(
        &mut self,
        nodes: &[OpenNode<Self::Totals>],
        parents: &[(usize, usize)],
    ) -> Result<Option<TwoLevelSplits<Self::Totals>>> {
        let _ = (nodes, parents);
        Ok(None)
    }

    /// Partitions ranges of the row order, stably: what goes left first. The ranges are disjoint and ascend.
    fn partition(&mut self, nodes: &[NodePartition]) -> Result<()>;
}
