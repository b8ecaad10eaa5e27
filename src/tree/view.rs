//! Rows as a splitter sees them that looks at one feature after the other: as they are, or in bins.

use super::binned::BinnedSplitter;
use super::bins::{BinnedMatrix, Bins};
use super::exact::ExactSplitter;
use super::features::FeatureDraw;
use super::quantiles::midway;
use super::scan::between;
use super::sequential::Splitter;
use super::split::{Cut, Split};
use super::target::Target;
use crate::array::Matrix;

/// Where a row stands in a feature: its value, or its bin as a number. NaN is missing.
pub(super) type Standing = f32;

/// Rows as they are, or in bins; the other splitters divide them.
#[derive(Debug)]
pub(super) enum View<'a> {
    Exact(&'a Matrix, ExactSplitter<'a>),
    Binned(&'a BinnedMatrix, &'a Bins, BinnedSplitter<'a>),
}

impl<'a> View<'a> {
    pub(super) fn exact(x: &'a Matrix, draw: FeatureDraw) -> View<'a> {
        View::Exact(x, ExactSplitter::new(x, draw))
    }

    pub(super) fn binned(matrix: &'a BinnedMatrix, bins: &'a Bins, draw: FeatureDraw) -> View<'a> {
        View::Binned(matrix, bins, BinnedSplitter::new(matrix, bins, draw))
    }

    /// Where each row stands in a feature; nothing for a feature of one value.
    pub(super) fn standings(&self, rows: &[u32], feature: u32, standings: &mut Vec<Standing>) -> Option<()> {
        standings.clear();
        match self {
            View::Exact(x, _) => standings.extend(rows.iter().map(|row| x.get(*row as usize, feature as usize))),
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
            View::Exact(_, splitter) => Splitter::<T>::partition(splitter, split, rows, scratch),
            View::Binned(_, _, splitter) => Splitter::<T>::partition(splitter, split, rows, scratch),
        }
    }
}
