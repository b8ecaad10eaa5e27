//! Which way a tree is grown.

use std::sync::Arc;

use super::binned::BinnedSplitter;
use super::bins::{BinnedMatrix, Bins, MOST_BINS};
use super::exact::ExactSplitter;
use super::features::FeatureDraw;
use super::levels::Levels;
use super::parameters::Limits;
use super::sequential;
use super::target::Target;
use super::target_cells::grow_together;
use super::tree::Tree;
use crate::array::Matrix;
use crate::error::Result;

/// Rows as trees take them: in bins, or as they are.
#[derive(Debug)]
pub(crate) enum Table<'a> {
    /// The levels of categorical features have bins here too.
    Exact(&'a Matrix, Arc<Levels>),
    Binned(Bins, BinnedMatrix),
}

impl<'a> Table<'a> {
    /// The rows of `x` in at most `max_bins` bins a feature, decided by the rows that count; without bins if `None`.
    pub(crate) fn new<T: Target>(x: &'a Matrix, target: &T, max_bins: Option<usize>) -> Result<Table<'a>> {
        let counts: Vec<f32> = (0..x.rows()).map(|row| f32::from(u8::from(target.counts(row)))).collect();
        let Some(most) = max_bins else {
            return Ok(Table::Exact(x, Arc::new(Levels::fit(x, Some(&counts), MOST_BINS)?)));
        };
        let bins = Bins::fit(x, Some(&counts), most)?;
        let matrix = BinnedMatrix::new(x, &bins);
        Ok(Table::Binned(bins, matrix))
    }

    /// A tree on all cores.
    pub(crate) fn grow<T: Target>(&self, target: &T, limits: &Limits, draw: FeatureDraw) -> Result<Tree> {
        let rows = counting(target, self.rows());
        match self {
            Table::Binned(bins, matrix) if draw.takes_all() => grow_together(target, matrix, bins, rows, limits),
            _ => Ok(self.grow_on_one(target, limits, draw)),
        }
    }

    /// The same tree on one core.
    pub(crate) fn grow_on_one<T: Target>(&self, target: &T, limits: &Limits, draw: FeatureDraw) -> Tree {
        let rows = counting(target, self.rows());
        match self {
            Table::Exact(x, levels) => {
                sequential::grow(target, &mut ExactSplitter::new(x, levels, draw), rows, limits).with_levels(levels)
            }
            Table::Binned(bins, matrix) => {
                let mut splitter = BinnedSplitter::new(matrix, bins, draw);
                sequential::grow(target, &mut splitter, rows, limits).with_levels(bins.levels())
            }
        }
    }

    fn rows(&self) -> usize {
        match self {
            Table::Exact(x, _) => x.rows(),
            Table::Binned(_, matrix) => matrix.rows(),
        }
    }
}

/// The rows that count, ascending.
fn counting<T: Target>(target: &T, rows: usize) -> Vec<u32> {
    (0..rows as u32).filter(|row| target.counts(*row as usize)).collect()
}
