//! Which way a tree is grown.

use std::sync::Arc;

use super::binned::BinnedSplitter;
use super::bins::{BinnedMatrix, Bins, MOST_BINS};
use super::exact::ExactSplitter;
use super::features::FeatureDraw;
use super::level_groups::Guide;
use super::levels::Levels;
use super::median_splits::MedianSplitter;
use super::parameters::Limits;
use super::random_splits::RandomSplitter;
use super::sequential;
use super::target::Target;
use super::target_cells::Learner;
use super::together::Together;
use super::tree::Tree;
use super::view::View;
use crate::array::Matrix;
use crate::cpu::tree::TargetRows;
use crate::device::Device;
use crate::error::Result;

/// Rows as trees take them: in bins, or as they are.
#[derive(Debug)]
pub(crate) enum Table<'a> {
    /// The levels of categorical features have bins here too.
    Exact(&'a Matrix, Arc<Levels>),
    /// With the device on which trees grow.
    Binned(Box<Bins>, BinnedMatrix, Device),
}

impl<'a> Table<'a> {
    /// The rows of `x` in at most `max_bins` bins a feature, decided by the rows that count; without bins if `None`.
    pub(crate) fn new<T: Target>(x: &'a Matrix, target: &T, max_bins: Option<usize>) -> Result<Table<'a>> {
        let counts: Vec<f32> = (0..x.rows()).map(|row| f32::from(u8::from(target.counts(row)))).collect();
        let guide = match target.rows() {
            TargetRows::Classes(rows) => Guide::Classes { codes: rows.codes, count: rows.classes },
            TargetRows::Values(rows) => Guide::Fixed { values: rows.values, outputs: rows.outputs },
        };
        let Some(most) = max_bins else {
            return Ok(Table::Exact(x, Arc::new(Levels::fit(x, Some(&counts), MOST_BINS, &guide)?)));
        };
        let bins = Bins::fit(x, Some(&counts), most, &guide)?;
        let matrix = BinnedMatrix::new(x, &bins);
        Ok(Table::Binned(Box::new(bins), matrix, Device::Cpu))
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
        let by_histograms = !draw.cuts_at_random() && target.by_medians().is_none();
        match self {
            Table::Binned(bins, matrix, device)
                if by_histograms && (draw.takes_all() || matches!(device, Device::Gpu(_))) =>
            {
                let trees = Together::new(matrix, bins, device)?.grow(&[Learner { target, draw }], limits)?;
                let tree = trees.into_iter().next().map(|tree| tree.pruned_by(limits));
                Ok(tree.unwrap_or_else(|| self.grow_on_one(target, limits, draw)))
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
                Table::Exact(x, levels) => {
                    sequential::grow(target, &mut ExactSplitter::new(x, levels, draw), rows, limits)
                }
                Table::Binned(bins, matrix, _) => {
                    sequential::grow(target, &mut BinnedSplitter::new(matrix, bins, draw), rows, limits)
                }
            }
        };
        tree.with_levels(self.levels()).pruned_by(limits)
    }

    /// The bins of categorical features.
    fn levels(&self) -> &Arc<Levels> {
        match self {
            Table::Exact(_, levels) => levels,
            Table::Binned(bins, ..) => bins.levels(),
        }
    }

    /// The rows for a splitter that makes no histograms.
    fn view(&self, draw: FeatureDraw) -> View<'_> {
        match self {
            Table::Exact(x, levels) => View::exact(x, levels, draw),
            Table::Binned(bins, matrix, _) => View::binned(matrix, bins, draw),
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
