//! The starting centres of k-means++.

use super::min_distance_update::{self, BLOCK, MinDistanceUpdate, min_distance_update};
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::cpu::cluster::plus_plus as twin;
use crate::cpu::random::HostRng;
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Draws the candidates of a step.
    pub KERNEL = "cluster/plus_plus", [Read, Read, Read, Read, Write], Params;
    /// Makes the best of them the next centre.
    pub KERNEL_KEEP = "cluster/plus_plus__keep", [Read, Read, Read, Write, Write, Write], KeepParams;
}

params! {
    struct Params {
        rows: u32, blocks: u32, trials: u32, vec4s: u32, x_first: u32, closest_first: u32, weight_first: u32,
        candidate_first: u32, given: u32, stream: u32, key_low: u32, key_high: u32, pair_low: u32, pair_high: u32,
    }
    struct KeepParams {
        rows: u32, blocks: u32, candidates: u32, stride: u32, vec4s: u32, distance_first: u32, sum_first: u32,
        candidate_first: u32, closest_first: u32, center_first: u32,
    }
}

/// `given` when the row is drawn.
const NONE: u32 = u32::MAX;

/// k rows of X (n×d) to start k-means with, k×d: the first at random, each next the best of 2 + ⌊ln k⌋ rows drawn in
/// proportion to their weighted squared distance from the centres so far (greedy k-means++, Arthur and Vassilvitskii
/// 2007). Costs 3·n·d·k·(2 + ln k) operations; on a GPU the rows are drawn there and only the centres come back.
///
/// What is drawn follows from the distances, and from `seed` and `number` of the random numbers, in integers: the same
/// with any chunks. CPU and GPU round distances differently, so that a draw between two rows may fall otherwise.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let x = Matrix::from_rows(&[[0.0], [1.0], [100.0]])?.to(&Device::Cpu)?;
/// let centers = ops::plus_plus(&mut Device::Cpu.stream(), &x, None, 2, (0, 0))?;
/// assert!(centers.get(0, 0).max(centers.get(1, 0)) == 100.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn plus_plus(
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&DeviceVec<f32>>,
    clusters: usize,
    (seed, number): (u64, u32),
) -> Result<Matrix> {
    super::check(stream, "plus_plus", x, x)?;
    if clusters == 0 || clusters > x.rows() {
        return Err(Error::param("k", format!("at least 1 and at most the number of rows, {}", x.rows()), clusters));
    }
    if weights.is_some_and(|weights| weights.len() != x.rows()) {
        return Err(Error::shape("plus_plus", format!("{} weights", x.rows()), weights.map_or(0, DeviceVec::len)));
    }
    let mut rng = HostRng::new(seed, number);
    let host_weights = weights.map(|weights| weights.to_vec(stream)).transpose()?;
    let first = match &host_weights {
        None => rng.below(x.rows()),
        Some(weights) => rng.weighted(weights, 1)[0],
    };
    let trials = 2 + (clusters as f64).ln() as usize;
    if let Some(start) = DeviceStart::new(stream, (x, weights), clusters, trials)? {
        return start.run(stream, first, (seed, number), &mut rng);
    }
    let candidates = x.rows_at(stream, &[first])?;
    let mut centers = candidates.as_slice().to_vec();
    let mut chosen = 0;
    let mut closest = min_distance_update(stream, x, &candidates.to(stream.device())?, None, weights)?;
    let mut sums = narrow(closest.sums(stream)?).swap_remove(chosen);
    while centers.len() < clusters * x.columns() {
        let mut rows = vec![];
        for _ in 0..trials {
            let block = |block| terms(stream, &closest, chosen, block, host_weights.as_deref());
            rows.push(twin::draw(rng.fraction(), x.rows(), &sums, BLOCK, block)?);
        }
        let candidates = x.rows_at(stream, &rows)?;
        let on_device = candidates.to(stream.device())?;
        let next = min_distance_update(stream, x, &on_device, Some((&closest, chosen)), weights)?;
        let mut next_sums = narrow(next.sums(stream)?);
        chosen = twin::least(&next_sums);
        centers.extend_from_slice(candidates.row(chosen));
        sums = next_sums.swap_remove(chosen);
        closest = next;
    }
    Matrix::from_vec(clusters, x.columns(), centers)
}

fn narrow(sums: Vec<Vec<f64>>) -> Vec<Vec<f32>> {
    sums.into_iter().map(|sums| sums.into_iter().map(|sum| sum as f32).collect()).collect()
}

/// The weighted squared distances of a block's rows.
fn terms(
    stream: &mut Stream,
    closest: &MinDistanceUpdate,
    candidate: usize,
    block: usize,
    weights: Option<&[f32]>,
) -> Result<Vec<f32>> {
    let mut distances = closest.block(stream, candidate, block)?;
    if let Some(weights) = weights {
        distances.iter_mut().zip(&weights[block * BLOCK..]).for_each(|(distance, weight)| *distance *= weight);
    }
    Ok(distances)
}

/// A start that never leaves the device: everything in one buffer each.
struct DeviceStart<'a> {
    x: &'a DeviceMatrix,
    weights: Option<&'a DeviceVec<f32>>,
    trials: usize,
    candidates: DeviceMatrix,
    /// For each row and candidate the squared distance to the nearest centre, and the sums over blocks.
    distances: DeviceMatrix,
    sums: DeviceMatrix,
    /// The same with the centres so far.
    closest: DeviceVec<f32>,
    closest_sums: DeviceVec<f32>,
    centers: DeviceMatrix,
}

impl<'a> DeviceStart<'a> {
    /// None on the CPU, and where the rows lie in several buffers or on the host.
    fn new(
        stream: &mut Stream,
        (x, weights): (&'a DeviceMatrix, Option<&'a DeviceVec<f32>>),
        clusters: usize,
        trials: usize,
    ) -> Result<Option<DeviceStart<'a>>> {
        if stream.gpu().is_none() || !x.store()?.is_one_buffer() {
            return Ok(None);
        }
        let (n, d, blocks, device) = (x.rows(), x.columns(), x.rows().div_ceil(BLOCK), stream.device().clone());
        let start = DeviceStart {
            x,
            weights,
            trials,
            candidates: DeviceMatrix::output(&device, trials, d)?,
            distances: DeviceMatrix::output(&device, n, trials)?,
            sums: DeviceMatrix::output(&device, blocks, trials)?,
            closest: DeviceVec::output(stream, n)?,
            closest_sums: DeviceVec::output(stream, blocks)?,
            centers: DeviceMatrix::output(&device, clusters, d)?,
        };
        let matrices = [&start.candidates, &start.distances, &start.sums, &start.centers];
        let mut stores = vec![start.closest.store()?, start.closest_sums.store()?];
        for matrix in matrices {
            stores.push(matrix.store()?);
        }
        if let Some(weights) = weights {
            stores.push(weights.store()?);
        }
        Ok(stores.iter().all(|store| store.is_one_buffer()).then_some(start))
    }

    fn run(self, stream: &mut Stream, first: usize, (seed, number): (u64, u32), rng: &mut HostRng) -> Result<Matrix> {
        if let Some(recording) = stream.gpu() {
            for center in 0..self.centers.rows() {
                let given = if center == 0 { first as u32 } else { NONE };
                let trials = if center == 0 { 1 } else { self.trials };
                let pair = if center == 0 { 0 } else { rng.skip(trials) };
                self.draw(recording, (given, trials), (seed, number, pair))?;
                let known = (center > 0).then_some((self.closest.store()?, 0));
                let operands = (self.x, (&self.candidates, trials), known, self.weights);
                min_distance_update::record(recording, operands, (&self.distances, &self.sums))?;
                self.keep(recording, center, trials)?;
            }
        }
        self.centers.to_matrix(stream)
    }

    fn draw(
        &self,
        recording: &mut Recording,
        (given, trials): (u32, usize),
        (seed, number, pair): (u64, u32, u64),
    ) -> Result<()> {
        let (n, blocks) = (self.x.rows(), self.closest_sums.len());
        let x = self.x.store()?.view(recording, 0..n)?;
        let closest = self.closest.store()?.view(recording, 0..n)?;
        let sums = self.closest_sums.store()?.view(recording, 0..blocks)?;
        let weights = self.weights.map(|weights| weights.store()?.view(recording, 0..n)).transpose()?;
        let target = self.candidates.store()?.target(recording, 0..self.candidates.rows(), true)?;
        let params = Params {
            rows: n as u32,
            blocks: blocks as u32,
            trials: trials as u32,
            vec4s: (self.x.store()?.stride() / 4) as u32,
            x_first: x.first_word() / 4,
            closest_first: closest.first_word(),
            weight_first: weights.as_ref().map_or(0, |view| view.first_word()),
            candidate_first: target.view.first_word() / 4,
            given,
            stream: number,
            key_low: seed as u32,
            key_high: (seed >> 32) as u32,
            pair_low: pair as u32,
            pair_high: (pair >> 32) as u32,
        };
        let work = Work { operations: 40 * ((blocks + BLOCK) * trials) as u64, bytes: 4 * (blocks + BLOCK) as u64 };
        let weight_buffer = weights.as_ref().unwrap_or(&closest).buffer();
        let buffers = &[x.buffer(), closest.buffer(), sums.buffer(), weight_buffer, target.view.buffer()];
        let weighted = [("WEIGHTED", u32::from(weights.is_some()))];
        let grid = Grid::linear(trials as u64)?;
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&weighted))?;
        self.candidates.store()?.commit(recording, target)
    }

    fn keep(&self, recording: &mut Recording, center: usize, trials: usize) -> Result<()> {
        let (n, blocks) = (self.x.rows(), self.closest_sums.len());
        let distances = self.distances.store()?.view(recording, 0..n)?;
        let sums = self.sums.store()?.view(recording, 0..blocks)?;
        let candidates = self.candidates.store()?.view(recording, 0..self.candidates.rows())?;
        let closest = self.closest.store()?.target(recording, 0..n, true)?;
        let closest_sums = self.closest_sums.store()?.target(recording, 0..blocks, true)?;
        let centers = self.centers.store()?.target(recording, center..center + 1, true)?;
        let params = KeepParams {
            rows: n as u32,
            blocks: blocks as u32,
            candidates: trials as u32,
            stride: self.distances.store()?.stride() as u32,
            vec4s: (self.x.store()?.stride() / 4) as u32,
            distance_first: distances.first_word(),
            sum_first: sums.first_word(),
            candidate_first: candidates.first_word() / 4,
            closest_first: closest.view.first_word(),
            center_first: centers.view.first_word() / 4,
        };
        let work = Work { operations: 20 * n as u64, bytes: 8 * n as u64 };
        let buffers = &[
            distances.buffer(),
            sums.buffer(),
            candidates.buffer(),
            closest.view.buffer(),
            closest_sums.view.buffer(),
            centers.view.buffer(),
        ];
        let grid = Grid::linear(blocks as u64)?;
        recording.dispatch(&KERNEL_KEEP, Dispatch::new(&params, buffers, grid, work))?;
        self.closest.store()?.commit(recording, closest)?;
        self.closest_sums.store()?.commit(recording, closest_sums)?;
        self.centers.store()?.commit(recording, centers)
    }
}
