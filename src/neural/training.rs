//! Learning: epochs of shuffled batches, one read-back each.

mod whole;

use super::buffers::Buffers;
use super::learning::{EpochReport, LearnerState, TrainingOptions, TrainingRows};
use super::network::{Network, random_step};
use crate::array::DeviceVec;
use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::ops::neural::{
    Batch, Clip, Memory, Noise, PIECE, WeightPenalty, gather_batch, gradient_norms, update, zeros,
};
use crate::ops::random::philox::Draw;
use crate::ops::{radix_sort, random_bits};

/// The random numbers of the order of an epoch; the epoch is added.
const ORDER_STREAM: u32 = 0x4e45_0000;
/// What tells the key of noise from those of layers.
const NOISE_KEY: u64 = 0x6e6f_6973_6500_0000;

/// A network that learns: parameters, gradient and what the optimiser remembers, each one flat vector on a device.
#[derive(Debug)]
pub struct Learner {
    network: Network,
    options: TrainingOptions,
    parameters: DeviceVec<f32>,
    gradient: DeviceVec<f32>,
    memory: Memory,
    /// Parameters at the beginning of the epoch: what is left if it diverges.
    good: DeviceVec<f32>,
    buffers: Buffers,
    /// Where weights with a penalty lie, and the pieces of [`gradient_norms`].
    ranges: DeviceVec<u32>,
    pieces: DeviceVec<u32>,
    /// The layer of each piece, and whether it has a penalty.
    of_pieces: Vec<(usize, bool)>,
    /// Sizes of the gradient, then sums of losses: all that is read in an epoch.
    report: DeviceVec<f32>,
    /// Steps and epochs taken.
    steps: u64,
    epochs: u64,
    /// What rates are multiplied by.
    rate_factor: f64,
    /// Parameters that were best so far, if somebody asked to keep them.
    best: Option<DeviceVec<f32>>,
}

impl Learner {
    /// A network on a device, for batches of up to `options.batch_size` rows of `rows` and so many columns of targets.
    pub fn new(
        device: &Device,
        network: Network,
        options: TrainingOptions,
        state: &LearnerState,
        (rows, target_columns): (usize, usize),
    ) -> Result<Learner> {
        let count = network.parameters();
        if network.layers().is_empty() || state.parameters.len() != count {
            let expected = format!("a network with layers, and {count} parameters");
            return Err(Error::shape("network", expected, state.parameters.len()));
        }
        if options.batch_size == 0 {
            return Err(Error::param("batch_size", "at least 1", 0));
        }
        let options = TrainingOptions { batch_size: options.batch_size.min(rows.max(1)), ..options };
        let mut stream = device.stream();
        let buffers = Buffers::new(&mut stream, &network, options.batch_size, target_columns)?;
        let (mut pieces, mut of_pieces, mut ranges) = (vec![], vec![], vec![]);
        for placed in network.blocks() {
            let range = placed.range();
            for first in range.clone().step_by(PIECE) {
                pieces.extend([first as u32, (first + PIECE).min(range.end) as u32]);
                of_pieces.push((placed.layer, placed.block.penalised));
            }
            if placed.block.penalised {
                ranges.extend([range.start as u32, range.end as u32]);
            }
        }
        if ranges.is_empty() {
            ranges = vec![0, 0];
        }
        let stream = &mut stream;
        let mut filled = |values: &[f32]| -> Result<DeviceVec<f32>> {
            let mut made = zeros(stream, count)?;
            if !values.is_empty() {
                made.write(stream, 0, values)?;
            }
            Ok(made)
        };
        let [first, second] = &state.memory;
        let (parameters, gradient, good) = (filled(&state.parameters)?, filled(&[])?, filled(&state.parameters)?);
        let memory = Memory { first: filled(first)?, second: filled(second)? };
        let report = zeros(stream, 4 * of_pieces.len())?;
        stream.flush()?;
        Ok(Learner {
            network,
            options,
            parameters,
            gradient,
            memory,
            good,
            buffers,
            ranges: DeviceVec::from_slice(&ranges, device)?,
            pieces: DeviceVec::from_slice(&pieces, device)?,
            of_pieces,
            report,
            steps: state.steps,
            epochs: state.epochs,
            rate_factor: state.rate_factor,
            best: None,
        })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Epochs taken.
    pub fn epochs(&self) -> u64 {
        self.epochs
    }

    /// What rates are multiplied by.
    pub fn rate_factor(&self) -> f64 {
        self.rate_factor
    }

    /// Multiplies the rates of later steps.
    pub fn scale_rate(&mut self, factor: f64) {
        self.rate_factor *= factor;
    }

    /// Remembers the parameters as they are, on the device.
    pub fn keep_best(&mut self, stream: &mut Stream) -> Result<()> {
        let mut best = match self.best.take() {
            Some(best) => best,
            None => zeros(stream, self.parameters.len())?,
        };
        best.copy_from(stream, &self.parameters)?;
        self.best = Some(best);
        Ok(())
    }

    /// Goes back to the parameters that were remembered, if any were.
    pub fn restore_best(&mut self, stream: &mut Stream) -> Result<()> {
        match self.best.take() {
            Some(best) => self.parameters.copy_from(stream, &best),
            None => Ok(()),
        }
    }

    /// The parameters, on their device.
    pub fn parameters(&self) -> &DeviceVec<f32> {
        &self.parameters
    }

    /// All that is needed to go on, on the host.
    pub fn state(&self, stream: &mut Stream) -> Result<LearnerState> {
        let remembers = self.options.rule.memory();
        let mut memory = [vec![], vec![]];
        if remembers > 0 {
            memory[0] = self.memory.first.to_vec(stream)?;
        }
        if remembers > 1 {
            memory[1] = self.memory.second.to_vec(stream)?;
        }
        let parameters = self.parameters.to_vec(stream)?;
        Ok(LearnerState { parameters, memory, steps: self.steps, epochs: self.epochs, rate_factor: self.rate_factor })
    }

    /// One step on the rows `order[first..first + rows]`; sums of its loss go to pair `sums` of the report.
    pub fn step(
        &mut self,
        stream: &mut Stream,
        rows: TrainingRows<'_>,
        (order, first, count): (&DeviceVec<u32>, usize, usize),
        sums: usize,
    ) -> Result<()> {
        let random = (self.options.seed, random_step(self.steps));
        let noise = (self.options.noise > 0.0).then_some(Noise {
            deviation: self.options.noise as f32,
            key: self.options.seed ^ NOISE_KEY,
            step: random.1,
        });
        let batch = Batch { order, first, rows: count, noise };
        gather_batch(stream, (rows.x, rows.y), batch, (&mut self.buffers.values[0], &mut self.buffers.targets))?;
        self.network.forward(stream, &self.parameters, &mut self.buffers, count, (true, random))?;
        let place = (&mut self.report, 2 * self.of_pieces.len() + sums);
        self.network.output_loss(stream, &mut self.buffers, (count, rows.targets), place)?;
        let vectors = (&self.parameters, &mut self.gradient);
        self.network.backward(stream, vectors, &mut self.buffers, count, (false, random))?;
        self.update(stream, count * self.network.loss_rows().0)?;
        self.network.follow(stream, &mut self.parameters, &self.buffers)
    }

    /// The gradient of rows as one batch, without noise and dropout, and nothing moved.
    pub fn gradient_of(
        &mut self,
        stream: &mut Stream,
        rows: TrainingRows<'_>,
        order: &DeviceVec<u32>,
    ) -> Result<&DeviceVec<f32>> {
        let count = order.len().min(self.options.batch_size);
        let batch = Batch { order, first: 0, rows: count, noise: None };
        gather_batch(stream, (rows.x, rows.y), batch, (&mut self.buffers.values[0], &mut self.buffers.targets))?;
        let network = self.network.clone().without_dropout();
        network.forward(stream, &self.parameters, &mut self.buffers, count, (true, (0, 0)))?;
        let need = 4 * self.of_pieces.len() + 2 * network.loss_sums(count);
        if self.report.len() < need {
            self.report = zeros(stream, need)?;
        }
        let place = (&mut self.report, 2 * self.of_pieces.len());
        network.output_loss(stream, &mut self.buffers, (count, rows.targets), place)?;
        let vectors = (&self.parameters, &mut self.gradient);
        network.backward(stream, vectors, &mut self.buffers, count, (false, (0, 0)))?;
        Ok(&self.gradient)
    }

    /// Moves the parameters by the gradient of a batch of so many rows, or steps of rows where each has a loss.
    pub fn update(&mut self, stream: &mut Stream, rows: usize) -> Result<()> {
        let clip = match self.options.clip_norm {
            None => None,
            Some(limit) => {
                self.norms(stream)?;
                Some(Clip { norms: &self.report, pieces: self.of_pieces.len(), limit: limit as f32 })
            }
        };
        let rate = self.rate_factor * self.options.rate.at(self.steps);
        self.steps += 1;
        let numbers = self.options.rule.numbers(rate, self.steps);
        let [l1, l2] = [self.options.l1, self.options.l2].map(|alpha| (alpha / rows.max(1) as f64) as f32);
        let penalty = WeightPenalty { l1, l2, ranges: &self.ranges };
        update(stream, &numbers, (penalty, clip), (&mut self.parameters, &self.gradient), &mut self.memory)
    }

    fn norms(&mut self, stream: &mut Stream) -> Result<()> {
        gradient_norms(stream, (&self.parameters, &self.gradient), &self.pieces, &mut self.report)
    }

    /// One epoch over the rows that `indices` lists, then the loss of validation rows. Nothing but the report is read back.
    ///
    /// A loss that is no number any more is [`Error::NotFinite`], and the parameters are those before the epoch.
    pub fn epoch(
        &mut self,
        stream: &mut Stream,
        learnt: (TrainingRows<'_>, &DeviceVec<u32>),
        validation: Option<(TrainingRows<'_>, &DeviceVec<u32>)>,
    ) -> Result<EpochReport> {
        // On a thread of the pool: from another one each loop of a step would put its caller to sleep and wake it again.
        rayon::scope(|_| self.epoch_in_pool(stream, learnt, validation))
    }

    fn epoch_in_pool(
        &mut self,
        stream: &mut Stream,
        (rows, indices): (TrainingRows<'_>, &DeviceVec<u32>),
        validation: Option<(TrainingRows<'_>, &DeviceVec<u32>)>,
    ) -> Result<EpochReport> {
        let (batch, n) = (self.options.batch_size, indices.len());
        let per_batch = self.network.loss_sums(batch);
        let scored = validation.map_or(0, |(_, listed)| listed.len());
        let (trained, held) = (n.div_ceil(batch) * per_batch, scored.div_ceil(batch) * per_batch);
        let need = 4 * self.of_pieces.len() + 2 * (trained + held);
        if self.report.len() != need {
            self.report = zeros(stream, need)?;
        }
        self.good.copy_from(stream, &self.parameters)?;
        let shuffled = match self.options.shuffle {
            true => {
                let keys = Draw::new(self.options.seed, ORDER_STREAM.wrapping_add(self.epochs as u32));
                let keys = random_bits(stream, keys, n)?;
                Some(radix_sort(stream, &keys, indices)?.1)
            }
            false => None,
        };
        let (order, steps_before) = (shuffled.as_ref().unwrap_or(indices), self.steps);
        self.network.forget(stream, &mut self.buffers)?;
        for (at, first) in (0..n).step_by(batch).enumerate() {
            self.step(stream, rows, (order, first, batch.min(n - first)), at * per_batch)?;
        }
        self.norms(stream)?;
        if let Some((rows, listed)) = validation {
            self.score(stream, rows, listed, trained / per_batch.max(1))?;
        }
        self.epochs += 1;
        let read = match self.report.to_vec(stream) {
            Ok(read) => read,
            Err(error) => {
                self.parameters.copy_from(stream, &self.good)?;
                self.memory =
                    Memory { first: zeros(stream, self.good.len())?, second: zeros(stream, self.good.len())? };
                (self.epochs, self.steps) = (self.epochs - 1, steps_before);
                return Err(error);
            }
        };
        let steps = self.network.loss_rows().0;
        Ok(self.told(&read, (steps * n, trained), (steps * scored, held)))
    }

    /// The report in words: sums in f64.
    fn told(&self, read: &[f32], (n, trained): (usize, usize), (scored, held): (usize, usize)) -> EpochReport {
        let (sizes, sums) = read.split_at(4 * self.of_pieces.len());
        let total = |sums: &[f32], of: usize| sums.chunks_exact(2).map(|pair| f64::from(pair[of])).sum::<f64>();
        let mut squares = vec![0.0; self.network.layers().len()];
        let mut penalty = 0.0;
        for (size, (layer, penalised)) in sizes.chunks_exact(4).zip(&self.of_pieces) {
            squares[*layer] += f64::from(size[0]);
            if *penalised {
                penalty += 0.5 * self.options.l2 * f64::from(size[1]) + self.options.l1 * f64::from(size[2]);
            }
        }
        let (learnt, judged) = sums.split_at(2 * trained);
        let mean = |sums: &[f32], of: usize, rows: usize| total(sums, of) / rows.max(1) as f64;
        EpochReport {
            loss: mean(learnt, 0, n) + penalty / (self.options.batch_size * self.network.loss_rows().0) as f64,
            score: mean(learnt, 1, n),
            validation: (scored > 0).then(|| {
                let held = &judged[..2 * held];
                [mean(held, 0, scored), mean(held, 1, scored)]
            }),
            gradient_norms: squares.into_iter().map(f64::sqrt).collect(),
        }
    }

    /// Losses of rows that are not learnt; their sums go to the report behind those of so many batches.
    fn score(
        &mut self,
        stream: &mut Stream,
        rows: TrainingRows<'_>,
        listed: &DeviceVec<u32>,
        behind: usize,
    ) -> Result<()> {
        let batch = self.options.batch_size;
        let per_batch = self.network.loss_sums(batch);
        self.network.forget(stream, &mut self.buffers)?;
        for (at, first) in (0..listed.len()).step_by(batch).enumerate() {
            let count = batch.min(listed.len() - first);
            let taken = Batch { order: listed, first, rows: count, noise: None };
            gather_batch(stream, (rows.x, rows.y), taken, (&mut self.buffers.values[0], &mut self.buffers.targets))?;
            self.network.forward(stream, &self.parameters, &mut self.buffers, count, (false, (0, 0)))?;
            let place = (&mut self.report, 2 * self.of_pieces.len() + (behind + at) * per_batch);
            self.network.output_loss(stream, &mut self.buffers, (count, rows.targets), place)?;
        }
        Ok(())
    }
}
