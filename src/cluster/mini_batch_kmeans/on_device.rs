//! Batches on a GPU: several are recorded at once and looked at together.

use super::MiniBatchKMeansModel;
use super::step::{Batch, Step, reassign};
use crate::array::{DeviceMatrix, DeviceVec};
use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::Result;
use crate::ops;
use crate::ops::cluster::center_shift::{self, HISTORY_WORDS, Iteration};
use crate::ops::cluster::copy_words;

/// Centres that stay on a GPU from batch to batch, with Σ of the weights of the rows that each has had.
pub(super) struct DeviceCenters {
    centers: DeviceMatrix,
    weights: DeviceVec<f32>,
}

/// How far a run of batches came.
pub(super) struct Progress {
    /// Batches that count; those behind them were in vain.
    pub(super) made: usize,
    /// Whether the last of them was the last that is wanted.
    pub(super) ended: bool,
}

impl DeviceCenters {
    /// None on the CPU.
    pub(super) fn new(stream: &mut Stream, model: &MiniBatchKMeansModel) -> Result<Option<DeviceCenters>> {
        if stream.gpu().is_none() {
            return Ok(None);
        }
        let device = stream.device().clone();
        let weights: Vec<f32> = model.weights.iter().map(|weight| *weight as f32).collect();
        let (centers, weights) = (model.clusters.centers.to(&device)?, DeviceVec::from_slice(&weights, &device)?);
        Ok(Some(DeviceCenters { centers, weights }))
    }

    /// As [`step`](super::step::step), batch after batch, until `ends` says of one that it is the last. What they did comes
    /// back once, behind all of them. Where a centre must then be reassigned, or the search ended, the centres are those
    /// behind that batch again.
    pub(super) fn run(
        &mut self,
        stream: &mut Stream,
        batches: &[Batch<'_>],
        (model, rng): (&mut MiniBatchKMeansModel, &mut HostRng),
        mut ends: impl FnMut(&Step) -> Result<bool>,
    ) -> Result<Progress> {
        let words = HISTORY_WORDS + 1 + model.weights.len();
        let log = DeviceVec::from_slice(&vec![0_u32; words * batches.len()], stream.device())?;
        let mut behind = Vec::with_capacity(batches.len());
        for (number, batch) in batches.iter().enumerate() {
            self.record(stream, batch, (&log, number * words))?;
            behind.push(self.centers.clone());
        }
        let log = log.to_vec(stream)?;
        for ((number, batch), words) in batches.iter().enumerate().zip(log.chunks(words)) {
            let (history, rest) = words.split_at(HISTORY_WORDS);
            let value = |word: &u32| f64::from(f32::from_bits(*word));
            let weight = |weights: &[f32]| weights.iter().map(|weight| f64::from(*weight)).sum::<f64>();
            let total = batch.weights.map_or(batch.x.rows() as f64, weight);
            let inertia = value(&rest[0]) / total.max(f64::MIN_POSITIVE);
            model.weights = rest[1..].iter().map(value).collect();
            let moved = reassign(stream, batch, model, rng)?;
            let ended = ends(&Step { inertia, shift: Iteration::from_words(history).shift })?;
            let made = number + 1;
            if ended || !moved.is_empty() || made == batches.len() {
                self.centers = behind.swap_remove(number);
                behind.clear();
                if made < batches.len() || !moved.is_empty() {
                    let weights: Vec<f32> = model.weights.iter().map(|weight| *weight as f32).collect();
                    self.weights.write(stream, 0, &weights)?;
                }
                for (cluster, row) in moved {
                    self.centers.write_rows(stream, cluster, &row)?;
                }
                return Ok(Progress { made, ended });
            }
        }
        Ok(Progress { made: 0, ended: false })
    }

    /// Records one batch; the words of its move, its inertia and the weights go to the log.
    fn record(&mut self, stream: &mut Stream, batch: &Batch<'_>, (log, at): (&DeviceVec<u32>, usize)) -> Result<()> {
        let device = stream.device().clone();
        let weights = batch.weights.map(|weights| DeviceVec::from_slice(weights, &device)).transpose()?;
        let (labels, distances) = ops::assign(stream, batch.x, &self.centers)?;
        let (sums, counts) = ops::centroid_sum(stream, batch.x, &labels, weights.as_ref(), &self.centers)?;
        ops::axpy(stream, 1.0, &counts, &mut self.weights)?;
        let history = center_shift::record_move(stream, &mut self.centers, &sums, &self.weights)?;
        let mut inertia = DeviceVec::from_slice(&[0.0_f32], &device)?;
        match &weights {
            Some(weights) => ops::dot_into(stream, &distances, weights, &mut inertia)?,
            None => ops::sum_into(stream, &distances, &mut inertia)?,
        }
        copy_words(stream, &history, (log, at))?;
        copy_words(stream, &inertia, (log, at + HISTORY_WORDS))?;
        copy_words(stream, &self.weights, (log, at + HISTORY_WORDS + 1))
    }

    /// The centres, into the model.
    pub(super) fn finish(self, stream: &mut Stream, model: &mut MiniBatchKMeansModel) -> Result<()> {
        model.clusters.centers = self.centers.to_matrix(stream)?;
        Ok(())
    }
}
