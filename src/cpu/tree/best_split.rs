//! The best split of a node, from its histogram of gradient cells.

use super::category_split::{CategoryCells, CategoryNode, CategorySearch, EXACT, InhabitedBin, best_category_split};
use super::fixed_point::GradientSums;
use super::histogram::Histogram;
use super::layout::FeaturePlace;
use super::monotone::MonotoneLimit;
use super::split::{Split, SplitRule};

/// A gain below this share of the children's scores is rounding.
const ROUNDING: f64 = 1e-12;
/// Is added to the Hessian of a bin of categories before bins are put in order, so that small ones stay in the middle.
const SMOOTH: f64 = 10.0;
/// Is added to every Σ Hessian in the gain of a split of more than [`FEW`] bins of categories: with sets to choose from,
/// noise alone finds a good one.
const CATEGORY_L2: f64 = 10.0;
/// Bins of categories that are split without that.
const FEW: usize = 4;
/// Bins of the smaller set at most, where not every split of categories is tried.
const SMALLER: usize = 32;

/// A split by gradients; its gain is twice what it takes off the loss.
pub type GradientSplit = Split<GradientSums>;

/// What a split by gradients must keep to, and what its gain is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradientRules {
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

impl GradientRules {
    /// (Σg)²/(Σh + λ) with |Σg| less the L1 term: twice what the best value of a leaf takes off the loss.
    #[inline(always)]
    pub fn score(&self, sums: GradientSums) -> f64 {
        let gradient = (sums.gradient as f64 * self.units[0]).abs() - self.l1;
        let hessian = sums.hessian as f64 * self.units[1] + self.l2;
        if gradient > 0.0 && hessian > 0.0 { gradient * gradient / hessian } else { 0.0 }
    }

    /// The best value of a leaf with these sums: a Newton step.
    #[inline(always)]
    pub fn value(&self, sums: GradientSums) -> f64 {
        self.newton_step([sums.gradient as f64 * self.units[0], sums.hessian as f64 * self.units[1]])
    }

    /// −Σg/(Σh + λ) with |Σg| less the L1 term.
    #[inline(always)]
    pub fn newton_step(&self, [gradient, hessian]: [f64; 2]) -> f64 {
        let (size, hessian) = (gradient.abs() - self.l1, hessian + self.l2);
        if size > 0.0 && hessian > 0.0 { -size.copysign(gradient) / hessian } else { 0.0 }
    }

    #[inline(always)]
    fn allow(&self, child: GradientSums) -> bool {
        child.count >= self.min_count && child.hessian as f64 * self.units[1] >= self.min_hessian
    }
}

/// A node whose best split is wanted.
#[derive(Debug, Clone, Copy)]
pub struct GradientNode<'a> {
    /// What its rows add up to.
    pub sums: GradientSums,
    /// What its splits must keep to.
    pub rules: &'a GradientRules,
    /// Splits against its direction are refused, and values stay within its bounds.
    pub limit: Option<MonotoneLimit>,
}

impl GradientNode<'_> {
    /// Twice what a leaf with these sums takes off the loss, at the value that it may have.
    #[inline(always)]
    fn score(&self, sums: GradientSums) -> f64 {
        self.limit.map_or_else(|| self.rules.score(sums), |limit| limit.score(self.rules, sums))
    }

    /// What a split gains with these rows on its left, over the node's score `whole`; nothing where it is not allowed.
    #[inline(always)]
    fn gain(&self, left: GradientSums, whole: f64) -> Option<f64> {
        let right = self.sums.minus(left);
        let allowed = self.rules.allow(left)
            && self.rules.allow(right)
            && self.limit.is_none_or(|limit| limit.allows(self.rules, left, right));
        if !allowed {
            return None;
        }
        let scores = self.score(left) + self.score(right);
        let gain = scores - whole;
        (gain > self.rules.min_gain && gain > ROUNDING * scores).then_some(gain)
    }
}

/// The best split by one feature; equal gains go to the lowest bin, then to missing values on the right. Thresholds are
/// not known here, and 0.
///
/// Missing values go where the gain is larger. Where a node has none, those met later go with the larger child, left
/// if they are alike.
pub fn best_split(
    histogram: &Histogram,
    feature: u32,
    cells: &FeaturePlace,
    node: &GradientNode<'_>,
) -> Option<GradientSplit> {
    let (bins, all) = (cells.bins as usize, cells.all_bins());
    if all < 2 {
        return None;
    }
    let first = cells.first as usize;
    if cells.categorical {
        let sums: Vec<GradientSums> = histogram.range(first..first + all).collect();
        return split_categories(&sums, cells.bins, feature, node);
    }
    let Some(default) = cells.default else {
        return scan(histogram.range(first..first + all), bins, feature, node);
    };
    let default = default as usize;
    let own = |bin: usize| match bin {
        bin if bin < default => histogram.get(first + bin),
        bin => histogram.get(first + bin - 1),
    };
    let others = (0..all).filter(|bin| *bin != default).map(own).fold(GradientSums::default(), GradientSums::plus);
    let rest = node.sums.minus(others);
    scan((0..all).map(|bin| if bin == default { rest } else { own(bin) }), bins, feature, node)
}

#[inline(always)]
fn scan(
    sums: impl Iterator<Item = GradientSums> + Clone,
    bins: usize,
    feature: u32,
    node: &GradientNode<'_>,
) -> Option<GradientSplit> {
    let missing = sums.clone().nth(bins).unwrap_or_default();
    let whole = node.score(node.sums);
    let mut best: Option<GradientSplit> = None;
    let mut left = GradientSums::default();
    let consider = |best: &mut Option<GradientSplit>, left: GradientSums, bin: usize, missing_left: bool| {
        if let Some(gain) = node.gain(left, whole)
            && best.as_ref().is_none_or(|best| gain > best.gain)
        {
            *best =
                Some(Split { rule: SplitRule { missing_left, ..SplitRule::at(feature, bin as u16, 0.0) }, gain, left });
        }
    };
    // The split after the last bin parts present from missing values.
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
        best.rule.missing_left = 2 * best.left.count >= node.sums.count;
    }
    Some(best)
}

/// The best split of the bins of categories. `sums` has a cell for each of `bins` bins, and behind them one for missing
/// values or none.
///
/// Bins are put in order by Σg/(Σh + 10) (Fisher, "On grouping for maximum homogeneity", 1958): up to eight are split in
/// every way, more at a place of that order. Categories have no order, so that no direction applies.
fn split_categories(sums: &[GradientSums], bins: u16, feature: u32, node: &GradientNode<'_>) -> Option<GradientSplit> {
    let (sums, missing) = sums.split_at(bins as usize);
    let missing = missing.first().copied().unwrap_or_default();
    let rules = node.rules;
    let key =
        |sums: &GradientSums| sums.gradient as f64 * rules.units[0] / (sums.hessian as f64 * rules.units[1] + SMOOTH);
    let inhabited = sums.iter().enumerate().filter(|(_, sums)| sums.count > 0);
    let inhabited: Vec<InhabitedBin> =
        inhabited.map(|(place, sums)| InhabitedBin { bin: place as u8, place, key: key(sums) }).collect();
    let stricter = GradientRules { l2: rules.l2 + if inhabited.len() > FEW { CATEGORY_L2 } else { 0.0 }, ..*rules };
    let limit = node.limit.map(|limit| MonotoneLimit { direction: 0, ..limit });
    let cells = GradientCategories {
        sums,
        missing,
        node: GradientNode { sums: node.sums, rules: &stricter, limit },
        whole: node.score(node.sums),
    };
    let tried =
        if inhabited.len() <= EXACT { CategorySearch::All } else { CategorySearch::Places { smaller: SMALLER } };
    let category_node = CategoryNode { feature, bins, has_missing: missing.count > 0 };
    best_category_split(&cells, &category_node, inhabited, tried)
}

struct GradientCategories<'a> {
    sums: &'a [GradientSums],
    missing: GradientSums,
    node: GradientNode<'a>,
    /// The node's own score, by the rules of all its features.
    whole: f64,
}

impl CategoryCells for GradientCategories<'_> {
    type Sum = GradientSums;

    fn empty(&self) -> GradientSums {
        GradientSums::default()
    }

    #[inline(always)]
    fn add(&self, place: usize, sum: &mut GradientSums) {
        *sum = sum.plus(self.sums[place]);
    }

    #[inline(always)]
    fn add_missing(&self, sum: &mut GradientSums) {
        *sum = sum.plus(self.missing);
    }

    #[inline(always)]
    fn gain(&self, left: &GradientSums) -> Option<f64> {
        self.node.gain(*left, self.whole)
    }

    fn larger_is_left(&self, left: &GradientSums) -> bool {
        2 * left.count >= self.node.sums.count
    }
}
