//! The iterations on a GPU. Several are recorded at once and a few words are read back: an iteration that ended the
//! search turns the later ones into repetitions that change nothing.

use super::{Clusters, IterationRules, Snapshot};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::ops::cluster::center_shift::{self, HISTORY_WORDS, Iteration};
use crate::ops::cluster::centroid_sum::{self, Sums};
use crate::ops::cluster::{assign, center_shift::Move};

pub(super) struct GpuLloyd {
    centers: DeviceMatrix,
    labels: DeviceVec<u32>,
    distances: DeviceVec<f32>,
    sums: DeviceMatrix,
    counts: DeviceVec<f32>,
}

impl GpuLloyd {
    pub(super) fn new(stream: &mut Stream, x: &DeviceMatrix, centers: DeviceMatrix) -> Result<GpuLloyd> {
        Ok(GpuLloyd {
            labels: DeviceVec::output(stream, x.rows())?,
            distances: DeviceVec::output(stream, x.rows())?,
            sums: DeviceMatrix::output(stream.device(), centers.rows(), x.columns())?,
            counts: DeviceVec::output(stream, centers.rows())?,
            centers,
        })
    }

    pub(super) fn run(
        &mut self,
        stream: &mut Stream,
        (x, weights): (&DeviceMatrix, Option<&DeviceVec<f32>>),
        count: usize,
        rules: IterationRules,
    ) -> Result<Vec<Iteration>> {
        let history = DeviceVec::from_slice(&vec![0_u32; HISTORY_WORDS * count], stream.device())?;
        if let Some(recording) = stream.gpu() {
            for iteration in 0..count {
                let results = (&self.labels, &self.distances);
                assign::record(recording, x, &self.centers, results, (&history, HISTORY_WORDS * iteration))?;
                let (labels, centers) = (&self.labels, &self.centers);
                let of = Sums { labels, weights, centers, sums: &self.sums, counts: &self.counts };
                centroid_sum::record(recording, x, of)?;
                let compares = rules.compares || iteration > 0;
                let IterationRules { leave_empty, tolerance, .. } = rules;
                let how = Move { iteration, compares, leave_empty, tolerance };
                center_shift::record(recording, &self.centers, (&self.sums, &self.counts), &history, how)?;
            }
        }
        Ok(history.to_vec(stream)?.chunks(HISTORY_WORDS).map(Iteration::from_words).collect())
    }

    pub(super) fn snapshot(&self, stream: &mut Stream) -> Result<Snapshot> {
        let widen = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect();
        Ok(Snapshot {
            centers: self.centers.to_matrix(stream)?,
            labels: self.labels.to_vec(stream)?,
            distances: self.distances.to_vec(stream)?,
            sums: widen(self.sums.to_matrix(stream)?.as_slice()),
            counts: widen(&self.counts.to_vec(stream)?),
        })
    }

    pub(super) fn set_centers(&mut self, stream: &mut Stream, centers: &Matrix) -> Result<()> {
        self.centers = centers.to(stream.device())?;
        Ok(())
    }

    pub(super) fn finish(self, stream: &mut Stream, x: &DeviceMatrix, settled: bool) -> Result<Clusters> {
        let (labels, distances) = match settled {
            true => (self.labels, self.distances),
            false => assign::assign(stream, x, &self.centers)?,
        };
        let centers = self.centers.to_matrix(stream)?;
        Ok(Clusters { centers, labels: labels.to_vec(stream)?, distances: distances.to_vec(stream)? })
    }
}
