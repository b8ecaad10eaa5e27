//! The best split of the bins of a categorical feature into two sets, whatever their cells hold.

use super::categories::BinSet;
use super::split::{Split, SplitRule};

/// Up to this many inhabited bins, every split can be tried.
pub const EXACT: usize = 8;

/// The cells of a feature's bins, and how a split of them is scored.
pub trait CategoryCells {
    /// What the rows of some bins add up to.
    type Sum: Clone;

    /// The sum of no rows.
    fn empty(&self) -> Self::Sum;

    /// Adds the cell at a place to a sum.
    fn add(&self, place: usize, sum: &mut Self::Sum);

    /// Adds the cell of missing values.
    fn add_missing(&self, sum: &mut Self::Sum);

    /// What a split gains with these rows on its left; nothing where it is not allowed.
    fn gain(&self, left: &Self::Sum) -> Option<f64>;

    /// Whether the left child has as many rows as the right one, or more.
    fn larger_is_left(&self, left: &Self::Sum) -> bool;
}

/// A bin that a node has rows of: its number, the place of its cell, and what puts it in order.
#[derive(Debug, Clone, Copy)]
pub struct InhabitedBin {
    /// The number of the bin.
    pub bin: u8,
    /// The place of its cell.
    pub place: usize,
    /// Bins are tried in the order of their keys, equal ones by their numbers.
    pub key: f64,
}

/// A categorical feature of a node.
#[derive(Debug)]
pub struct CategoryNode {
    /// The feature.
    pub feature: u32,
    /// Its bins, also those that the node has no row of.
    pub bins: u16,
    /// Whether the node has missing values of it.
    pub has_missing: bool,
}

/// Which splits are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CategorySearch {
    /// Every split; at most [`EXACT`] bins.
    All,
    /// Those at the places of the bins' order that leave at most so many bins on the smaller side.
    Places {
        /// Bins of the smaller side at most.
        smaller: usize,
    },
}

/// The best so far; of equal gains the first.
struct Best<Sum> {
    gain: f64,
    missing_left: bool,
    left: Sum,
    /// Which split it was: a bit for each bin on the left, or how many of them.
    choice: usize,
}

/// The best split of the inhabited bins in two, missing values with either side; equal gains go to the first tried.
/// Bins that the node has no row of go with the larger child.
pub fn best_category_split<C: CategoryCells>(
    cells: &C,
    node: &CategoryNode,
    mut bins: Vec<InhabitedBin>,
    tried: CategorySearch,
) -> Option<Split<C::Sum>> {
    if bins.is_empty() || bins.len() == 1 && !node.has_missing {
        return None;
    }
    bins.sort_unstable_by(|one, other| one.key.total_cmp(&other.key).then(one.bin.cmp(&other.bin)));
    let (mut best, mut with_missing) = (None, cells.empty());
    let mut consider = |left: &C::Sum, choice: usize| {
        keep(&mut best, cells, left, choice, false);
        if node.has_missing {
            with_missing.clone_from(left);
            cells.add_missing(&mut with_missing);
            keep(&mut best, cells, &with_missing, choice, true);
        }
    };
    match tried {
        CategorySearch::All => try_all(cells, &bins, &mut consider),
        CategorySearch::Places { smaller } => {
            let mut left = cells.empty();
            // Behind the last bin, what is present is split from what is missing.
            for (count, bin) in (1..).zip(&bins) {
                cells.add(bin.place, &mut left);
                if count.min(bins.len() - count) <= smaller {
                    consider(&left, count);
                }
            }
        }
    }
    let Best { gain, missing_left, left, choice } = best?;
    let is_left = |at: usize| if tried == CategorySearch::All { choice >> at & 1 == 1 } else { at < choice };
    let set = |is_in: &dyn Fn(usize) -> bool| (0..bins.len()).filter(|at| is_in(*at)).map(|at| bins[at].bin).collect();
    let categories: BinSet = set(&is_left);
    let mut rule = SplitRule { categories: Some(categories), missing_left, ..SplitRule::at(node.feature, 0, 0.0) };
    rule.route_unseen(cells.larger_is_left(&left), node.bins, &set(&|_| true), node.has_missing);
    Some(Split { rule, gain, left })
}

/// Keeps a split if it is allowed and gains more than the best so far.
#[inline(always)]
fn keep<C: CategoryCells>(
    best: &mut Option<Best<C::Sum>>,
    cells: &C,
    left: &C::Sum,
    choice: usize,
    missing_left: bool,
) {
    if let Some(gain) = cells.gain(left)
        && best.as_ref().is_none_or(|best| gain > best.gain)
    {
        *best = Some(Best { gain, missing_left, left: left.clone(), choice });
    }
}

/// Every split, the first bin on the left; a choice has a bit for each bin on the left.
fn try_all<C: CategoryCells>(cells: &C, bins: &[InhabitedBin], consider: &mut impl FnMut(&C::Sum, usize)) {
    // The chosen ones of the bins from each place on: only those up to the highest that changed are added anew.
    let mut sums = vec![cells.empty(); bins.len() + 1];
    for choice in (1..1_usize << bins.len()).step_by(2) {
        let changed = (choice ^ choice.saturating_sub(2)).ilog2() as usize;
        for at in (0..=changed).rev() {
            let (own, behind) = sums[at..].split_at_mut(1);
            own[0].clone_from(&behind[0]);
            if choice >> at & 1 == 1 {
                cells.add(bins[at].place, &mut own[0]);
            }
        }
        consider(&sums[0], choice);
    }
}
