//! Lloyd's iterations, where the rows live: assign → centroid_sum → center_shift, again and again.

mod on_cpu;
mod on_gpu;
mod refill;

use on_cpu::CpuLloyd;
use on_gpu::GpuLloyd;

use super::center_shift::{Outcome, Step};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::device::Stream;
use crate::error::{Error, Result};

/// A search under way: centres, and the labels of the last iteration.
pub(crate) struct Lloyd<'a> {
    x: &'a DeviceMatrix,
    weights: Option<&'a DeviceVec<f32>>,
    state: LloydState,
    /// Whether there are labels of an iteration before.
    compares: bool,
    /// Whether no row is left that an empty cluster could take.
    leave_empty: bool,
}

enum LloydState {
    Cpu(CpuLloyd),
    Gpu(GpuLloyd),
}

/// What a search found. Labels and squared distances belong to the centres.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) centers: Matrix,
    pub(crate) labels: Vec<u32>,
    pub(crate) distances: Vec<f32>,
}

/// The state after an iteration that moved nothing, on the host.
struct Snapshot {
    centers: Matrix,
    labels: Vec<u32>,
    distances: Vec<f32>,
    /// Σ w·(x − centre) of each cluster, k×d, and Σ w.
    sums: Vec<f64>,
    counts: Vec<f64>,
}

impl<'a> Lloyd<'a> {
    /// A search from `centers` (k×d) over the rows of X (n×d), n ≥ 1.
    pub(crate) fn new(
        stream: &mut Stream,
        x: &'a DeviceMatrix,
        weights: Option<&'a DeviceVec<f32>>,
        centers: &Matrix,
    ) -> Result<Lloyd<'a>> {
        let on_device = centers.to(stream.device())?;
        super::check(stream, "k-means", x, &on_device)?;
        let state = match stream.gpu().is_some() {
            true => LloydState::Gpu(GpuLloyd::new(stream, x, on_device)?),
            false => LloydState::Cpu(CpuLloyd::new(x, centers)),
        };
        Ok(Lloyd { x, weights, state, compares: false, leave_empty: false })
    }

    /// Up to `steps` iterations. What comes back ends with the first that ended the search, if one did.
    ///
    /// An iteration that left a cluster empty has moved nothing: [`Lloyd::refill`] completes it.
    pub(crate) fn run(&mut self, stream: &mut Stream, steps: usize, tolerance: f64) -> Result<Vec<Step>> {
        let rules = Rules { compares: self.compares, leave_empty: self.leave_empty, tolerance };
        let mut made = match &mut self.state {
            LloydState::Cpu(state) => state.run((self.x, self.weights), steps, rules)?,
            LloydState::Gpu(state) => state.run(stream, (self.x, self.weights), steps, rules)?,
        };
        self.compares = true;
        if let Some(last) = made.iter().position(|step| step.outcome != Outcome::Moved) {
            made.truncate(last + 1);
        }
        Ok(made)
    }

    /// Completes an iteration that left clusters empty: each takes the row that is farthest from its centre, which
    /// leaves its old cluster; then all centres move. Returns Σ of the squared shifts.
    ///
    /// This happens seldom, so labels and distances come to the host for it.
    pub(crate) fn refill(&mut self, stream: &mut Stream) -> Result<f64> {
        let mut now = match &self.state {
            LloydState::Cpu(state) => state.snapshot(self.x)?,
            LloydState::Gpu(state) => state.snapshot(stream)?,
        };
        let weights = self.weights.map(|weights| weights.to_vec(stream)).transpose()?;
        let taken = now.take_farthest(weights.as_deref());
        self.leave_empty = taken.len() < now.counts.iter().filter(|count| **count <= 0.0).count();
        let rows = self.x.rows_at(stream, &taken.iter().map(|(row, _)| *row).collect::<Vec<_>>())?;
        let shift = now.refill(&taken, &rows, weights.as_deref());
        match &mut self.state {
            LloydState::Cpu(state) => state.set_centers(&now.centers),
            LloydState::Gpu(state) => state.set_centers(stream, &now.centers)?,
        }
        Ok(shift)
    }

    /// The centres with the labels and distances that belong to them. `settled` says that the last iteration moved
    /// nothing, so that the labels are there already.
    pub(crate) fn finish(self, stream: &mut Stream, settled: bool) -> Result<Found> {
        let found = match self.state {
            LloydState::Cpu(state) => state.finish(self.x, settled)?,
            LloydState::Gpu(state) => state.finish(stream, self.x, settled)?,
        };
        match found.distances.iter().position(|distance| !distance.is_finite()) {
            Some(row) => Err(Error::NotFinite { row, column: 0, value: f64::INFINITY }),
            None => Ok(found),
        }
    }
}

/// How an iteration may end.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// Whether there were labels before the first, so that "no label changed" means something.
    compares: bool,
    /// Whether clusters without rows stay where they are, or stop everything.
    leave_empty: bool,
    tolerance: f64,
}
