//! One step of k-means++: what each candidate would bring.

use std::mem::offset_of;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::array::{DeviceMatrix, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Access, Field, Grid, Kernel, Needs, Work};

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "cluster/closer",
    source: include_str!("../../../shaders/cluster/closer.wgsl"),
    buffers: &[Access::Read, Access::Read, Access::Read, Access::Read, Access::Write, Access::Write],
    params: &[
        Field { name: "rows", offset: offset_of!(Params, rows) },
        Field { name: "blocks", offset: offset_of!(Params, blocks) },
        Field { name: "quads", offset: offset_of!(Params, quads) },
        Field { name: "candidates", offset: offset_of!(Params, candidates) },
        Field { name: "x_first", offset: offset_of!(Params, x_first) },
        Field { name: "candidate_first", offset: offset_of!(Params, candidate_first) },
        Field { name: "closest_first", offset: offset_of!(Params, closest_first) },
        Field { name: "closest_stride", offset: offset_of!(Params, closest_stride) },
        Field { name: "weight_first", offset: offset_of!(Params, weight_first) },
        Field { name: "out_first", offset: offset_of!(Params, out_first) },
        Field { name: "out_quads", offset: offset_of!(Params, out_quads) },
        Field { name: "sum_first", offset: offset_of!(Params, sum_first) },
    ],
    params_size: size_of::<Params>(),
    needs: Needs::Floor,
};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    rows: u32,
    blocks: u32,
    quads: u32,
    candidates: u32,
    x_first: u32,
    candidate_first: u32,
    closest_first: u32,
    closest_stride: u32,
    weight_first: u32,
    out_first: u32,
    out_quads: u32,
    sum_first: u32,
}

/// Rows whose distances are added together, as in the shader.
pub const BLOCK: usize = 4096;

/// What each of t candidates would bring, were it the next centre.
#[derive(Debug)]
pub struct Closer {
    /// n×t: the squared distance of each row to its nearest centre.
    pub distances: DeviceMatrix,
    /// ⌈n / 4096⌉×t: its sum over each block of [`BLOCK`] rows, each times the row's weight.
    pub sums: DeviceMatrix,
}

/// For each row of X (n×d) and each of t candidates (t×d): the squared distance to the nearest centre if the candidate
/// became one. `closest` is a column of an earlier result, the distances to the centres there are; none before the
/// first. Costs 3·n·t·d operations.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0], [4.0], [9.0]])?.to(&Device::Cpu)?;
/// let first = ops::closer(&mut stream, &x, &Matrix::from_rows(&[[0.0]])?.to(&Device::Cpu)?, None, None)?;
/// let second = Matrix::from_rows(&[[9.0], [4.0]])?.to(&Device::Cpu)?;
/// let both = ops::closer(&mut stream, &x, &second, Some((&first.distances, 0)), None)?;
/// assert_eq!(both.sums.to_matrix(&mut stream)?.as_slice(), [16.0, 25.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn closer(
    stream: &mut Stream,
    x: &DeviceMatrix,
    candidates: &DeviceMatrix,
    closest: Option<(&DeviceMatrix, usize)>,
    weights: Option<&DeviceVec<f32>>,
) -> Result<Closer> {
    let op = "closer";
    super::check(stream, op, x, candidates)?;
    if let Some((closest, column)) = closest {
        closest.on(stream, op)?;
        if closest.rows() != x.rows() || column >= closest.columns() {
            let expected = format!("distances of {} rows, and one of their columns", x.rows());
            let got = format!("{}×{}, column {column}", closest.rows(), closest.columns());
            return Err(Error::Shape { op, expected, got });
        }
    }
    if let Some(weights) = weights {
        weights.on(stream, op)?;
        weights.refuse_missing()?;
        if weights.len() != x.rows() {
            let (expected, got) = (format!("{} weights", x.rows()), weights.len().to_string());
            return Err(Error::Shape { op, expected, got });
        }
    }
    let (n, t) = (x.rows(), candidates.rows());
    let mut distances = DeviceMatrix::output(stream.device(), n, t)?;
    let mut sums = DeviceMatrix::output(stream.device(), n.div_ceil(BLOCK), t)?;
    let Some(recording) = stream.gpu() else {
        let known = closest.map(|(closest, column)| Ok((closest.values()?, closest.columns(), column))).transpose()?;
        let weights = weights.map(DeviceVec::values).transpose()?;
        let results = (distances.values_mut()?, sums.values_mut()?);
        crate::cpu::cluster::closer::closer(
            x.values()?,
            n,
            x.columns(),
            candidates.values()?,
            t,
            known,
            weights,
            results,
        );
        return Ok(Closer { distances, sums });
    };
    let gpu = recording.gpu.clone();
    let words = x.store()?.stride() + distances.store()?.stride() + 2;
    let operations = 3 * (t.next_multiple_of(4) * x.columns()) as u64;
    let per_block = RowStore::block_rows(&gpu, words as u64, operations, BLOCK).next_multiple_of(BLOCK);
    for rows in blocks(n, per_block) {
        block(recording, x, candidates, (closest, weights), (&distances, &sums), rows)?;
    }
    Ok(Closer { distances, sums })
}

fn block(
    recording: &mut Recording,
    x: &DeviceMatrix,
    candidates: &DeviceMatrix,
    (closest, weights): (Option<(&DeviceMatrix, usize)>, Option<&DeviceVec<f32>>),
    (distances, sums): (&DeviceMatrix, &DeviceMatrix),
    rows: Range<usize>,
) -> Result<()> {
    let view = x.store()?.view(recording, rows.clone())?;
    let candidate_view = candidates.store()?.view(recording, 0..candidates.rows())?;
    let known = closest.map(|(closest, _)| closest.store()?.view(recording, rows.clone())).transpose()?;
    let weight_view = weights.map(|weights| weights.store()?.view(recording, rows.clone())).transpose()?;
    let sum_rows = rows.start / BLOCK..rows.end.div_ceil(BLOCK);
    let target = distances.store()?.target(recording, rows.clone(), false)?;
    let sum_target = sums.store()?.target(recording, sum_rows.clone(), false)?;
    let out_quads = distances.store()?.stride() / 4;
    let closest_stride = closest.map_or(Ok(0), |(closest, _)| Ok(closest.store()?.stride()))?;
    let params = Params {
        rows: rows.len() as u32,
        blocks: sum_rows.len() as u32,
        quads: (x.store()?.stride() / 4) as u32,
        candidates: candidates.rows() as u32,
        x_first: view.first_word() / 4,
        candidate_first: candidate_view.first_word() / 4,
        closest_first: known.as_ref().map_or(0, |view| view.first_word())
            + closest.map_or(0, |(_, column)| column as u32),
        closest_stride: closest_stride as u32,
        weight_first: weight_view.as_ref().map_or(0, |view| view.first_word()),
        out_first: target.view.first_word() / 4,
        out_quads: out_quads as u32,
        sum_first: sum_target.view.first_word() / 4,
    };
    // X stands in for what is not read.
    let closest_buffer = known.as_ref().unwrap_or(&view).buffer();
    let weight_buffer = weight_view.as_ref().unwrap_or(&view).buffer();
    let (n, t, d) = (rows.len() as u64, candidates.rows() as u64, x.columns() as u64);
    recording.dispatch(
        &KERNEL,
        Dispatch {
            params: bytemuck::bytes_of(&params),
            buffers: &[
                view.buffer(),
                candidate_view.buffer(),
                closest_buffer,
                weight_buffer,
                target.view.buffer(),
                sum_target.view.buffer(),
            ],
            grid: Grid::linear(sum_rows.len() as u64)?.layers(out_quads as u32)?,
            overrides: &[("KNOWN", u32::from(known.is_some())), ("WEIGHTED", u32::from(weights.is_some()))],
            work: Work { operations: 3 * n * t * d, bytes: 4 * (n * d + 2 * n * t) },
        },
    )?;
    distances.store()?.commit(recording, target)?;
    sums.store()?.commit(recording, sum_target)
}
