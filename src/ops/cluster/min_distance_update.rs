//! One step of k-means++: what each candidate would bring.

use std::ops::Range;

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::cpu::cluster::min_distance_update as twin;
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "cluster/min_distance_update", [Read, Read, Read, Read, Write, Write], Params;
}

params! {
    struct Params {
        rows: u32, blocks: u32, vec4s: u32, candidates: u32, x_first: u32, candidate_first: u32, closest_first: u32,
        closest_stride: u32, weight_first: u32, out_first: u32, out_vec4s: u32, sum_first: u32,
    }
}

/// Rows whose distances are added together, as in the shader.
pub const BLOCK: usize = 4096;

/// What each of t candidates would bring, were it the next centre: for each row of X the squared distance to the nearest
/// centre, and its weighted sum over each block of [`BLOCK`] rows.
#[derive(Debug)]
pub struct MinDistanceUpdate {
    rows: usize,
    candidates: usize,
    storage: DistanceStorage,
}

#[derive(Debug)]
enum DistanceStorage {
    /// t×n distances, t×⌈n / 4096⌉ sums.
    Cpu { distances: Vec<f32>, sums: Vec<f64> },
    /// n×t distances, ⌈n / 4096⌉×t sums.
    Gpu { distances: DeviceMatrix, sums: DeviceMatrix },
}

impl MinDistanceUpdate {
    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of candidates, t.
    pub fn candidates(&self) -> usize {
        self.candidates
    }

    /// The weighted sums over the blocks, one list for each candidate.
    pub fn sums(&self, stream: &mut Stream) -> Result<Vec<Vec<f64>>> {
        let blocks = self.rows.div_ceil(BLOCK);
        match &self.storage {
            DistanceStorage::Cpu { sums, .. } => Ok(sums.chunks(blocks.max(1)).map(<[f64]>::to_vec).collect()),
            DistanceStorage::Gpu { sums, .. } => {
                let sums = sums.to_matrix(stream)?;
                let of = |candidate| (0..blocks).map(|block| f64::from(sums.get(block, candidate))).collect();
                Ok((0..self.candidates).map(of).collect())
            }
        }
    }

    /// The squared distances of the rows of one block, were one candidate chosen.
    pub fn block(&self, stream: &mut Stream, candidate: usize, block: usize) -> Result<Vec<f32>> {
        let range = block * BLOCK..((block + 1) * BLOCK).min(self.rows);
        if candidate >= self.candidates || range.start >= self.rows {
            let expected = format!("one of {} candidates and a block of {} rows", self.candidates, self.rows);
            return Err(Error::shape("min_distance_update", expected, format!("candidate {candidate}, block {block}")));
        }
        match &self.storage {
            DistanceStorage::Cpu { distances, .. } => {
                let first = candidate * self.rows;
                Ok(distances[first + range.start..first + range.end].to_vec())
            }
            DistanceStorage::Gpu { distances, .. } => {
                let rows = distances.rows_in(stream, range)?;
                Ok((0..rows.rows()).map(|row| rows.get(row, candidate)).collect())
            }
        }
    }
}

/// What each of t candidates (t×d) would bring as the next centre of the rows of X (n×d). `closest` is an earlier result
/// and the candidate of it that was chosen; none before the first centre. Costs 3·n·t·d operations.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0], [4.0], [9.0]])?.to(&Device::Cpu)?;
/// let first = ops::min_distance_update(&mut stream, &x, &Matrix::from_rows(&[[0.0]])?.to(&Device::Cpu)?, None, None)?;
/// let second = Matrix::from_rows(&[[9.0], [4.0]])?.to(&Device::Cpu)?;
/// let both = ops::min_distance_update(&mut stream, &x, &second, Some((&first, 0)), None)?;
/// assert_eq!(both.sums(&mut stream)?, [[16.0], [25.0]]);
/// assert_eq!(both.block(&mut stream, 1, 0)?, [0.0, 0.0, 25.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn min_distance_update(
    stream: &mut Stream,
    x: &DeviceMatrix,
    candidates: &DeviceMatrix,
    closest: Option<(&MinDistanceUpdate, usize)>,
    weights: Option<&DeviceVec<f32>>,
) -> Result<MinDistanceUpdate> {
    let op = "min_distance_update";
    super::check(stream, op, x, candidates)?;
    if let Some((closest, chosen)) = closest
        && (closest.rows != x.rows() || chosen >= closest.candidates)
    {
        let expected = format!("distances of {} rows, and one of their candidates", x.rows());
        let got = format!("{} rows, candidate {chosen} of {}", closest.rows, closest.candidates);
        return Err(Error::shape(op, expected, got));
    }
    if let Some(weights) = weights {
        weights.complete_on(stream, op)?;
        if weights.len() != x.rows() {
            return Err(Error::shape(op, format!("{} weights", x.rows()), weights.len()));
        }
    }
    let (rows, candidate_rows) = (x.rows(), candidates.rows());
    let storage = match stream.gpu().is_some() {
        true => on_gpu(stream, x, candidates, closest, weights)?,
        false => on_cpu(x, candidates, closest, weights)?,
    };
    Ok(MinDistanceUpdate { rows, candidates: candidate_rows, storage })
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "min_distance_update", why: "the earlier distances are on another device".to_string() }
}

fn on_cpu(
    x: &DeviceMatrix,
    candidates: &DeviceMatrix,
    closest: Option<(&MinDistanceUpdate, usize)>,
    weights: Option<&DeviceVec<f32>>,
) -> Result<DistanceStorage> {
    let (n, d, t) = (x.rows(), x.columns(), candidates.rows());
    let far = if closest.is_none() { vec![f32::MAX; n] } else { vec![] };
    let known = match closest {
        None => &far,
        Some((MinDistanceUpdate { storage: DistanceStorage::Cpu { distances, .. }, .. }, chosen)) => {
            &distances[chosen * n..(chosen + 1) * n]
        }
        Some(_) => return Err(wrong_device()),
    };
    let (mut distances, mut sums) = (vec![0.0; t * n], vec![0.0; t * n.div_ceil(BLOCK)]);
    let (x, candidates) = (x.values()?, candidates.values()?);
    let weights = weights.map(DeviceVec::values).transpose()?;
    twin::min_distance_update(x, n, d, candidates, known, weights, &mut distances, &mut sums);
    Ok(DistanceStorage::Cpu { distances, sums })
}

fn on_gpu(
    stream: &mut Stream,
    x: &DeviceMatrix,
    candidates: &DeviceMatrix,
    closest: Option<(&MinDistanceUpdate, usize)>,
    weights: Option<&DeviceVec<f32>>,
) -> Result<DistanceStorage> {
    let (n, t) = (x.rows(), candidates.rows());
    let closest = match closest {
        None => None,
        Some((MinDistanceUpdate { storage: DistanceStorage::Gpu { distances, .. }, .. }, chosen)) => {
            distances.on(stream, "min_distance_update")?;
            Some((distances, chosen))
        }
        Some(_) => return Err(wrong_device()),
    };
    let distances = DeviceMatrix::output(stream.device(), n, t)?;
    let sums = DeviceMatrix::output(stream.device(), n.div_ceil(BLOCK), t)?;
    let closest = closest.map(|(closest, chosen)| Ok::<_, Error>((closest.store()?, chosen))).transpose()?;
    if let Some(recording) = stream.gpu() {
        record(recording, (x, (candidates, t), closest, weights), (&distances, &sums))?;
    }
    Ok(DistanceStorage::Gpu { distances, sums })
}

/// X, the candidates and how many of them there are, the distances so far and their column, and weights.
type Operands<'a> =
    (&'a DeviceMatrix, (&'a DeviceMatrix, usize), Option<(&'a RowStore, usize)>, Option<&'a DeviceVec<f32>>);

/// Records the step.
pub(crate) fn record(
    recording: &mut Recording,
    operands: Operands,
    (distances, sums): (&DeviceMatrix, &DeviceMatrix),
) -> Result<()> {
    let (x, (_, t), ..) = operands;
    let words = x.store()?.stride() + distances.store()?.stride() + 2;
    let operations = 3 * (t.next_multiple_of(4) * x.columns()) as u64;
    let per_block = RowStore::block_rows(&recording.gpu.clone(), words as u64, operations, BLOCK);
    for rows in blocks(x.rows(), per_block.next_multiple_of(BLOCK)) {
        block(recording, operands, (distances, sums), rows)?;
    }
    Ok(())
}

fn block(
    recording: &mut Recording,
    (x, (candidates, t), closest, weights): Operands,
    (distances, sums): (&DeviceMatrix, &DeviceMatrix),
    rows: Range<usize>,
) -> Result<()> {
    let view = x.store()?.view(recording, rows.clone())?;
    let candidate_view = candidates.store()?.view(recording, 0..candidates.rows())?;
    let known = closest.map(|(closest, _)| closest.view(recording, rows.clone())).transpose()?;
    let weight_view = weights.map(|weights| weights.store()?.view(recording, rows.clone())).transpose()?;
    let sum_rows = rows.start / BLOCK..rows.end.div_ceil(BLOCK);
    let target = distances.store()?.target(recording, rows.clone(), false)?;
    let sum_target = sums.store()?.target(recording, sum_rows.clone(), false)?;
    let out_vec4s = distances.store()?.stride() / 4;
    let closest_stride = closest.map_or(0, |(closest, _)| closest.stride());
    let params = Params {
        rows: rows.len() as u32,
        blocks: sum_rows.len() as u32,
        vec4s: (x.store()?.stride() / 4) as u32,
        candidates: t as u32,
        x_first: view.first_word() / 4,
        candidate_first: candidate_view.first_word() / 4,
        closest_first: known.as_ref().map_or(0, |view| view.first_word())
            + closest.map_or(0, |(_, column)| column as u32),
        closest_stride: closest_stride as u32,
        weight_first: weight_view.as_ref().map_or(0, |view| view.first_word()),
        out_first: target.view.first_word() / 4,
        out_vec4s: out_vec4s as u32,
        sum_first: sum_target.view.first_word() / 4,
    };
    // X stands in for what is not read.
    let closest_buffer = known.as_ref().unwrap_or(&view).buffer();
    let weight_buffer = weight_view.as_ref().unwrap_or(&view).buffer();
    let (n, t, d) = (rows.len() as u64, t as u64, x.columns() as u64);
    let grid = Grid::linear(sum_rows.len() as u64)?.layers(t.div_ceil(4) as u32)?;
    let work = Work { operations: 3 * n * t * d, bytes: 4 * (n * d + 2 * n * t) };
    let buffers = &[
        view.buffer(),
        candidate_view.buffer(),
        closest_buffer,
        weight_buffer,
        target.view.buffer(),
        sum_target.view.buffer(),
    ];
    recording.dispatch(
        &KERNEL,
        Dispatch::new(&params, buffers, grid, work)
            .overrides(&[("KNOWN", u32::from(known.is_some())), ("WEIGHTED", u32::from(weights.is_some()))]),
    )?;
    distances.store()?.commit(recording, target)?;
    sums.store()?.commit(recording, sum_target)
}
