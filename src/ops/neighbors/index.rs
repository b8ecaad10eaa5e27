//! Rows that are searched again and again: on the CPU with a tree or with bounds where those win, on a GPU as they are.

use super::radius_neighbors::Neighborhoods;
use crate::array::DeviceMatrix;
use crate::cpu::neighbors::SearchRows;
use crate::cpu::neighbors::index::Index as CpuIndex;
use crate::device::{Device, Stream};
use crate::distance::Metric;
use crate::error::{Error, Result};

/// Rows on a device, ready to be searched. Every way of searching gives the same bits.
pub(crate) struct Index {
    rows: DeviceMatrix,
    metric: Metric,
    /// How the CPU searches; none on a GPU.
    plan: Option<CpuIndex>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Index").field("rows", &self.rows.rows()).field("metric", &self.metric).finish()
    }
}

impl Index {
    /// Prepares the search of the rows (m×d) where they live.
    pub(crate) fn build(rows: DeviceMatrix, metric: Metric) -> Result<Index> {
        rows.refuse_missing()?;
        let plan = match rows.device() {
            Device::Cpu => Some(CpuIndex::choose(metric, rows.values()?, rows.rows(), rows.columns())),
            Device::Gpu(_) => None,
        };
        Ok(Index { rows, metric, plan })
    }

    /// Where it is.
    pub(crate) fn device(&self) -> &Device {
        self.rows.device()
    }

    /// The k nearest rows of each query (n×d), 1 ≤ k ≤ m: n·k indices and distances, read back.
    pub(crate) fn k_nearest(
        &self,
        stream: &mut Stream,
        queries: &DeviceMatrix,
        k: usize,
    ) -> Result<(Vec<u32>, Vec<f32>)> {
        let Some(plan) = &self.plan else {
            let (indices, distances) = super::k_nearest::k_nearest(stream, queries, &self.rows, k, self.metric)?;
            return Ok((indices.to_vec(stream)?, distances.to_matrix(stream)?.into_vec()));
        };
        super::checked(stream, "k_nearest", (queries, &self.rows), self.metric)?;
        let (n, m, d) = (queries.rows(), self.rows.rows(), self.rows.columns());
        let (mut indices, mut distances) = (vec![0; n * k], vec![0.0; n * k]);
        let search = SearchRows::new(queries.values()?, n, self.rows.values()?, m, d);
        plan.k_nearest(self.metric, search, k, &mut indices, &mut distances);
        match distances.iter().position(|distance| !distance.is_finite()) {
            Some(at) => Err(Error::NotFinite { row: at / k, column: at % k, value: f64::INFINITY }),
            None => Ok((indices, distances)),
        }
    }

    /// The rows within a radius of each query.
    pub(crate) fn radius_neighbors(
        &self,
        stream: &mut Stream,
        queries: &DeviceMatrix,
        radius: f32,
    ) -> Result<Neighborhoods> {
        let Some(plan) = &self.plan else {
            return super::radius_neighbors::radius_neighbors(stream, queries, &self.rows, radius, self.metric);
        };
        super::checked(stream, "radius_neighbors", (queries, &self.rows), self.metric)?;
        let (n, m, d) = (queries.rows(), self.rows.rows(), self.rows.columns());
        let search = SearchRows::new(queries.values()?, n, self.rows.values()?, m, d);
        Ok(plan.radius_neighbors(self.metric, search, radius))
    }
}
