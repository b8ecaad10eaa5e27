//! Which way a tree is grown.

use std::sync::Arc;

use super::sequential::grow;
use super::{BatchedForest, TreeBatch, TreeLearner};
use crate::array::Matrix;
use crate::cpu::tree::TargetRows;
use crate::cpu::tree::splitters::{
    BinnedSplitter, ExactRows, ExactSplitter, FeatureDraw, MedianSplitter, RandomSplitter, SplitterRows,
};
use crate::cpu::tree::target::TreeTarget;
use crate::device::Device;
use crate::error::Result;
use crate::tree::bins::{BinnedMatrix, Bins, Categories, CategoryTargets, MAX_BINS};
use crate::tree::model::Tree;
use crate::tree::parameters::TreeLimits;

/// Rows as trees take them: in bins, or as they are.
#[derive(Debug)]
pub enum TreeTable<'a> {
    /// Categorical features have bins here too.
    Exact(&'a Matrix, Arc<Categories>),
    /// With the device on which trees grow.
    Binned(Box<Bins>, BinnedMatrix, Device),
}

impl<'a> TreeTable<'a> {
    /// The rows of `x` in at most `max_bins` bins a feature, decided by the rows that count; without bins if `None`.
    pub fn new<T: TreeTarget>(x: &'a Matrix, target: &T, max_bins: Option<usize>) -> Result<TreeTable<'a>> {
        let counts: Vec<f32> = (0..x.rows()).map(|row| f32::from(u8::from(target.counts(row)))).collect();
        let targets = match target.rows() {
            TargetRows::Classes(rows) => CategoryTargets::Classes { codes: rows.codes, count: rows.classes },
            TargetRows::Values(rows) => CategoryTargets::Fixed { values: rows.values, outputs: rows.outputs },
        };
        let Some(most) = max_bins else {
            return Ok(TreeTable::Exact(x, Arc::new(Categories::fit(x, Some(&counts), MAX_BINS, &targets)?)));
        };
        let bins = Bins::fit(x, Some(&counts), most, &targets)?;
        let matrix = BinnedMatrix::new(x, &bins);
        Ok(TreeTable::Binned(Box::new(bins), matrix, Device::Cpu))
    }

    /// The same table, for trees that grow on a device. Exact splits are always found on the CPU.
    pub(crate) fn on(self, device: Device) -> TreeTable<'a> {
        match self {
            TreeTable::Exact(x, categories) => TreeTable::Exact(x, categories),
            TreeTable::Binned(bins, matrix, _) => TreeTable::Binned(bins, matrix, device),
        }
    }

    /// A GPU with the binned rows, if trees are to grow on one.
    pub(crate) fn on_gpu(&self) -> Result<Option<BatchedForest<'_>>> {
        match self {
            TreeTable::Binned(bins, matrix, device @ Device::Gpu(_)) => {
                BatchedForest::new(matrix, bins, device).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A tree on all cores, or on the table's GPU.
    pub fn grow<T: TreeTarget>(&self, target: &T, limits: &TreeLimits, draw: FeatureDraw) -> Result<Tree> {
        match self {
            TreeTable::Binned(bins, matrix, device)
                if matches!(device, Device::Gpu(_)) || draw.takes_all() && !draw.cuts_at_random() =>
            {
                let batch = TreeBatch { whole: target, known: false, draws: None };
                self.grow_in(&mut BatchedForest::new(matrix, bins, device)?, target, batch, limits, draw)
            }
            _ => Ok(self.grow_on_one(target, limits, draw)),
        }
    }

    /// The same tree where this table's rows are already.
    pub(crate) fn grow_in<T: TreeTarget>(
        &self,
        rows: &mut BatchedForest<'_>,
        target: &T,
        batch: TreeBatch<'_, T>,
        limits: &TreeLimits,
        draw: FeatureDraw,
    ) -> Result<Tree> {
        // Medians are not found by histograms.
        if target.by_medians().is_some() {
            return Ok(self.grow_on_one(target, limits, draw));
        }
        let trees = rows.grow(&[TreeLearner { target, draw }], batch, limits)?;
        let tree = trees.into_iter().next().map(|tree| tree.pruned_by(limits));
        Ok(tree.unwrap_or_else(|| self.grow_on_one(target, limits, draw)))
    }

    /// The same tree on one core.
    pub fn grow_on_one<T: TreeTarget>(&self, target: &T, limits: &TreeLimits, draw: FeatureDraw) -> Tree {
        let rows: Vec<u32> = (0..self.rows() as u32).filter(|row| target.counts(*row as usize)).collect();
        let tree = match (target.by_medians(), self.splitter_rows()) {
            (Some(values), all) => grow(target, &mut MedianSplitter::new(all, values, draw), rows, limits),
            (None, all) if draw.cuts_at_random() => grow(target, &mut RandomSplitter::new(all, draw), rows, limits),
            (None, SplitterRows::Exact(x)) => grow(target, &mut ExactSplitter::new(x, draw), rows, limits),
            (None, SplitterRows::Binned(table)) => grow(target, &mut BinnedSplitter::new(table, draw), rows, limits),
        };
        tree.with_categories(self.categories()).pruned_by(limits)
    }

    /// The bins of categorical features.
    fn categories(&self) -> &Arc<Categories> {
        match self {
            TreeTable::Exact(_, categories) => categories,
            TreeTable::Binned(bins, ..) => bins.categories(),
        }
    }

    fn splitter_rows(&self) -> SplitterRows<'_> {
        match self {
            TreeTable::Exact(x, categories) => SplitterRows::Exact(ExactRows {
                values: x.as_slice(),
                columns: x.columns(),
                categories: categories.features(),
            }),
            TreeTable::Binned(bins, matrix, _) => SplitterRows::Binned(matrix.table(bins)),
        }
    }

    fn rows(&self) -> usize {
        match self {
            TreeTable::Exact(x, _) => x.rows(),
            TreeTable::Binned(_, matrix, _) => matrix.rows(),
        }
    }
}
