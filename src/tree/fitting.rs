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
use super::target_cells::Learner;
use super::together::Together;
use super::tree::Tree;
use crate::array::Matrix;
use crate::device::Device;
use crate::error::Result;

/// Rows as trees take them: in bins, or as they are.
#[derive(Debug)]
pub(crate) enum Table<'a> {
    /// The levels of categorical features have bins here too.
    Exact(&'a Matrix, Arc<Levels>),
    /// With the device on which trees grow.
    Binned(Bins, BinnedMatrix, Device),
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
        Ok(Table::Binned(bins, matrix, Device::Cpu))
    }

    /// The same table, for trees that grow on a device. Exact splits are always found on the CPU.
    pub(crate) fn on(self, device: Device) -> Table<'a> {
        match self {
            Table::Exact(x, levels) => Table::Exact(x, levels),
            Table::Binned(bins, matrix, _) => Table::Binned(bins, matrix, device),
        }
    }

    /// A GPU with the binned rows, if trees are to grow on one.
    pub(crate) fn on_gpu(&self) -> Result<Option<Together<'_>>> {
        match self {
            Table::Binned(bins, matrix, device @ Device::Gpu(_)) => Together::new(matrix, bins, device).map(Some),
            _ => Ok(None),
        }
    }

    /// A tree on all cores, or on the table's GPU.
    pub(crate) fn grow<T: Target>(&self, target: &T, limits: &Limits, draw: FeatureDraw) -> Result<Tree> {
        match self {
            Table::Binned(bins, matrix, device) if draw.takes_all() || matches!(device, Device::Gpu(_)) => {
                let trees = Together::new(matrix, bins, device)?.grow(&[Learner { target, draw }], limits)?;
                Ok(trees.into_iter().next().unwrap_or_else(|| self.grow_on_one(target, limits, draw)))
            }
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
            Table::Binned(bins, matrix, _) => {
                let mut splitter = BinnedSplitter::new(matrix, bins, draw);
                sequential::grow(target, &mut splitter, rows, limits).with_levels(bins.levels())
            }
        }
    }

    fn rows(&self) -> usize {
        match self {
            Table::Exact(x, _) => x.rows(),
            Table::Binned(_, matrix, _) => matrix.rows(),
        }
    }
}

/// The rows that count, ascending.
fn counting<T: Target>(target: &T, rows: usize) -> Vec<u32> {
    (0..rows as u32).filter(|row| target.counts(*row as usize)).collect()
}
