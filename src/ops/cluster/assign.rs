//! The nearest centre of each row.

use std::ops::Range;

use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, UNIFORM_BYTES, Work, kernels, params};
use crate::ops::pairs::TILE;

kernels! {
    /// By tiles, for any number of centres.
    pub KERNEL = "cluster/assign", [Read, Read, Write, Write, Write], Params;
    /// For short rows and centres that fit a uniform buffer.
    pub KERNEL_UNIFORM = "cluster/assign__uniform", [Read, Uniform, Write, Write, Write], Params;
}

params! {
    struct Params {
        rows: u32, centers: u32, row_tiles: u32, center_tiles: u32, x_first: u32, center_first: u32, vec4s: u32,
        label_first: u32, distance_first: u32, changed_at: u32,
    }
}

/// The longest rows, in vec4, of which a lane keeps two in registers; as in `lib/uniform_rows.wgsl`.
const MOST_VEC4S: usize = 16;
/// The most centres: their numbers must be exact in f32.
const MOST_CENTERS: usize = 1 << 24;

/// The nearest centre of each row of X (n×d) among `centers` (k×d), and the squared distance to it, by the direct form:
/// n labels and n distances, 3·n·k·d operations. Ties go to the lowest centre. The n×k distances are never stored.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[0.0], [4.0], [9.0]])?.to(&Device::Cpu)?;
/// let centers = Matrix::from_rows(&[[1.0], [8.0]])?.to(&Device::Cpu)?;
/// let (labels, distances) = ops::assign(&mut stream, &x, &centers)?;
/// assert_eq!(labels.to_vec(&mut stream)?, [0, 0, 1]);
/// assert_eq!(distances.to_vec(&mut stream)?, [1.0, 9.0, 1.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn assign(
    stream: &mut Stream,
    x: &DeviceMatrix,
    centers: &DeviceMatrix,
) -> Result<(DeviceVec<u32>, DeviceVec<f32>)> {
    super::check(stream, "assign", x, centers)?;
    if centers.rows() >= MOST_CENTERS {
        let (need, have) = (centers.rows() as u64, MOST_CENTERS as u64 - 1);
        return Err(Error::Limit { what: "centres".to_string(), need, have });
    }
    if stream.gpu().is_none() {
        let (mut labels, mut distances) = (vec![0; x.rows()], vec![0.0; x.rows()]);
        let (n, k, d) = (x.rows(), centers.rows(), x.columns());
        crate::cpu::cluster::assign::assign(x.values()?, n, centers.values()?, k, d, &mut labels, &mut distances);
        return Ok((DeviceVec::from_host(labels), DeviceVec::from_host(distances)));
    }
    let labels = DeviceVec::<u32>::output(stream, x.rows())?;
    let distances = DeviceVec::<f32>::output(stream, x.rows())?;
    let history = DeviceVec::from_slice(&[0_u32; 4], stream.device())?;
    if let Some(recording) = stream.gpu() {
        record(recording, x, centers, (&labels, &distances), (&history, 0))?;
    }
    Ok((labels, distances))
}

/// Records the assignment; word `changed_at` of the history grows by the number of labels that differ from before.
pub(crate) fn record(
    recording: &mut Recording,
    x: &DeviceMatrix,
    centers: &DeviceMatrix,
    results: (&DeviceVec<u32>, &DeviceVec<f32>),
    history: (&DeviceVec<u32>, usize),
) -> Result<()> {
    let operations = 3 * (centers.rows() * x.columns()) as u64;
    let per_block = RowStore::block_rows(&recording.gpu, x.store()?.stride() as u64 + 2, operations, TILE);
    for rows in blocks(x.rows(), per_block) {
        block(recording, x, centers, results, history, rows)?;
    }
    Ok(())
}

fn block(
    recording: &mut Recording,
    x: &DeviceMatrix,
    centers: &DeviceMatrix,
    (labels, distances): (&DeviceVec<u32>, &DeviceVec<f32>),
    (history, changed_at): (&DeviceVec<u32>, usize),
    rows: Range<usize>,
) -> Result<()> {
    let vec4s = x.store()?.stride() / 4;
    let center_bytes = 16 * (centers.rows() * vec4s) as u64;
    let uniform = center_bytes <= UNIFORM_BYTES && vec4s <= MOST_VEC4S;
    let short = [("VEC4S", vec4s as u32)];
    let (kernel, overrides) = if uniform { (&KERNEL_UNIFORM, &short[..]) } else { (&KERNEL, &[][..]) };
    let view = x.store()?.view(recording, rows.clone())?;
    let mut center_view = centers.store()?.view(recording, 0..centers.rows())?;
    if uniform {
        let operand = recording.scratch(UNIFORM_BYTES, "centres")?;
        let first = 4 * u64::from(center_view.first_word());
        recording.copy((center_view.buffer(), first), (&operand, 0), center_bytes)?;
        center_view = View::whole(operand);
    }
    let label_target = labels.store()?.target(recording, rows.clone(), true)?;
    let distance_target = distances.store()?.target(recording, rows.clone(), false)?;
    let history_target = history.store()?.target(recording, 0..history.len(), true)?;
    let row_tiles = rows.len().div_ceil(TILE);
    let params = Params {
        rows: rows.len() as u32,
        centers: centers.rows() as u32,
        row_tiles: row_tiles as u32,
        center_tiles: centers.rows().div_ceil(TILE) as u32,
        x_first: view.first_word() / 4,
        center_first: center_view.first_word() / 4,
        vec4s: vec4s as u32,
        label_first: label_target.view.first_word(),
        distance_first: distance_target.view.first_word(),
        changed_at: history_target.view.first_word() + changed_at as u32,
    };
    let (n, k, d) = (rows.len() as u64, centers.rows() as u64, x.columns() as u64);
    let grid = Grid::linear(row_tiles as u64)?;
    let work = Work { operations: 3 * n * k * d, bytes: 4 * (n * d + k * d + 3 * n) };
    let buffers = &[
        view.buffer(),
        center_view.buffer(),
        label_target.view.buffer(),
        distance_target.view.buffer(),
        history_target.view.buffer(),
    ];
    recording.dispatch(kernel, Dispatch::new(&params, buffers, grid, work).overrides(overrides))?;
    history.store()?.commit(recording, history_target)?;
    labels.store()?.commit(recording, label_target)?;
    distances.store()?.commit(recording, distance_target)
}
