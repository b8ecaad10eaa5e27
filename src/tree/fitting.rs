//! Which way a tree is grown.

use super::binned::BinnedSplitter;
use super::bins::{BinnedMatrix, Bins};
use super::exact::ExactSplitter;
use super::features::FeatureDraw;
use super::median_splits::MedianSplitter;
use super::parameters::Limits;
use super::random_splits::RandomSplitter;
use super::sequential;
use super::target::Target;
use super::target_cells::grow_together;
use super::tree::Tree;
use super::view::View;
use crate::array::Matrix;
use crate::error::Result;

/// Rows as trees take them: in bins, or as they are.
#[derive(Debug)]
pub(crate) enum Table<'a> {
    Exact(&'a Matrix),
    Binned(Bins, BinnedMatrix),
}

impl<'a> Table<'a> {
    /// The rows of `x` in at most `max_bins` bins a feature, decided by the rows that count; without bins if `None`.
    pub(crate) fn new<T: Target>(x: &'a Matrix, target: &T, max_bins: Option<usize>) -> Result<Table<'a>> {
        let Some(most) = max_bins else { return Ok(Table::Exact(x)) };
        let counts: Vec<f32> = (0..x.rows()).map(|row| f32::from(u8::from(target.counts(row)))).collect();
        let bins = Bins::fit(x, Some(&counts), most)?;
        let matrix = BinnedMatrix::new(x, &bins);
        Ok(Table::Binned(bins, matrix))
    }

    /// A tree on all cores.
    pub(crate) fn grow<T: Target>(&self, target: &T, limits: &Limits, draw: FeatureDraw) -> Result<Tree> {
        let rows = counting(target, self.rows());
        let by_histograms = draw.takes_all() && !draw.cuts_at_random() && target.by_medians().is_none();
        match self {
            Table::Binned(bins, matrix) if by_histograms => {
                Ok(pruned(grow_together(target, matrix, bins, rows, limits)?, limits))
            }
            _ => Ok(self.grow_on_one(target, limits, draw)),
        }
    }

    /// The same tree on one core.
    pub(crate) fn grow_on_one<T: Target>(&self, target: &T, limits: &Limits, draw: FeatureDraw) -> Tree {
        let rows = counting(target, self.rows());
        let tree = if let Some(values) = target.by_medians() {
            sequential::grow(target, &mut MedianSplitter::new(self.view(draw), values, draw), rows, limits)
        } else if draw.cuts_at_random() {
            sequential::grow(target, &mut RandomSplitter::new(self.view(draw), draw), rows, limits)
        } else {
            match self {
                Table::Exact(x) => sequential::grow(target, &mut ExactSplitter::new(x, draw), rows, limits),
                Table::Binned(bins, matrix) => {
                    sequential::grow(target, &mut BinnedSplitter::new(matrix, bins, draw), rows, limits)
                }
            }
        };
        pruned(tree, limits)
    }

    /// The rows for a splitter that makes no histograms.
    fn view(&self, draw: FeatureDraw) -> View<'_> {
        match self {
            Table::Exact(x) => View::exact(x, draw),
            Table::Binned(bins, matrix) => View::binned(matrix, bins, draw),
        }
    }

    fn rows(&self) -> usize {
        match self {
            Table::Exact(x) => x.rows(),
            Table::Binned(_, matrix) => matrix.rows(),
        }
    }
}

/// The tree without what `ccp_alpha` takes away.
fn pruned(tree: Tree, limits: &Limits) -> Tree {
    if limits.ccp_alpha > 0.0 { tree.pruned(limits.ccp_alpha) } else { tree }
}

/// The rows that count, ascending.
fn counting<T: Target>(target: &T, rows: usize) -> Vec<u32> {
    (0..rows as u32).filter(|row| target.counts(*row as usize)).collect()
}
