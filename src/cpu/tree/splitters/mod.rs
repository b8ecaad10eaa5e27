//! Split finders that take one node after the other, by targets in fixed point.
//!
//! | file | how it finds a split |
//! |---|---|
//! | `binned` | counts the node's rows in bins |
//! | `exact` | sorts the node's rows by each feature |
//! | `median` | the same, by absolute error |
//! | `random`, `random_cells` | draws one threshold a feature, for rows and for the cells of a histogram |
//! | `histogram_split` | looks through the cells of a histogram |

mod binned;
mod categories;
mod exact;
mod feature_draw;
mod histogram_split;
mod median;
mod random;
mod random_cells;
mod ranked_sums;
mod rows;

pub use binned::BinnedSplitter;
pub use categories::split_categories;
pub use exact::ExactSplitter;
pub use feature_draw::{FeatureDraw, FeatureOrder, ROOT, paths_below};
pub use histogram_split::{CellScratch, between, scan};
pub use median::MedianSplitter;
pub use random::RandomSplitter;
pub use random_cells::scan_at_random;
pub use ranked_sums::RankedSums;
pub use rows::{BinnedTable, ExactRows, SplitterRows};

use super::split::{Split, SplitRule};
use super::target::{SplitBounds, TreeTarget, add_cell, take_cell};

/// A split by targets, with the cell of the left child. Gains are in units of the target.
pub type TargetSplit = Split<Vec<u64>>;

/// Finds the splits of nodes.
pub trait NodeSplitter<T> {
    /// The best split of a node; equal gains go to the feature drawn first, then to the lowest threshold, then to missing
    /// values on the right. `path` names the node, see [`ROOT`].
    fn best_split(&mut self, node: &TargetNode<'_, T>, path: u64, rows: &[u32]) -> Option<TargetSplit>;

    /// The rows that are split.
    fn rows(&self) -> SplitterRows<'_>;
}

/// A node that looks for its split.
#[derive(Debug)]
pub struct TargetNode<'a, T> {
    /// What is learned.
    pub target: &'a T,
    /// The sums of its rows.
    pub cell: &'a [u64],
    /// What its splits must keep to.
    pub bounds: SplitBounds<'a>,
}

impl<T: TreeTarget> TargetNode<'_, T> {
    /// Keeps a split if it is allowed and gains more than the best so far. Offer them in ascending order, features
    /// first: of equal ones the first stays.
    #[inline(always)]
    pub fn consider(&self, best: &mut Option<TargetSplit>, left: &[u64], rule: SplitRule) {
        let Some(gain) = self.gain(left) else { return };
        match best {
            Some(best) if gain <= best.gain => {}
            Some(best) => {
                (best.rule, best.gain) = (rule, gain);
                best.left.copy_from_slice(left);
            }
            None => *best = Some(Split { rule, gain, left: left.to_vec() }),
        }
    }

    /// The same for a feature of which the node has missing values: on the right, then on the left. `left` has what is
    /// present and comes back unchanged.
    #[inline(always)]
    pub fn consider_both(&self, best: &mut Option<TargetSplit>, left: &mut [u64], missing: &[u64], rule: SplitRule) {
        self.consider(best, left, rule);
        add_cell(left, missing);
        self.consider(best, left, SplitRule { missing_left: true, ..rule });
        take_cell(left, missing);
    }

    /// What a split gains with this cell on its left; nothing where it is not allowed.
    #[inline(always)]
    fn gain(&self, left: &[u64]) -> Option<f64> {
        self.bounds.allow(self.target.count(left)).then(|| self.target.gain(self.bounds.totals, left))
    }

    /// Whether the left child has as many rows as the right one, or more: what the node has no row of goes with it.
    pub fn larger_is_left(&self, left: &[u64]) -> bool {
        2 * self.target.count(left) >= self.bounds.count
    }
}

/// The best split by the features that a node draws; while there is none, by one more of them at a time.
fn search_drawn(
    draw: &FeatureDraw,
    order: &mut FeatureOrder,
    path: u64,
    mut best_of: impl FnMut(&[u32]) -> Option<TargetSplit>,
) -> Option<TargetSplit> {
    draw.start(path, order);
    let mut best = best_of(order.drawn());
    while best.is_none()
        && let Some(feature) = draw.another(order)
    {
        best = best_of(&[feature]);
    }
    best
}
