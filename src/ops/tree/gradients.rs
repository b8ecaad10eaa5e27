//! Scores, gradients and Hessians that stay on a GPU while trees are boosted.

use std::ops::Range;
use std::sync::Arc;

use super::grow_state::GpuGrowth;
use super::leaf_quantiles::record_deltas;
use super::partition::record_sample;
use super::{HeldOutRows, upload_words};
use crate::array::DeviceMatrix;
use crate::cpu::tree::RowSample;
use crate::cpu::tree::fixed_point::hessian_limit;
use crate::cpu::tree::gradients::{RowLoss, softmax_constants};
use crate::cpu::tree::leaf_quantiles::RowWeights;
use crate::device::{Buffer, Device, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Gradients and Hessians by the rows' scores.
    pub KERNEL = "tree/gradients", [Read, Read, Read, Write, Write], Params;
    /// Integers for splits.
    pub KERNEL_PACK = "tree/gradients__pack", [Read, Read, Write], PackParams;
}

params! {
    struct Params {
        rows: u32, row_first: u32, row_count: u32, output_first: u32, outputs: u32, loss: u32, is_weighted: u32,
        room: u32, factor: u32, above: f32, below: f32, at: f32, delta_at: u32,
    }
    struct PackParams {
        rows: u32, first: u32, count: u32, hessian_bits: u32, hessian_limit: u32, stream: u32, key_low: u32,
        key_high: u32, below: u32,
    }
}

/// What a row and an output cost, in operations.
const OPERATIONS: u64 = 512;
/// Words of the report before the largest of each output.
pub(super) const REPORT_FIRST: usize = 2;
/// The sample of all rows.
const EVERYONE: RowSample = RowSample { seed: 0, stream: 0, below: 1 << 24 };

/// The targets of rows.
#[derive(Debug, Clone, Copy)]
pub enum TargetColumns<'a> {
    /// A column of numbers for each output, with the loss of each.
    Numbers(&'a [Vec<f32>]),
    /// The class of each row, for the softmax loss.
    Classes(&'a [u32]),
}

/// The scores, targets, weights, gradients and Hessians of rows on a GPU, for a fit in which none of them comes back.
#[derive(Debug)]
pub struct BoostingRows {
    pub(super) rows: usize,
    outputs: usize,
    is_weighted: bool,
    /// The largest weight, where weights differ.
    largest_weight: Option<f32>,
    /// The share of which Huber's δ is the quantile, where it is found on the device.
    delta_share: Option<f64>,
    scores: Arc<Buffer>,
    targets: Arc<Buffer>,
    weights: Arc<Buffer>,
    gradients: Arc<Buffer>,
    /// The largest |score| and score; the largest |gradient| and Hessian of each output; Huber's δ of each; rows of the
    /// sample; sums of pieces.
    report: Arc<Buffer>,
    /// The rows of each tree, ascending; those of a sample are drawn from them.
    order: Arc<Buffer>,
    places: usize,
    /// Rows that the trees of this round are grown on, the first of their places.
    sampled: usize,
    /// The values of all rows, where trees are grown on samples.
    values: Option<DeviceMatrix>,
    held_out: Option<HeldOutRows>,
}

impl BoostingRows {
    /// Brings the targets and scores of all rows to the stream's GPU, and the numbers of those that trees are grown on.
    /// Nothing on the CPU, where rows are at hand, and where a GPU has no room.
    pub fn new(
        stream: &mut Stream,
        targets: TargetColumns<'_>,
        weights: Option<&[f32]>,
        scores: &[Vec<f32>],
        order: &[u32],
    ) -> Result<Option<BoostingRows>> {
        let Device::Gpu(gpu) = stream.device().clone() else { return Ok(None) };
        let (rows, outputs) = (scores.first().map_or(0, Vec::len), scores.len());
        let words = (rows * outputs) as u64;
        if rows == 0 || 8 * words > gpu.binding_bytes() || 24 * words > gpu.memory.budget() / 4 {
            return Ok(None);
        }
        let Some(recording) = stream.gpu() else { return Ok(None) };
        let numbers = |recording: &mut Recording, columns: &[Vec<f32>], what: &str| {
            let buffer = recording.scratch(4 * words, what)?;
            for (number, column) in (0..).zip(columns) {
                upload_numbers(recording, &buffer, number * rows as u64, column)?;
            }
            Ok::<_, Error>(buffer)
        };
        let scores = numbers(recording, scores, "scores of rows")?;
        let targets = match targets {
            TargetColumns::Numbers(columns) => numbers(recording, columns, "targets of rows")?,
            TargetColumns::Classes(classes) => super::upload_table(recording, classes, 4, "classes of rows")?,
        };
        let of_weights = recording.scratch(4 * weights.map_or(1, <[f32]>::len) as u64, "weights of rows")?;
        upload_numbers(recording, &of_weights, 0, weights.unwrap_or(&[1.0]))?;
        let known = REPORT_FIRST + 3 * outputs + 1;
        let report = recording.scratch(4 * known as u64, "what is known of a round")?;
        upload_words(recording, &report, &vec![0; known])?;
        Ok(Some(BoostingRows {
            rows,
            outputs,
            is_weighted: weights.is_some(),
            largest_weight: RowWeights::new(weights).map(|weights| weights.largest()),
            delta_share: None,
            scores,
            targets,
            weights: of_weights,
            gradients: recording.scratch(8 * words, "gradients of rows")?,
            report,
            order: super::upload_table(recording, order, 4, "rows of trees")?,
            places: order.len(),
            sampled: order.len(),
            values: None,
            held_out: None,
        }))
    }

    /// Keeps the values of all rows, n×d, so that trees can be grown on samples: the others are led through them.
    pub fn keep_values(&mut self, x: DeviceMatrix) {
        self.values = Some(x);
    }

    /// From now on the δ of Huber's loss is found here, anew before all gradients: the quantile of the |residuals| of the
    /// rows that trees may be grown on, as [`huber_delta`](crate::cpu::tree::leaf_quantiles::huber_delta) finds it.
    pub fn find_deltas(&mut self, share: f64) {
        self.delta_share = Some(share);
    }

    /// Keeps rows that no tree is grown on, whose scores are read after each round.
    pub fn keep_held_out(&mut self, held_out: HeldOutRows) {
        self.held_out = Some(held_out);
    }

    /// The values of all rows, if they are kept.
    pub(super) fn values(&self) -> Option<&DeviceMatrix> {
        self.values.as_ref()
    }

    /// The rows that are held out.
    pub fn held_out(&self) -> Option<&HeldOutRows> {
        self.held_out.as_ref()
    }

    /// The places of a tree's rows that are not in the sample of the round.
    pub(super) fn outside_sample(&self) -> Range<usize> {
        self.sampled..self.places
    }

    /// Remembers how many rows the trees of a round are grown on.
    pub(super) fn set_sampled(&mut self, count: usize) {
        self.sampled = count;
    }

    /// Records the gradients and Hessians of all rows by the loss of each output; by the softmax loss where there are
    /// none. The same bits as [`gradients`](crate::cpu::tree::gradients::gradients) has on the CPU.
    pub fn gradients(&mut self, stream: &mut Stream, losses: &[RowLoss]) -> Result<()> {
        self.record_gradients(stream.gpu().ok_or_else(wrong_device)?, losses)
    }

    pub(super) fn record_gradients(&self, recording: &mut Recording, losses: &[RowLoss]) -> Result<()> {
        let largest = vec![0; 2 * self.outputs];
        recording.upload(&self.report, REPORT_FIRST as u64, largest.len() as u64, &|from, part| {
            part.copy_from_slice(&largest[from as usize..from as usize + part.len()]);
        })?;
        if losses.is_empty() {
            let [room, factor] = softmax_constants(self.outputs);
            return self.record(recording, Params { room, factor, loss: 6, ..self.params(0, self.outputs) });
        }
        let share = self.delta_share.filter(|_| losses.iter().any(|loss| matches!(loss, RowLoss::Huber { .. })));
        if let Some(share) = share {
            record_deltas(recording, self, share)?;
        }
        for (output, loss) in losses.iter().enumerate() {
            let delta_at = share.map_or(0, |_| self.delta_first() + output) as u32;
            self.record(recording, by_loss(*loss, Params { delta_at, ..self.params(output, 1) }))?;
        }
        Ok(())
    }

    fn params(&self, output_first: usize, outputs: usize) -> Params {
        Params {
            rows: self.rows as u32,
            row_first: 0,
            row_count: 0,
            output_first: output_first as u32,
            outputs: outputs as u32,
            loss: 0,
            is_weighted: u32::from(self.is_weighted),
            room: 0,
            factor: 0,
            above: 0.0,
            below: 0.0,
            at: 0.0,
            delta_at: 0,
        }
    }

    fn record(&self, recording: &mut Recording, params: Params) -> Result<()> {
        let outputs = u64::from(params.outputs);
        let together = (recording.gpu.operations_per_dispatch() / (OPERATIONS * outputs)).max(256) as usize;
        for first in (0..self.rows).step_by(together) {
            let count = together.min(self.rows - first);
            let params = Params { row_first: first as u32, row_count: count as u32, ..params };
            let buffers = &[&self.scores, &self.targets, &self.weights, &self.gradients, &self.report];
            let cells = count as u64 * outputs;
            let work = Work { operations: OPERATIONS * cells, bytes: 16 * cells };
            recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::covering(count as u64, 256)?, work))?;
        }
        Ok(())
    }

    /// The scores of one output, read back.
    pub fn read_scores(&self, stream: &mut Stream, output: usize) -> Result<Vec<f32>> {
        self.read(stream, &self.scores, output * self.rows)
    }

    /// The gradients and the Hessians of one output, read back.
    pub fn read_gradients(&self, stream: &mut Stream, output: usize) -> Result<[Vec<f32>; 2]> {
        let part = |stream: &mut Stream, at: usize| self.read(stream, &self.gradients, (2 * output + at) * self.rows);
        Ok([part(stream, 0)?, part(stream, 1)?])
    }

    fn read(&self, stream: &mut Stream, buffer: &Arc<Buffer>, first: usize) -> Result<Vec<f32>> {
        let recording = stream.gpu().ok_or_else(wrong_device)?;
        let mut values = Vec::with_capacity(self.rows);
        let take = &mut |words: &[u32]| values.extend(words.iter().map(|word| f32::from_bits(*word)));
        recording.read(buffer, first as u64, self.rows as u64, take)?;
        Ok(values)
    }

    /// The largest |score| and the largest score above 0, of those that trees were added to.
    pub fn largest_scores(&self, stream: &mut Stream) -> Result<[f32; 2]> {
        let recording = stream.gpu().ok_or_else(wrong_device)?;
        let mut largest = vec![];
        let take = &mut |words: &[u32]| largest.extend(words.iter().map(|word| f32::from_bits(*word)));
        recording.read(&self.report, 0, REPORT_FIRST as u64, take)?;
        Ok([largest[0], largest[1]])
    }

    pub(super) fn gradient_buffer(&self) -> &Arc<Buffer> {
        &self.gradients
    }

    pub(super) fn target_buffer(&self) -> &Arc<Buffer> {
        &self.targets
    }

    pub(super) fn score_buffer(&self) -> &Arc<Buffer> {
        &self.scores
    }

    pub(super) fn weight_buffer(&self) -> &Arc<Buffer> {
        &self.weights
    }

    /// The rows that trees may be grown on, ascending.
    pub(super) fn order_buffer(&self) -> &Arc<Buffer> {
        &self.order
    }

    pub(super) fn report_buffer(&self) -> &Arc<Buffer> {
        &self.report
    }

    /// The largest weight, where weights differ.
    pub fn largest_weight(&self) -> Option<f32> {
        self.largest_weight
    }

    /// Whether Huber's δ of each output is in the report.
    pub(super) fn has_deltas(&self) -> bool {
        self.delta_share.is_some()
    }

    /// Where Huber's δ of the first output is in the report.
    pub(super) fn delta_first(&self) -> usize {
        REPORT_FIRST + 2 * self.outputs
    }

    /// Where the sums of pieces begin in the report.
    pub(super) fn sums_first(&self) -> usize {
        self.delta_first() + self.outputs + 1
    }

    /// The report, with room for so many words; what it holds is kept.
    pub(super) fn report(&mut self, recording: &mut Recording, words: usize) -> Result<Arc<Buffer>> {
        let bytes = 4 * words as u64;
        if self.report.bytes < bytes {
            let larger = recording.scratch(2 * bytes, "what is known of a round")?;
            recording.copy((&self.report, 0), (&larger, 0), self.report.bytes)?;
            self.report = larger;
        }
        Ok(self.report.clone())
    }

    /// Records the order and the integers of a tree for each output. Rows of the sample come first; the integers of the
    /// others are 0.
    pub(super) fn begin(
        &self,
        recording: &mut Recording,
        storage: &mut GpuGrowth,
        sample: Option<&RowSample>,
    ) -> Result<()> {
        let words = self.rows * self.outputs;
        storage.warm_boosting(recording)?;
        let buffers = storage.row_buffers(recording, self.places * self.outputs, words as u64)?;
        let bytes = 4 * self.places as u64;
        recording.copy((&self.order, 0), (&buffers.order, 0), bytes)?;
        if let Some(sample) = sample {
            let count = record_sample(recording, storage, self.places, sample)?;
            recording.copy((&count, 0), (&self.report, 4 * (self.sums_first() - 1) as u64), 4)?;
        }
        // The first tree's order goes to the others by way of the spare one: no copy is within a buffer.
        if self.outputs > 1 {
            recording.copy((&buffers.order, 0), (&buffers.spare, 0), bytes)?;
        }
        for output in 1..self.outputs {
            recording.copy((&buffers.spare, 0), (&buffers.order, output as u64 * bytes), bytes)?;
        }
        let sample = sample.unwrap_or(&EVERYONE);
        let limit = hessian_limit(self.places);
        let together = (recording.gpu.operations_per_dispatch() / 64).max(256) as usize;
        for first in (0..words).step_by(together) {
            let count = together.min(words - first);
            let params = PackParams {
                rows: self.rows as u32,
                first: first as u32,
                count: count as u32,
                hessian_bits: (limit + 1).ilog2(),
                hessian_limit: limit,
                stream: sample.stream,
                key_low: sample.seed as u32,
                key_high: (sample.seed >> 32) as u32,
                below: sample.below,
            };
            let work = Work { operations: 64 * count as u64, bytes: 12 * count as u64 };
            let bound = &[&self.gradients, &self.report, &buffers.packed];
            recording
                .dispatch(&KERNEL_PACK, Dispatch::new(&params, bound, Grid::covering(count as u64, 256)?, work))?;
        }
        Ok(())
    }

    /// Rows that each tree may be grown on, and places of each in the order.
    pub(super) fn places(&self) -> usize {
        self.places
    }

    /// Number of outputs, and of trees.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

fn by_loss(loss: RowLoss, params: Params) -> Params {
    match loss {
        RowLoss::Squared => params,
        RowLoss::Slopes { above, below, at } => Params { loss: 1, above, below, at, ..params },
        RowLoss::Huber { delta } => Params { loss: 2, above: delta, ..params },
        RowLoss::Poisson => Params { loss: 3, ..params },
        RowLoss::Logistic => Params { loss: 4, ..params },
        RowLoss::Exponential => Params { loss: 5, ..params },
    }
}

pub(super) fn upload_numbers(
    recording: &mut Recording,
    buffer: &Arc<Buffer>,
    first: u64,
    numbers: &[f32],
) -> Result<()> {
    recording.upload(buffer, first, numbers.len() as u64, &|from, part| {
        let from = &numbers[from as usize..from as usize + part.len()];
        part.iter_mut().zip(from).for_each(|(word, number)| *word = number.to_bits());
    })
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "gradients", why: "the rows are on a GPU, the stream is not".to_string() }
}
