//! Lloyd's iterations, where the rows live: assign → centroid_sum → center_shift, until no centre moves.

mod cpu;
mod gpu;
mod refill;

use cpu::CpuLloyd;
use gpu::GpuLloyd;

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::clock::Instant;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::cluster::center_shift::{Iteration, IterationEnd};
use crate::ops::cluster::check;

/// Seconds between two looks at the device, if that is enough for some iterations: a stop is heeded at the next.
const LOOK: f64 = 0.2;
/// Iterations between two looks: at least, unless one takes longer than that by itself, and at most.
const ITERATIONS: (usize, usize) = (8, 16);

/// When a search ends by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoppingRule {
    pub(crate) max_iter: usize,
    /// The Σ of squared shifts that ends it.
    pub(crate) tolerance: f64,
}

/// What a search found. Labels and squared distances belong to the centres.
#[derive(Debug)]
pub(crate) struct Clusters {
    pub(crate) centers: Matrix,
    pub(crate) labels: Vec<u32>,
    pub(crate) distances: Vec<f32>,
}

/// How a search went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
    /// Whether the caller asked for no more.
    pub(crate) stopped: bool,
}

/// A search from `start` (k×d) over the rows of X (n×d), n ≥ 1. `stops` gets the number of iterations now and then, and
/// returns whether to stop. Costs 3·n·k·d operations an iteration.
///
/// An empty cluster takes the row that is farthest from its centre.
pub(crate) fn lloyd(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
    start: &Matrix,
    rule: StoppingRule,
    mut stops: impl FnMut(usize) -> Result<bool>,
) -> Result<(Clusters, Course)> {
    let mut search = Search::new(stream, x, weights, start)?;
    let (mut iterations, mut at_once) = (0, 1);
    let (mut converged, mut settled, mut stopped) = (false, false, false);
    while iterations < rule.max_iter && !converged && !stopped {
        let begun = Instant::now();
        let made = search.run(stream, at_once.min(rule.max_iter - iterations), rule.tolerance)?;
        iterations += made.len();
        let each = begun.elapsed().as_secs_f64() / made.len().max(1) as f64;
        at_once = match each > LOOK {
            true => 1,
            false => ((LOOK / each.max(1e-9)) as usize).clamp(ITERATIONS.0, ITERATIONS.1),
        };
        match made.last().map(|iteration| iteration.end) {
            Some(IterationEnd::Empty) => converged = search.refill(stream)? <= rule.tolerance,
            Some(IterationEnd::Unchanged) => (converged, settled) = (true, true),
            Some(IterationEnd::WithinTolerance) => converged = true,
            _ => {}
        }
        stopped = stops(iterations)?;
    }
    Ok((search.finish(stream, settled)?, Course { iterations, converged, stopped }))
}

/// A search under way: centres, and the labels of the last iteration.
struct Search<'a> {
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

/// The state after an iteration that moved nothing, on the host.
struct Snapshot {
    centers: Matrix,
    labels: Vec<u32>,
    distances: Vec<f32>,
    /// Σ w·(x − centre) of each cluster, k×d, and Σ w.
    sums: Vec<f64>,
    counts: Vec<f64>,
}

/// How an iteration may end.
#[derive(Debug, Clone, Copy)]
struct IterationRules {
    /// Whether there were labels before the first, so that "no label changed" means something.
    compares: bool,
    /// Whether clusters without rows stay where they are, or stop everything.
    leave_empty: bool,
    tolerance: f64,
}

impl<'a> Search<'a> {
    fn new(
        stream: &mut Stream,
        x: &'a DeviceMatrix,
        weights: Option<&'a DeviceVec<f32>>,
        centers: &Matrix,
    ) -> Result<Search<'a>> {
        let on_device = centers.to(stream.device())?;
        check(stream, "k-means", x, &on_device)?;
        let state = match stream.gpu().is_some() {
            true => LloydState::Gpu(GpuLloyd::new(stream, x, on_device)?),
            false => LloydState::Cpu(CpuLloyd::new(x, centers)),
        };
        Ok(Search { x, weights, state, compares: false, leave_empty: false })
    }

    /// Up to `count` iterations. What comes back ends with the first that ended the search, if one did.
    ///
    /// An iteration that left a cluster empty has moved nothing: [`Search::refill`] completes it.
    fn run(&mut self, stream: &mut Stream, count: usize, tolerance: f64) -> Result<Vec<Iteration>> {
        let rules = IterationRules { compares: self.compares, leave_empty: self.leave_empty, tolerance };
        let mut made = match &mut self.state {
            LloydState::Cpu(state) => state.run((self.x, self.weights), count, rules)?,
            LloydState::Gpu(state) => state.run(stream, (self.x, self.weights), count, rules)?,
        };
        self.compares = true;
        if let Some(last) = made.iter().position(|iteration| iteration.end != IterationEnd::Moved) {
            made.truncate(last + 1);
        }
        Ok(made)
    }

    /// Completes an iteration that left clusters empty: each takes the row that is farthest from its centre, which
    /// leaves its old cluster; then all centres move. Returns Σ of the squared shifts.
    ///
    /// This happens seldom, so labels and distances come to the host for it.
    fn refill(&mut self, stream: &mut Stream) -> Result<f64> {
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
    fn finish(self, stream: &mut Stream, settled: bool) -> Result<Clusters> {
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
