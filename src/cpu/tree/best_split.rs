//! The best split of a node, from its histogram of gradient cells.

use super::bin_set::BinSet;
use super::histogram::{Histogram, Sums};
use super::level_split::best_level_split;
use super::monotone::Limit;

/// A gain below this share of the children's scores is rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// Where the cells of a feature stand in a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureCells {
    /// The first cell.
    pub first: u32,
    /// Bins of present values; bin `bins` is that of missing ones.
    pub bins: u16,
    /// Whether there is a bin of missing values.
    pub missing: bool,
    /// The bin without a cell, as the feature shares its column: the node's sums less those of the other bins.
    pub default: Option<u16>,
    /// Whether the bins are of levels, which have no order; such a feature has no default.
    pub categorical: bool,
}

/// What a split must keep to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// What one unit of the gradients and one of the Hessians in fixed point stand for.
    pub units: [f64; 2],
    /// Takes this off every |Σ gradient|.
    pub l1: f64,
    /// Is added to every Σ Hessian.
    pub l2: f64,
    /// The least Σ Hessian of a child.
    pub min_hessian: f64,
    /// The least number of rows of a child, at least 1.
    pub min_count: u64,
    /// A split gains more than this.
    pub min_gain: f64,
}

impl Rules {
    /// (Σg)²/(Σh + λ) with |Σg| less the L1 term: twice what the best value of a leaf takes off the loss.
    #[inline(always)]
    pub fn score(&self, sums: Sums) -> f64 {
        let gradient = (sums.gradient as f64 * self.units[0]).abs() - self.l1;
        let hessian = sums.hessian as f64 * self.units[1] + self.l2;
        if gradient > 0.0 && hessian > 0.0 { gradient * gradient / hessian } else { 0.0 }
    }

    /// −Σg/(Σh + λ) with |Σg| less the L1 term: the best value of a leaf.
    #[inline(always)]
    pub fn value(&self, sums: Sums) -> f64 {
        let gradient = sums.gradient as f64 * self.units[0];
        let (size, hessian) = (gradient.abs() - self.l1, sums.hessian as f64 * self.units[1] + self.l2);
        if size > 0.0 && hessian > 0.0 { -size.copysign(gradient) / hessian } else { 0.0 }
    }

    #[inline(always)]
    pub(super) fn allow(&self, child: Sums) -> bool {
        child.count >= self.min_count && child.hessian as f64 * self.units[1] >= self.min_hessian
    }
}

/// A split of a node in two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The feature.
    pub feature: u32,
    /// The last bin that goes left, unless a set says which do.
    pub bin: u16,
    /// The bins that go left, where the feature is categorical.
    pub levels: Option<BinSet>,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// What the loss falls by, times two.
    pub gain: f64,
    /// The sums of the left child.
    pub left: Sums,
}

impl Found {
    /// Whether this one is better: a larger gain, then a lower feature.
    pub fn beats(&self, other: &Found) -> bool {
        self.gain > other.gain || self.gain == other.gain && self.feature < other.feature
    }
}

/// The best split by one feature; equal gains go to the lowest bin, then to missing values on the right.
///
/// Missing values go where the gain is larger. Where a node has none, those met later go with the larger child, left
/// if they are alike. With a limit, splits against its direction are refused, and values stay within its bounds.
pub fn best_split(
    histogram: &Histogram,
    feature: u32,
    cells: &FeatureCells,
    node: Sums,
    rules: &Rules,
    limit: Option<&Limit>,
) -> Option<Found> {
    let bins = cells.bins as usize;
    let all = bins + usize::from(cells.missing);
    if all < 2 {
        return None;
    }
    let first = cells.first as usize;
    if cells.categorical {
        let sums: Vec<Sums> = histogram.range(first..first + all).collect();
        return best_level_split(&sums, bins, feature, node, rules, limit);
    }
    let Some(default) = cells.default else {
        return scan(histogram.range(first..first + all), bins, feature, node, rules, limit);
    };
    let default = default as usize;
    let own = |bin: usize| match bin {
        bin if bin < default => histogram.get(first + bin),
        bin => histogram.get(first + bin - 1),
    };
    let others = (0..all).filter(|bin| *bin != default).map(own).fold(Sums::default(), Sums::plus);
    let rest = node.minus(others);
    scan((0..all).map(|bin| if bin == default { rest } else { own(bin) }), bins, feature, node, rules, limit)
}

/// Twice what a leaf with these sums takes off the loss, at the value that it may have.
#[inline(always)]
pub(super) fn score(rules: &Rules, limit: Option<&Limit>, sums: Sums) -> f64 {
    limit.map_or_else(|| rules.score(sums), |limit| limit.score(rules, sums))
}

#[inline(always)]
fn scan(
    sums: impl Iterator<Item = Sums> + Clone,
    bins: usize,
    feature: u32,
    node: Sums,
    rules: &Rules,
    limit: Option<&Limit>,
) -> Option<Found> {
    let score = |sums: Sums| score(rules, limit, sums);
    let missing = sums.clone().nth(bins).unwrap_or_default();
    let whole = score(node);
    let mut best: Option<Found> = None;
    let mut left = Sums::default();
    let consider = |best: &mut Option<Found>, left: Sums, bin: usize, missing_left: bool| {
        let right = node.minus(left);
        if !(rules.allow(left) && rules.allow(right) && limit.is_none_or(|limit| limit.allows(rules, left, right))) {
            return;
        }
        let scores = score(left) + score(right);
        let gain = scores - whole;
        let least = best.as_ref().map_or(rules.min_gain, |best| best.gain);
        if gain > least && gain > ROUNDING * scores {
            *best = Some(Found { feature, bin: bin as u16, levels: None, missing_left, gain, left });
        }
    };
    // The split after the last bin divides present from missing values.
    let last = bins - usize::from(missing.count == 0);
    for (bin, sums) in sums.take(last).enumerate() {
        left = left.plus(sums);
        consider(&mut best, left, bin, false);
        if missing.count > 0 {
            consider(&mut best, left.plus(missing), bin, true);
        }
    }
    let mut best = best?;
    if missing.count == 0 {
        best.missing_left = 2 * best.left.count >= node.count;
    }
    Some(best)
}
