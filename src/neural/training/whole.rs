//! Value and slope of the loss of all rows, for solvers that take no batches.

use super::Learner;
use crate::array::DeviceVec;
use crate::device::Stream;
use crate::error::Result;
use crate::neural::learning::TrainingRows;
use crate::ops::linalg::map::axpy;
use crate::ops::neural::{Batch, gather_batch, zeros};

/// What random layers would draw from; there are none here.
const NOT_RANDOM: (u64, u32) = (0, 0);

impl Learner {
    /// The mean loss of the listed rows with L2, and its slope, at `point`, which the learner keeps as its parameters.
    ///
    /// Rows go through the network in batches, and slopes are added on the device. One wait.
    pub fn whole_slope(
        &mut self,
        stream: &mut Stream,
        (rows, listed): (TrainingRows<'_>, &DeviceVec<u32>),
        point: &[f64],
    ) -> Result<(f64, Vec<f64>)> {
        let (batch, n) = (self.options.batch_size, listed.len());
        let per_batch = self.network.loss_sums(batch);
        let first_sum = 2 * self.of_pieces.len();
        let need = 2 * (first_sum + n.div_ceil(batch) * per_batch);
        if self.report.len() != need {
            self.report = zeros(stream, need)?;
        }
        let rounded: Vec<f32> = point.iter().map(|value| *value as f32).collect();
        self.parameters.write(stream, 0, &rounded)?;
        let mut total = zeros(stream, rounded.len())?;
        for (at, first) in (0..n).step_by(batch).enumerate() {
            let count = batch.min(n - first);
            let taken = Batch { order: listed, first, rows: count, noise: None };
            gather_batch(stream, (rows.x, rows.y), taken, (&mut self.buffers.values[0], &mut self.buffers.targets))?;
            self.network.forward(stream, &self.parameters, &mut self.buffers, count, (true, NOT_RANDOM))?;
            let place = (&mut self.report, first_sum + at * per_batch);
            self.network.output_loss(stream, &mut self.buffers, (count, rows.targets), place)?;
            let vectors = (&self.parameters, &mut self.gradient);
            self.network.backward(stream, vectors, &mut self.buffers, count, (false, NOT_RANDOM))?;
            axpy(stream, (count as f64 / n as f64) as f32, &self.gradient, &mut total)?;
        }
        let (slope, report) = (total.read_later(stream)?, self.report.read_later(stream)?);
        let mut slope: Vec<f64> = slope.finish(stream)?.into_iter().map(f64::from).collect();
        let sums = &report.finish(stream)?[2 * first_sum..];
        let mut value = sums.chunks_exact(2).map(|pair| f64::from(pair[0])).sum::<f64>() / n.max(1) as f64;
        let l2 = self.options.l2 / n.max(1) as f64;
        for placed in self.network.blocks().filter(|placed| placed.block.penalised) {
            for at in placed.range() {
                let weight = f64::from(rounded[at]);
                value += 0.5 * l2 * weight * weight;
                slope[at] += l2 * weight;
            }
        }
        Ok((value, slope))
    }
}
