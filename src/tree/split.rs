//! The best of a node's splits.

use super::target::{Bounds, Target, add_cell, take_cell};
use crate::cpu::tree::bin_set::BinSet;

/// A split of a node in two: what is at most the threshold goes left, or a set of levels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Split {
    pub(crate) feature: u32,
    /// The last bin that goes left, where there are bins.
    pub(crate) bin: u16,
    pub(crate) threshold: f32,
    /// The bins that go left, where the feature is categorical.
    pub(crate) levels: Option<BinSet>,
    pub(crate) missing_left: bool,
    /// In units of the target.
    pub(crate) gain: f64,
    /// The cell of the left child.
    pub(crate) left: Vec<u64>,
}

/// A node that looks for its split.
#[derive(Debug)]
pub(crate) struct Node<'a, T> {
    pub(crate) target: &'a T,
    /// The sums of its rows.
    pub(crate) cell: &'a [u64],
    pub(crate) bounds: Bounds<'a>,
}

/// The place of a split in its feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) feature: u32,
    pub(crate) bin: u16,
    pub(crate) threshold: f32,
}

impl<T: Target> Node<'_, T> {
    /// Keeps a split if it is allowed and gains more than the best so far. Offer them in ascending order, features
    /// first: of equal ones the first stays.
    #[inline(always)]
    pub(crate) fn consider(&self, best: &mut Option<Split>, left: &[u64], cut: Cut, missing_left: bool) {
        if !self.bounds.allow(self.target.count(left)) {
            return;
        }
        let gain = self.target.gain(self.bounds.totals, left);
        match best {
            Some(best) if gain <= best.gain => {}
            Some(best) => {
                (best.feature, best.bin, best.threshold, best.levels) = (cut.feature, cut.bin, cut.threshold, None);
                (best.missing_left, best.gain) = (missing_left, gain);
                best.left.copy_from_slice(left);
            }
            None => {
                let Cut { feature, bin, threshold } = cut;
                *best = Some(Split { feature, bin, threshold, levels: None, missing_left, gain, left: left.to_vec() });
            }
        }
    }

    /// The same for a feature of which the node has missing values: on the right, then on the left. `left` has what is
    /// present and comes back unchanged.
    #[inline(always)]
    pub(crate) fn consider_both(&self, best: &mut Option<Split>, left: &mut [u64], missing: &[u64], cut: Cut) {
        self.consider(best, left, cut, false);
        add_cell(left, missing);
        self.consider(best, left, cut, true);
        take_cell(left, missing);
    }

    /// Where values go that are missing later, when the node had none of the split's feature: with the larger child,
    /// left if they are alike.
    pub(crate) fn larger_is_left(&self, split: &Split) -> bool {
        2 * self.target.count(&split.left) >= self.bounds.count
    }

    /// Sends what the node has no row of with the larger child: of `bins` bins of levels those that are not
    /// `inhabited`, where the split divides levels, and missing values unless the node has some.
    pub(crate) fn send_absent(&self, split: &mut Split, bins: u16, inhabited: &[u8], has_missing: bool) {
        let larger_is_left = self.larger_is_left(split);
        if let Some(levels) = split.levels.as_mut().filter(|_| larger_is_left) {
            let inhabited: BinSet = inhabited.iter().copied().collect();
            let absent = (0..bins as u8).filter(|bin| !inhabited.contains(*bin));
            absent.for_each(|bin| levels.insert(bin));
        }
        if !has_missing {
            split.missing_left = larger_is_left;
        }
    }
}
