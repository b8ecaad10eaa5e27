//! A split of a node in two: which rows go left, and what it gains.

use super::categories::BinSet;

/// Which rows of a node go to its left child.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitRule {
    /// The feature that is asked for.
    pub feature: u32,
    /// The last bin that goes left, where rows are in bins and `categories` does not say.
    pub bin: u16,
    /// Values up to this one go left, where `categories` does not say.
    pub threshold: f32,
    /// The bins that go left, where the feature is categorical.
    pub categories: Option<BinSet>,
    /// Whether missing values go left.
    pub missing_left: bool,
}

impl SplitRule {
    /// Bins up to `bin`, and values up to `threshold`, go left; missing values go right.
    #[inline(always)]
    pub fn at(feature: u32, bin: u16, threshold: f32) -> SplitRule {
        SplitRule { feature, bin, threshold, categories: None, missing_left: false }
    }

    /// Sends what the node has no row of with the larger child: of `bins` bins of categories those that are not
    /// `inhabited`, where the split is by categories, and missing values unless the node has some.
    pub fn route_unseen(&mut self, larger_is_left: bool, bins: u16, inhabited: &BinSet, has_missing: bool) {
        if let Some(categories) = self.categories.as_mut().filter(|_| larger_is_left) {
            let unseen = (0..bins as u8).filter(|bin| !inhabited.contains(*bin));
            unseen.for_each(|bin| categories.insert(bin));
        }
        if !has_missing {
            self.missing_left = larger_is_left;
        }
    }
}

/// A split of a node, with what the rows of its left child add up to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split<Sum> {
    /// Which rows go left.
    pub rule: SplitRule,
    /// What it takes off the loss or the impurity, in the units of the search.
    pub gain: f64,
    /// What the rows on the left add up to.
    pub left: Sum,
}

impl<Sum> Split<Sum> {
    /// Whether this one is better: a larger gain, then a lower feature.
    pub fn beats(&self, other: &Split<Sum>) -> bool {
        self.gain > other.gain || self.gain == other.gain && self.rule.feature < other.rule.feature
    }
}

/// The better of two splits, the first of equals.
pub fn better<Sum>(first: Option<Split<Sum>>, second: Option<Split<Sum>>) -> Option<Split<Sum>> {
    match (&first, &second) {
        (Some(one), Some(other)) if !other.beats(one) => first,
        (_, Some(_)) => second,
        _ => first,
    }
}

/// The split that gains more, the first of equals: for features in the order in which ties are decided.
pub fn first_best<Sum>(first: Option<Split<Sum>>, second: Option<Split<Sum>>) -> Option<Split<Sum>> {
    match (&first, &second) {
        (Some(one), Some(other)) if other.gain <= one.gain => first,
        (_, Some(_)) => second,
        _ => first,
    }
}

/// A number `middle` with `low ≤ middle < high`.
pub fn midway(low: f32, high: f32) -> f32 {
    let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
    if middle < high { middle } else { low }
}
