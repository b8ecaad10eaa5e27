//! The k nearest rows of each query.

use std::ops::Range;

use super::select::select;
use super::{Measure, checked, unit_operands};
use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks, zeroed};
use crate::cpu::neighbors::SearchRows;
use crate::device::{Dispatch, Gpu, Recording, Stream};
use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::pairs::{TILE, block_of_columns};

kernels! {
    /// Queries, candidates, the lists, the queues and their lengths.
    pub KERNEL = "neighbors/k_nearest", [Read, Read, Write, Write, Write], Params;
    /// Makes one list of those of the layers, and writes it out.
    pub KERNEL_MERGE = "neighbors/k_nearest__merge", [Write, Write, Write], MergeParams;
}

params! {
    struct Params {
        rows: u32, columns: u32, row_tiles: u32, layer_tiles: u32, a_first: u32, a_vec4s: u32, b_first: u32,
        b_vec4s: u32, depth_vec4s: u32, first_index: u32, list_rows: u32, neighbors: u32, fresh: u32, order: f32,
    }
    struct MergeParams {
        rows: u32, list_rows: u32, neighbors: u32, layers: u32, index_first: u32, distance_first: u32,
        distance_stride: u32, order: f32,
    }
}

/// Up to here lists are kept while distances are made; above, distances are stored block by block and selected from.
const LONGEST_LIST: usize = 32;
/// Candidates that a row's queue holds, as in the shader: all of a tile.
const QUEUE: usize = TILE;
/// Workgroups that occupy a card.
const GROUPS: usize = 256;
/// Candidates that a dispatch should take at least, so that most are refused by a list that is already good.
const SWEEP: u64 = 1024;

/// The k nearest rows (m×d) of each query (n×d): n·k indices, row by row, and their n×k distances, in ascending order;
/// rows at the same distance in the order of their indices. Distances are compared before their root is taken.
///
/// Exact, with the errors of the distance ops; 3·n·m·d operations, and no room for n×m values. Sums run over the whole
/// depth at once. On a GPU a distance whose square or power leaves the range of `f32` is nobody's neighbour; where
/// fewer than k are left, the read-back is [`Error::NotFinite`].
///
/// ```
/// use gristmill::{Device, Matrix, Metric, ops};
/// let mut stream = Device::Cpu.stream();
/// let rows = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])?.to(&Device::Cpu)?;
/// let query = Matrix::from_rows(&[[0.0, 0.0]])?.to(&Device::Cpu)?;
/// let (indices, distances) = ops::k_nearest(&mut stream, &query, &rows, 2, Metric::Euclidean)?;
/// assert_eq!(indices.to_vec(&mut stream)?, [0, 2]);
/// assert_eq!(distances.to_matrix(&mut stream)?.as_slice(), [0.0, 1.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn k_nearest(
    stream: &mut Stream,
    queries: &DeviceMatrix,
    rows: &DeviceMatrix,
    k: usize,
    metric: Metric,
) -> Result<(DeviceVec<u32>, DeviceMatrix)> {
    let metric = checked(stream, "k_nearest", (queries, rows), metric)?;
    if k == 0 || k > rows.rows() {
        return Err(Error::param("k", format!("at least 1 and at most the number of rows, {}", rows.rows()), k));
    }
    let (n, m, d) = (queries.rows(), rows.rows(), rows.columns());
    let mut distances = DeviceMatrix::output(stream.device(), n, k)?;
    if stream.gpu().is_none() {
        let mut indices = zeroed(n * k)?;
        let (x, y, out) = (queries.values()?, rows.values()?, distances.values_mut()?);
        crate::cpu::neighbors::k_nearest(metric, SearchRows::new(x, n, y, m, d), k, &mut indices, out);
        return Ok((DeviceVec::from_host(indices), distances));
    }
    let indices = DeviceVec::<u32>::output(stream, n * k)?;
    let unit = unit_operands(stream, metric, (queries, rows))?;
    let operands = unit.as_ref().map_or((queries, rows), |(queries, rows)| (queries, rows));
    match stream.gpu() {
        Some(recording) if n > 0 => {
            let search = Search { measure: Measure::of(metric), k, indices: &indices, distances: &distances };
            if k <= LONGEST_LIST {
                lists(recording, &search, operands)?;
            } else {
                select(recording, &search, metric, operands)?;
            }
        }
        _ => {}
    }
    Ok((indices, distances))
}

/// What is looked for, and where it goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) measure: Measure,
    pub(super) k: usize,
    pub(super) indices: &'a DeviceVec<u32>,
    pub(super) distances: &'a DeviceMatrix,
}

/// How the queries and candidates are cut.
struct Plan {
    /// Queries in a block, and rows of its lists: whole tiles.
    queries: usize,
    list_rows: usize,
    /// Candidates in a dispatch.
    columns: usize,
    /// Shares of the candidates, each with its own lists: as many as it takes to occupy the device.
    layers: usize,
}

impl Plan {
    fn new(gpu: &Gpu, search: &Search, (queries, rows): (&DeviceMatrix, &DeviceMatrix)) -> Result<Plan> {
        let measure = &search.measure;
        let list_words = 2 * (search.k + QUEUE) as u64;
        let by_lists = ((gpu.scratch_bytes() / (4 * list_words)) as usize).max(TILE);
        let column_work = measure.step_operations * rows.columns().max(1) as u64;
        let words = (queries.store()?.stride() + 2 * search.k) as u64;
        let block = RowStore::block_rows(gpu, words, SWEEP * column_work, TILE);
        let queries = queries.rows().min(block.max(TILE)).min(by_lists - by_lists % TILE);
        let list_rows = queries.next_multiple_of(TILE);
        let by_work = gpu.operations_per_dispatch() / (list_rows as u64 * column_work);
        let by_room = block_of_columns(gpu, rows.store()?.stride(), rows.rows());
        let columns = (by_work as usize).min(by_room);
        let columns = (columns - columns % TILE).max(TILE).min(rows.rows());
        let useful = columns.div_ceil(4 * TILE).min(by_lists / list_rows).clamp(1, 64);
        let layers = (GROUPS * TILE / list_rows).clamp(1, useful);
        Ok(Plan { queries, list_rows, columns, layers })
    }
}

/// By lists that are kept while the distances are made.
fn lists(recording: &mut Recording, search: &Search, (queries, rows): (&DeviceMatrix, &DeviceMatrix)) -> Result<()> {
    let plan = Plan::new(&recording.gpu.clone(), search, (queries, rows))?;
    let entries = (plan.layers * plan.list_rows) as u64;
    let list = View::whole(recording.scratch(8 * entries * search.k as u64, "lists of the nearest")?);
    let queue = View::whole(recording.scratch(8 * entries * QUEUE as u64, "queues of candidates")?);
    let waiting = View::whole(recording.scratch(4 * entries, "lengths of queues")?);
    for block in blocks(queries.rows(), plan.queries) {
        let a = queries.store()?.view(recording, block.clone())?;
        for columns in blocks(rows.rows(), plan.columns) {
            let b = rows.store()?.view(recording, columns.clone())?;
            let buffers = [&a, &b, &list, &queue, &waiting];
            let strides = (queries.store()?.stride(), rows.columns());
            sweep(recording, (search, &plan), (block.len(), columns), strides, buffers)?;
        }
        merge(recording, (search, &plan), &list, block)?;
    }
    Ok(())
}

/// One dispatch: a block of queries against some candidates.
fn sweep(
    recording: &mut Recording,
    (search, plan): (&Search, &Plan),
    (queries, columns): (usize, Range<usize>),
    (stride, depth): (usize, usize),
    views: [&View; 5],
) -> Result<()> {
    let [a, b, ..] = views;
    let row_tiles = queries.div_ceil(TILE);
    let column_tiles = columns.len().div_ceil(TILE);
    let params = Params {
        rows: queries as u32,
        columns: columns.len() as u32,
        row_tiles: row_tiles as u32,
        layer_tiles: column_tiles.div_ceil(plan.layers) as u32,
        a_first: a.first_word() / 4,
        a_vec4s: (stride / 4) as u32,
        b_first: b.first_word() / 4,
        b_vec4s: (stride / 4) as u32,
        depth_vec4s: (stride / 4) as u32,
        first_index: columns.start as u32,
        list_rows: plan.list_rows as u32,
        neighbors: search.k as u32,
        fresh: u32::from(columns.start == 0),
        order: search.measure.order,
    };
    let (n, m, d) = (queries as u64, columns.len() as u64, depth as u64);
    let buffers = views.map(View::buffer);
    let grid = Grid::linear(row_tiles as u64)?.layers(plan.layers as u32)?;
    let work = Work { operations: search.measure.step_operations * n * m * d, bytes: 4 * (n + m) * d };
    recording
        .dispatch(&KERNEL, Dispatch::new(&params, &buffers, grid, work).overrides(&[("METRIC", search.measure.code)]))
}

fn merge(recording: &mut Recording, (search, plan): (&Search, &Plan), list: &View, block: Range<usize>) -> Result<()> {
    let (indices, distances) = (search.indices.store()?, search.distances.store()?);
    let index_target = indices.target(recording, block.start * search.k..block.end * search.k, false)?;
    let distance_target = distances.target(recording, block.clone(), false)?;
    let params = MergeParams {
        rows: block.len() as u32,
        list_rows: plan.list_rows as u32,
        neighbors: search.k as u32,
        layers: plan.layers as u32,
        index_first: index_target.view.first_word(),
        distance_first: distance_target.view.first_word(),
        distance_stride: distances.stride() as u32,
        order: search.measure.order,
    };
    let entries = (block.len() * search.k * plan.layers) as u64;
    let grid = Grid::covering(block.len() as u64, 64)?;
    let work = Work { operations: 8 * entries, bytes: 16 * entries };
    let buffers = &[list.buffer(), index_target.view.buffer(), distance_target.view.buffer()];
    recording.dispatch(
        &KERNEL_MERGE,
        Dispatch::new(&params, buffers, grid, work).overrides(&[("METRIC", search.measure.code)]),
    )?;
    indices.commit(recording, index_target)?;
    distances.commit(recording, distance_target)
}
