//! The nearest centre of each row.

use std::ops::Range;
use std::sync::Arc;

use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks};
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::pairs::TILE;

kernels! {
    /// By tiles and the direct form, for any number of centres.
    pub KERNEL = "cluster/assign", [Read, Read, Write, Write, Write, Read], Params;
    /// By tiles and the product form: the centre of each row, or that it is in doubt.
    pub KERNEL_PRODUCT = "cluster/assign__product", [Read, Read, Write], ProductParams;
    /// The centres as the product form takes them.
    pub KERNEL_CENTERS = "cluster/assign__centers", [Read, Write], CenterParams;
}

params! {
    struct Params {
        rows: u32, centers: u32, row_tiles: u32, center_tiles: u32, x_first: u32, center_first: u32, vec4s: u32,
        label_first: u32, distance_first: u32, changed_at: u32,
    }
    struct ProductParams {
        rows: u32, columns: u32, centers: u32, row_tiles: u32, center_tiles: u32, x_first: u32, vec4s: u32,
    }
    struct CenterParams { centers: u32, center_first: u32, vec4s: u32 }
}

/// Tiles of 64 rows and as many centres serve up to so many: a tile of 128 would be half empty. Few centres are bound by the
/// reading of X, which is all that a card does meanwhile: 64 products a number take it less time.
const FEW_CENTERS: usize = 64;
/// Columns from which a product costs less than the comparisons around it.
const PRODUCT_COLUMNS: usize = 16;
/// The most centres: their numbers must be exact in f32.
const MOST_CENTERS: usize = 1 << 24;

/// The nearest centre of each row of X (n×d) among `centers` (k×d), and the squared distance to it, by the direct form:
/// n labels and n distances, 3·n·k·d operations. Ties go to the lowest centre. The n×k distances are never stored.
///
/// On a GPU, in rows of 16 columns and more, by the product form ½|c|² − x·c on centred rows, at 2·n·k·d operations, and again
/// by the direct form in blocks of 64 or 128 rows of which one has a second centre within the error of both: the same labels and bits.
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

/// Rows and centres of a tile.
fn tile_size(centers: usize) -> usize {
    if centers <= FEW_CENTERS { FEW_CENTERS } else { TILE }
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
    let tile = tile_size(centers.rows());
    let view = x.store()?.view(recording, rows.clone())?;
    let center_view = centers.store()?.view(recording, 0..centers.rows())?;
    let found = match x.columns() >= PRODUCT_COLUMNS {
        true => Some(product(recording, (&view, rows.len(), vec4s), (&center_view, centers))?),
        false => None,
    };
    let label_target = labels.store()?.target(recording, rows.clone(), true)?;
    let distance_target = distances.store()?.target(recording, rows.clone(), false)?;
    let history_target = history.store()?.target(recording, 0..history.len(), true)?;
    let row_tiles = rows.len().div_ceil(tile);
    let params = Params {
        rows: rows.len() as u32,
        centers: centers.rows() as u32,
        row_tiles: row_tiles as u32,
        center_tiles: centers.rows().div_ceil(tile) as u32,
        x_first: view.first_word() / 4,
        center_first: center_view.first_word() / 4,
        vec4s: vec4s as u32,
        label_first: label_target.view.first_word(),
        distance_first: distance_target.view.first_word(),
        changed_at: history_target.view.first_word() + changed_at as u32,
    };
    let (n, k, d) = (rows.len() as u64, centers.rows() as u64, x.columns() as u64);
    let grid = Grid::linear(row_tiles as u64)?;
    // What the product form settled needs one distance a row.
    let compared = if found.is_some() { 1 } else { k };
    let work = Work { operations: 3 * n * compared * d, bytes: 4 * (n * d + k * d + 3 * n) };
    let buffers = [
        view.buffer(),
        center_view.buffer(),
        label_target.view.buffer(),
        distance_target.view.buffer(),
        history_target.view.buffer(),
        // X stands in for what is not read.
        found.as_ref().unwrap_or(view.buffer()),
    ];
    let overrides = [("SHORTLIST", u32::from(found.is_some())), ("TILE", tile as u32)];
    recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, grid, work).overrides(&overrides))?;
    history.store()?.commit(recording, history_target)?;
    labels.store()?.commit(recording, label_target)?;
    distances.store()?.commit(recording, distance_target)
}

/// The centres that the product form finds for a block of rows, with which tiles of it are in doubt.
fn product(
    recording: &mut Recording,
    (view, rows, vec4s): (&View, usize, usize),
    (center_view, centers): (&View, &DeviceMatrix),
) -> Result<Arc<Buffer>> {
    let (k, d) = (centers.rows(), centers.columns());
    let tile = tile_size(k);
    let row_tiles = rows.div_ceil(tile);
    let values = 4 * (k + 1) * vec4s + k.next_multiple_of(4);
    let centred = recording.scratch(4 * values as u64, "centred centres")?;
    let found = recording.scratch(4 * (row_tiles * (tile + 1)) as u64, "centres of rows")?;
    let center_first = center_view.first_word() / 4;
    let params = CenterParams { centers: k as u32, center_first, vec4s: vec4s as u32 };
    let work = Work { operations: 40 * (k * d) as u64, bytes: 8 * values as u64 };
    let buffers = &[center_view.buffer(), &centred];
    recording.dispatch(&KERNEL_CENTERS, Dispatch::new(&params, buffers, Grid::linear(k as u64)?, work))?;
    let params = ProductParams {
        rows: rows as u32,
        columns: d as u32,
        centers: k as u32,
        row_tiles: row_tiles as u32,
        center_tiles: k.div_ceil(tile) as u32,
        x_first: view.first_word() / 4,
        vec4s: vec4s as u32,
    };
    let (n, k, d) = (rows as u64, k as u64, d as u64);
    let work = Work { operations: 2 * n * k * d, bytes: 4 * (n * d + k * d + n) };
    let buffers = &[view.buffer(), &centred, &found];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(row_tiles as u64)?, work);
    recording.dispatch(&KERNEL_PRODUCT, dispatch.overrides(&[("TILE", tile as u32)]))?;
    Ok(found)
}
