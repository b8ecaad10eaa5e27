//! Rows as a splitter sees them that looks at one feature after the other: as they are, or in bins.

use super::binned::BinnedSplitter;
use super::bins::{BinnedMatrix, Bins};
use super::exact::ExactSplitter;
use super::features::FeatureDraw;
use super::levels::{LevelBins, Levels};
use super::quantiles::midway;
use super::scan::between;
use super::sequential::Splitter;
use super::split::{Cut, Node, Split};
use super::target::Target;
use crate::array::Matrix;
use crate::cpu::tree::bin_set::BinSet;

/// Where a row stands in a feature: its value, or its bin as a number. NaN is missing.
pub(super) type Standing = f32;

/// Rows as they are, or in bins; the other splitters divide them.
#[derive(Debug)]
pub(super) enum View<'a> {
    Exact(&'a Matrix, &'a Levels, ExactSplitter<'a>),
    Binned(&'a BinnedMatrix, &'a Bins, BinnedSplitter<'a>),
}

impl<'a> View<'a> {
    pub(super) fn exact(x: &'a Matrix, levels: &'a Levels, draw: FeatureDraw) -> View<'a> {
        View::Exact(x, levels, ExactSplitter::new(x, levels, draw))
    }

    pub(super) fn binned(matrix: &'a BinnedMatrix, bins: &'a Bins, draw: FeatureDraw) -> View<'a> {
        View::Binned(matrix, bins, BinnedSplitter::new(matrix, bins, draw))
    }

    /// Where each row stands in a feature; nothing for a feature of one value.
    pub(super) fn standings(&self, rows: &[u32], feature: u32, standings: &mut Vec<Standing>) -> Option<()> {
        standings.clear();
        match self {
            View::Exact(x, levels, _) => {
                let levels = levels.feature(feature as usize);
                standings.extend(rows.iter().map(|row| {
                    let value = x.get(*row as usize, feature as usize);
                    levels.filter(|_| !value.is_nan()).map_or(value, |levels| f32::from(levels.bin(value)))
                }));
            }
            View::Binned(matrix, _, _) => {
                let place = &matrix.layout().places()[feature as usize];
                let (column, stride, codes) = (place.column? as usize, matrix.stride(), matrix.bins());
                standings.extend(rows.iter().map(|row| match place.bin(codes[*row as usize * stride + column]) {
                    bin if bin == place.bins => f32::NAN,
                    bin => f32::from(bin),
                }));
            }
        }
        Some(())
    }

    /// How many bins of levels a feature has, if it is categorical: then standings are those bins, which have no order
    /// of their own.
    pub(super) fn level_bins(&self, feature: u32) -> Option<u16> {
        let levels = match self {
            View::Exact(_, levels, _) => levels,
            View::Binned(_, bins, _) => &**bins.levels(),
        };
        levels.feature(feature as usize).map(LevelBins::count)
    }

    /// The last standing that goes left, at least `low` and below `high`, by a number from 0 up to 1.
    pub(super) fn random_cut(&self, feature: u32, low: Standing, high: Standing, uniform: f64) -> (Standing, Cut) {
        let (from, span) = (f64::from(low), f64::from(high) - f64::from(low));
        match self {
            View::Exact(..) => {
                let drawn = (from + uniform * span) as f32;
                // Rounded up to the largest value, it would have nothing on its right.
                let threshold = if drawn < high { drawn } else { low };
                (threshold, Cut { feature, bin: 0, threshold })
            }
            View::Binned(_, bins, _) => {
                let bin = (from + (uniform * span).floor()) as u16;
                (f32::from(bin), Cut { feature, bin, threshold: bins.threshold(feature as usize, bin) })
            }
        }
    }

    /// The cut midway between two standings, of which the node has none between.
    pub(super) fn cut_between(&self, feature: u32, low: Standing, high: Standing) -> Cut {
        match self {
            View::Exact(..) => Cut { feature, bin: 0, threshold: midway(low, high) },
            View::Binned(_, bins, _) => {
                let thresholds = bins.thresholds(feature as usize);
                let threshold = between(thresholds, low as usize, Some(high as usize));
                Cut { feature, bin: low as u16, threshold }
            }
        }
    }

    /// The cut behind everything that is present.
    pub(super) fn behind_all(&self, feature: u32) -> Cut {
        let bin = match self {
            View::Exact(..) => 0,
            View::Binned(matrix, _, _) => matrix.layout().places()[feature as usize].bins.saturating_sub(1),
        };
        Cut { feature, bin, threshold: f32::MAX }
    }

    /// Brings the rows that go left before the others.
    pub(super) fn partition<T: Target>(&mut self, split: &Split, rows: &mut [u32], scratch: &mut Vec<u32>) -> usize {
        match self {
            View::Exact(_, _, splitter) => Splitter::<T>::partition(splitter, split, rows, scratch),
            View::Binned(_, _, splitter) => Splitter::<T>::partition(splitter, split, rows, scratch),
        }
    }
}

/// The bins of levels that a node has rows of, in an order that it gave them.
#[derive(Debug)]
pub(super) struct LevelOrder {
    inhabited: Vec<u8>,
    /// Bins of the feature, also those that the node has no row of.
    bins: u16,
}

impl LevelOrder {
    /// Puts those of `bins` bins that rows stand in into the order of their keys, equal ones by bin, and the rows to
    /// their places in it.
    pub(super) fn arrange(bins: u16, standings: &mut [Standing], mut key: impl FnMut(u8) -> f64) -> LevelOrder {
        let mut inhabited = [false; 256];
        standings.iter().filter(|standing| !standing.is_nan()).for_each(|bin| inhabited[*bin as usize] = true);
        let mut keyed: Vec<(f64, u8)> =
            (0..=u8::MAX).filter(|bin| inhabited[*bin as usize]).map(|bin| (key(bin), bin)).collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let mut places = [0.0; 256];
        keyed.iter().zip(0_u16..).for_each(|((_, bin), place)| places[*bin as usize] = f32::from(place));
        for standing in standings.iter_mut().filter(|standing| !standing.is_nan()) {
            *standing = places[*standing as usize];
        }
        LevelOrder { inhabited: keyed.into_iter().map(|(_, bin)| bin).collect(), bins }
    }
}

/// Gives a split its set of levels, those up to a place of their order, and sends what the node has no row of with the
/// larger child.
pub(super) fn complete<T: Target>(
    node: &Node<'_, T>,
    split: &mut Split,
    levels: Option<&LevelOrder>,
    last: Standing,
    has_missing: bool,
) {
    let (inhabited, bins) = levels.map_or((&[][..], 0), |levels| (&levels.inhabited, levels.bins));
    split.levels = levels.map(|_| inhabited.iter().copied().take(last as usize + 1).collect::<BinSet>());
    node.send_absent(split, bins, inhabited, has_missing);
}
