//! Rows as splitters look at them: as they are, or in bins.

use super::histogram_split::between;
use super::{FeatureDraw, TargetNode, TargetSplit};
use crate::cpu::tree::BinnedRows;
use crate::cpu::tree::categories::{BinSet, CategoryBins};
use crate::cpu::tree::layout::BinLayout;
use crate::cpu::tree::split::{SplitRule, midway};
use crate::cpu::tree::target::TreeTarget;

/// Rows of raw values; only categorical features have bins.
#[derive(Debug, Clone, Copy)]
pub struct ExactRows<'a> {
    /// n×`columns`, NaN is missing.
    pub values: &'a [f32],
    /// Values of a row.
    pub columns: usize,
    /// The bins of categorical features.
    pub categories: &'a [Option<CategoryBins>],
}

/// Rows in bins.
#[derive(Debug, Clone, Copy)]
pub struct BinnedTable<'a> {
    /// The codes of all rows.
    pub codes: BinnedRows<'a>,
    /// Where each feature is.
    pub layout: &'a BinLayout,
    /// The thresholds behind the bins of each feature, ascending; none behind the last, and none of categories.
    pub thresholds: &'a [Vec<f32>],
}

/// Either of them.
#[derive(Debug, Clone, Copy)]
pub enum SplitterRows<'a> {
    /// As they are.
    Exact(ExactRows<'a>),
    /// In bins.
    Binned(BinnedTable<'a>),
}

impl ExactRows<'_> {
    /// One value.
    #[inline(always)]
    pub fn get(&self, row: u32, feature: u32) -> f32 {
        self.values[row as usize * self.columns + feature as usize]
    }

    /// The bins of a feature's categories, if it is categorical.
    pub fn categories(&self, feature: u32) -> Option<&CategoryBins> {
        self.categories.get(feature as usize).and_then(Option::as_ref)
    }
}

impl SplitterRows<'_> {
    /// The value of each row, or its bin as a number; NaN is missing. Nothing for a feature of one value.
    pub(super) fn feature_values(&self, rows: &[u32], feature: u32, values: &mut Vec<f32>) -> Option<()> {
        values.clear();
        match self {
            SplitterRows::Exact(exact) => {
                let categories = exact.categories(feature);
                values.extend(rows.iter().map(|row| {
                    let value = exact.get(*row, feature);
                    categories.filter(|_| !value.is_nan()).map_or(value, |bins| f32::from(bins.bin(value)))
                }));
            }
            SplitterRows::Binned(BinnedTable { codes, layout, .. }) => {
                let place = &layout.places()[feature as usize];
                let column = place.column? as usize;
                values.extend(rows.iter().map(
                    |row| match place.bin(codes.bins[*row as usize * codes.stride + column]) {
                        bin if bin == place.bins => f32::NAN,
                        bin => f32::from(bin),
                    },
                ));
            }
        }
        Some(())
    }

    /// How many bins of categories a feature has, if it is categorical: its values are then those bins, which have no
    /// order of their own.
    pub(super) fn category_bins(&self, feature: u32) -> Option<u16> {
        match self {
            SplitterRows::Exact(exact) => exact.categories(feature).map(CategoryBins::count),
            SplitterRows::Binned(table) => {
                let place = &table.layout.places()[feature as usize];
                place.categorical.then_some(place.bins)
            }
        }
    }

    /// The last value that goes left, at least `low` and below `high`, as it is drawn for the node.
    pub(super) fn random_cut(
        &self,
        feature: u32,
        (low, high): (f32, f32),
        draw: &FeatureDraw,
        path: u64,
    ) -> (f32, SplitRule) {
        match self {
            SplitterRows::Exact(_) => {
                let (from, span) = (f64::from(low), f64::from(high) - f64::from(low));
                let drawn = (from + draw.uniform(path, feature) * span) as f32;
                // Rounded up to the largest value, it would have nothing on its right.
                let threshold = if drawn < high { drawn } else { low };
                (threshold, SplitRule::at(feature, 0, threshold))
            }
            SplitterRows::Binned(table) => {
                let bin = low as u16 + draw.place(path, feature, (high - low) as u32) as u16;
                let threshold = table.thresholds[feature as usize].get(bin as usize).copied().unwrap_or(f32::MAX);
                (f32::from(bin), SplitRule::at(feature, bin, threshold))
            }
        }
    }

    /// The split midway between two values, of which the node has none between.
    pub(super) fn cut_between(&self, feature: u32, low: f32, high: f32) -> SplitRule {
        match self {
            SplitterRows::Exact(_) => SplitRule::at(feature, 0, midway(low, high)),
            SplitterRows::Binned(table) => {
                let threshold = between(&table.thresholds[feature as usize], low as usize, Some(high as usize));
                SplitRule::at(feature, low as u16, threshold)
            }
        }
    }

    /// The split of everything that is present from what is missing.
    pub(super) fn after_last(&self, feature: u32) -> SplitRule {
        let bin = match self {
            SplitterRows::Exact(_) => 0,
            SplitterRows::Binned(table) => table.layout.places()[feature as usize].bins.saturating_sub(1),
        };
        SplitRule::at(feature, bin, f32::MAX)
    }

    /// Brings the rows that go left before the others, each in their order, and returns how many they are.
    pub fn partition(&self, rule: &SplitRule, rows: &mut [u32], scratch: &mut Vec<u32>) -> usize {
        match self {
            SplitterRows::Exact(exact) => {
                let categories = rule.categories.as_ref().zip(exact.categories(rule.feature));
                partition_rows(rows, scratch, |row| match (exact.get(row, rule.feature), categories) {
                    (value, _) if value.is_nan() => rule.missing_left,
                    (value, Some((left, bins))) => left.contains(bins.bin(value)),
                    (value, None) => value <= rule.threshold,
                })
            }
            SplitterRows::Binned(table) => table.partition(rule, rows, scratch),
        }
    }
}

impl BinnedTable<'_> {
    fn partition(&self, rule: &SplitRule, rows: &mut [u32], scratch: &mut Vec<u32>) -> usize {
        let place = &self.layout.places()[rule.feature as usize];
        let (BinnedRows { bins, stride, .. }, column) = (self.codes, place.column.unwrap_or(0) as usize);
        let code = |row: u32| bins[row as usize * stride + column];
        if place.default.is_some() || place.categorical {
            let route = self.layout.route(rule);
            return partition_rows(rows, scratch, |row| route.goes_left(code(row)));
        }
        let (last, missing) = (rule.bin as u8, place.bins);
        match place.missing && rule.missing_left {
            true => partition_rows(rows, scratch, |row| code(row) <= last || u16::from(code(row)) == missing),
            false => partition_rows(rows, scratch, |row| code(row) <= last),
        }
    }
}

/// Brings the rows that go left before the others.
#[inline(always)]
fn partition_rows(rows: &mut [u32], scratch: &mut Vec<u32>, goes_left: impl Fn(u32) -> bool) -> usize {
    if scratch.len() < rows.len() {
        scratch.resize(rows.len(), 0);
    }
    let (mut left, mut right) = (0, 0);
    for at in 0..rows.len() {
        let row = rows[at];
        let goes_left = usize::from(goes_left(row));
        // Both places are written and one of them kept: no branch to guess.
        rows[left] = row;
        scratch[right] = row;
        left += goes_left;
        right += 1 - goes_left;
    }
    rows[left..].copy_from_slice(&scratch[..right]);
    left
}

/// The bins of categories that a node has rows of, in an order that it gave them.
#[derive(Debug)]
pub(super) struct CategoryOrder {
    inhabited: Vec<u8>,
    /// Bins of the feature, also those that the node has no row of.
    bins: u16,
}

impl CategoryOrder {
    /// Puts those of `bins` bins that rows are in into the order of their keys, equal ones by bin; the rows' values
    /// become the places of their bins in it.
    pub(super) fn arrange(bins: u16, values: &mut [f32], key: impl FnMut(u8) -> f64) -> CategoryOrder {
        let mut inhabited = [false; 256];
        values.iter().filter(|value| !value.is_nan()).for_each(|bin| inhabited[*bin as usize] = true);
        let order = CategoryOrder::of(bins, |bin| inhabited[bin as usize], key);
        let mut places = [0.0; 256];
        order.inhabited.iter().zip(0_u16..).for_each(|(bin, place)| places[*bin as usize] = f32::from(place));
        for value in values.iter_mut().filter(|value| !value.is_nan()) {
            *value = places[*value as usize];
        }
        order
    }

    /// Those of `bins` bins that are inhabited in the order of their keys, equal ones by bin.
    pub(super) fn of(bins: u16, is_inhabited: impl Fn(u8) -> bool, mut key: impl FnMut(u8) -> f64) -> CategoryOrder {
        let own = (0..=u8::MAX).filter(|bin| is_inhabited(*bin));
        let mut keyed: Vec<(f64, u8)> = own.map(|bin| (key(bin), bin)).collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        CategoryOrder { inhabited: keyed.into_iter().map(|(_, bin)| bin).collect(), bins }
    }

    /// The bins, in their order.
    pub(super) fn inhabited(&self) -> &[u8] {
        &self.inhabited
    }
}

/// Gives a split its set of categories, those up to a place of their order, and sends what the node has no row of with
/// the larger child.
pub(super) fn complete<T: TreeTarget>(
    node: &TargetNode<'_, T>,
    split: &mut TargetSplit,
    order: Option<&CategoryOrder>,
    last: f32,
    has_missing: bool,
) {
    let (inhabited, bins) = order.map_or((&[][..], 0), |order| (&order.inhabited, order.bins));
    let set = |count: usize| inhabited.iter().copied().take(count).collect::<BinSet>();
    split.rule.categories = order.map(|_| set(last as usize + 1));
    split.rule.route_unseen(node.larger_is_left(&split.left), bins, &set(usize::MAX), has_missing);
}
