//! Training one step at a time on the host, with masks: what studies need beyond a fit.

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::random::permutation::permutation;
use crate::data::Dataset;
use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::neural::buffers::Buffers;
use crate::neural::network::{Network, PlacedBlock, random_step};
use crate::ops::neural::loss::sums_of;
use crate::ops::neural::{Batch, Memory, TargetLayout, WeightPenalty, gather_batch, update, zeros};
use crate::solvers::UpdateRule;

/// The random numbers of orders; the epoch is added.
const ORDER: u32 = 0x5354_0000;
/// Rows that are scored at once.
const SCORED: usize = 1024;

/// Rows and targets on the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) x: &'a Matrix,
    /// The number of the class, or targets.
    pub(super) y: &'a Matrix,
    pub(super) classes: bool,
}

impl Rows<'_> {
    fn layout(&self) -> TargetLayout {
        TargetLayout { classes: self.classes, weight: None, columns: self.y.columns() }
    }

    fn check(&self, network: &Network) -> Result<()> {
        if self.x.rows() == 0 || self.x.rows() != self.y.rows() || self.x.columns() != network.input().size() {
            let expected = format!("rows of {} columns with a target each", network.input().size());
            let got = format!("{}×{} and {} targets", self.x.rows(), self.x.columns(), self.y.rows());
            return Err(Error::shape("study", expected, got));
        }
        self.x.refuse_missing()
    }
}

/// The classes of a dataset as one column of codes.
pub(super) fn code_column(data: &Dataset) -> Result<Matrix> {
    let codes = data.labels()?.codes();
    Matrix::from_vec(codes.len(), 1, codes.iter().map(|code| *code as f32).collect())
}

/// How a lesson goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) batch: usize,
    pub(super) rule: UpdateRule,
    pub(super) rate: f64,
    pub(super) seed: u64,
}

/// A network that learns from rows.
pub(super) struct Lesson {
    network: Network,
    stream: Stream,
    parameters: DeviceVec<f32>,
    gradient: DeviceVec<f32>,
    memory: Memory,
    buffers: Buffers,
    x: DeviceMatrix,
    y: DeviceMatrix,
    layout: TargetLayout,
    pace: Pace,
    mask: Option<Vec<f32>>,
    sums: DeviceVec<f32>,
    ranges: DeviceVec<u32>,
    order: Option<DeviceVec<u32>>,
    place: usize,
    epochs: u32,
    steps: u64,
}

impl Lesson {
    pub(super) fn new(network: &Network, parameters: &[f32], rows: Rows<'_>, pace: Pace) -> Result<Lesson> {
        rows.check(network)?;
        let device = Device::Cpu;
        let mut stream = device.stream();
        let pace = Pace { batch: pace.batch.clamp(1, rows.x.rows()), ..pace };
        let count = network.parameters();
        let buffers = Buffers::new(&mut stream, network, pace.batch, rows.y.columns())?;
        let sums = zeros(&mut stream, 2 * sums_of(pace.batch, network.outputs()))?;
        let mut empty = || zeros(&mut stream, count);
        let (gradient, memory) = (empty()?, Memory { first: empty()?, second: empty()? });
        Ok(Lesson {
            network: network.clone(),
            parameters: DeviceVec::from_slice(parameters, &device)?,
            gradient,
            memory,
            buffers,
            x: rows.x.to(&device)?,
            y: rows.y.to(&device)?,
            layout: rows.layout(),
            pace,
            mask: None,
            sums,
            ranges: DeviceVec::from_slice(&[0, 0], &device)?,
            order: None,
            place: 0,
            epochs: 0,
            steps: 0,
            stream,
        })
    }

    /// Weights where the mask is 0 stay what they are.
    pub(super) fn masked(mut self, mask: &[f32]) -> Lesson {
        self.mask = Some(mask.to_vec());
        self
    }

    pub(super) fn parameters(&self) -> Result<&[f32]> {
        self.parameters.values()
    }

    /// Puts other parameters in place, and keeps what the optimiser remembers.
    pub(super) fn set_parameters(&mut self, parameters: &[f32]) -> Result<()> {
        self.parameters.write(&mut self.stream, 0, parameters)
    }

    /// The gradient of the next batch; returns its mean loss.
    pub(super) fn gradient(&mut self) -> Result<(f64, &[f32])> {
        let n = self.x.rows();
        let order = match self.order.take() {
            Some(order) if self.place < n => order,
            _ => {
                let order = permutation(self.pace.seed, ORDER.wrapping_add(self.epochs), n as u32);
                (self.place, self.epochs) = (0, self.epochs + 1);
                DeviceVec::from_slice(&order, &Device::Cpu)?
            }
        };
        let rows = self.pace.batch.min(n - self.place);
        let batch = Batch { order: &order, first: self.place, rows, noise: None };
        let places = (&mut self.buffers.values[0], &mut self.buffers.targets);
        gather_batch(&mut self.stream, (&self.x, &self.y), batch, places)?;
        let random = (self.pace.seed, random_step(self.steps));
        self.network.forward(&mut self.stream, &self.parameters, &mut self.buffers, rows, (true, random))?;
        self.network.output_loss(&mut self.stream, &mut self.buffers, (rows, self.layout), (&mut self.sums, 0))?;
        let vectors = (&self.parameters, &mut self.gradient);
        self.network.backward(&mut self.stream, vectors, &mut self.buffers, rows, (false, random))?;
        (self.place, self.order) = (self.place + rows, Some(order));
        let groups = sums_of(rows, self.network.outputs());
        let total: f64 = self.sums.values()?[..2 * groups].iter().step_by(2).map(|sum| f64::from(*sum)).sum();
        Ok((total / rows as f64, self.gradient.values()?))
    }

    /// Moves the parameters by the gradient.
    pub(super) fn update(&mut self) -> Result<()> {
        if let Some(mask) = &self.mask {
            self.gradient.values_mut()?.iter_mut().zip(mask).for_each(|(slope, kept)| *slope *= kept);
        }
        self.steps += 1;
        let numbers = self.pace.rule.numbers(self.pace.rate, self.steps);
        let penalty = WeightPenalty { l1: 0.0, l2: 0.0, ranges: &self.ranges };
        let vectors = (&mut self.parameters, &self.gradient);
        update(&mut self.stream, &numbers, (penalty, None), vectors, &mut self.memory)
    }

    /// So many steps; returns the loss before each.
    pub(super) fn steps(&mut self, count: usize) -> Result<Vec<f64>> {
        let mut losses = Vec::with_capacity(count);
        for _ in 0..count {
            let (loss, _) = self.gradient()?;
            if !loss.is_finite() {
                return Err(Error::param("rate", "low enough for the loss to stay finite", self.pace.rate));
            }
            losses.push(loss);
            self.update()?;
        }
        Ok(losses)
    }
}

/// The places of each layer's weights in the flat vector, without padding and biases.
pub(super) fn weight_places(network: &Network) -> Vec<Vec<usize>> {
    let of_block = |placed: &PlacedBlock| {
        let inside = |place: &usize| (place - placed.first) % placed.block.stride() < placed.block.columns;
        placed.range().filter(inside).collect()
    };
    network.blocks().filter(|placed| placed.block.penalised).map(of_block).collect()
}

/// Mean loss of rows, and the share that is right (classes) or the mean squared error.
pub(super) fn score(network: &Network, parameters: &[f32], rows: Rows<'_>) -> Result<[f64; 2]> {
    rows.check(network)?;
    let device = Device::Cpu;
    let mut stream = device.stream();
    let (n, layout) = (rows.x.rows(), rows.layout());
    let most = SCORED.min(n);
    let mut buffers = Buffers::new(&mut stream, network, most, rows.y.columns())?;
    let mut sums = zeros(&mut stream, 2 * sums_of(most, network.outputs()))?;
    let held = DeviceVec::from_slice(parameters, &device)?;
    let order: Vec<u32> = (0..n as u32).collect();
    let order = DeviceVec::from_slice(&order, &device)?;
    let (x, y) = (rows.x.to(&device)?, rows.y.to(&device)?);
    let mut totals = [0.0; 2];
    for first in (0..n).step_by(most) {
        let count = most.min(n - first);
        let batch = Batch { order: &order, first, rows: count, noise: None };
        gather_batch(&mut stream, (&x, &y), batch, (&mut buffers.values[0], &mut buffers.targets))?;
        network.forward(&mut stream, &held, &mut buffers, count, (false, (0, 0)))?;
        network.output_loss(&mut stream, &mut buffers, (count, layout), (&mut sums, 0))?;
        for pair in sums.values()?[..2 * sums_of(count, network.outputs())].chunks_exact(2) {
            totals = [totals[0] + f64::from(pair[0]), totals[1] + f64::from(pair[1])];
        }
    }
    Ok(totals.map(|total| total / n as f64))
}
