//! The k nearest rows of each query.

use std::ops::Range;

use super::by_product::{Products, SPARE};
use super::select::select;
use super::{Measure, checked, unit_operands};
use crate::array::{DeviceMatrix, DeviceVec, RowStore, RowTarget, View, blocks, zeroed};
use crate::cpu::neighbors::SearchRows;
use crate::device::{Dispatch, Gpu, Recording, Stream};
use crate::distance::Metric;
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::pairs::{TILE, block_of_columns};

kernels! {
    /// Queries, candidates, the lists, the queues and their lengths; what the product form takes, or what it left open.
    pub KERNEL = "neighbors/k_nearest", [Read, Read, Write, Write, Write, Read], Params;
    /// Makes one list of those of the layers, and writes it out.
    pub KERNEL_MERGE = "neighbors/k_nearest__merge", [Write, Write, Write, Read], MergeParams;
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
/// depth at once. Euclidean distances of rows that are not short cost 2·n·m·d: |x|² + |y|² − 2·x·y of centred rows finds
/// a few more than k, and the direct form settles those; on a GPU, blocks of 128 queries with one that this does not
/// settle are searched again by the direct form: the same bits. On a GPU a distance whose square or power leaves the range of `f32` is nobody's neighbour; where
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
pub(super) struct Plan {
    /// Queries in a block, and rows of its lists: whole tiles.
    queries: usize,
    pub(super) list_rows: usize,
    /// Candidates in a dispatch.
    columns: usize,
    /// Shares of the candidates, each with its own lists: as many as it takes to occupy the device.
    pub(super) layers: usize,
}

impl Plan {
    /// With lists of `length` entries.
    fn new(gpu: &Gpu, search: &Search, length: usize, (queries, rows): (&DeviceMatrix, &DeviceMatrix)) -> Result<Plan> {
        let measure = &search.measure;
        let list_words = 2 * (length + QUEUE) as u64;
        let by_lists = ((gpu.scratch_bytes() / (4 * list_words)) as usize).max(TILE);
        let column_work = measure.step_operations * rows.columns().max(1) as u64;
        let words = (queries.store()?.stride() + 2 * length) as u64;
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

/// Which of the ways through the candidates a sweep takes.
#[derive(Debug, Clone, Copy)]
enum Sweep<'a> {
    /// All queries, by their metric.
    Direct,
    /// Lists of the least values of the product form.
    Product(&'a Products),
    /// The tiles of queries that the product form left open.
    Open(&'a View),
}

/// Buffers that a block of queries works in.
struct Lists {
    list: View,
    queue: View,
    waiting: View,
}

/// By lists that are kept while the distances are made.
fn lists(recording: &mut Recording, search: &Search, pair: (&DeviceMatrix, &DeviceMatrix)) -> Result<()> {
    let (queries, rows) = pair;
    let suits = Products::suit(search, pair)?;
    let length = if suits { search.k + SPARE } else { search.k };
    let plan = Plan::new(&recording.gpu.clone(), search, length, pair)?;
    let products = if suits { Some(Products::new(recording, rows)?) } else { None };
    let entries = (plan.layers * plan.list_rows) as u64;
    let lists = Lists {
        list: View::whole(recording.scratch(8 * entries * length as u64, "lists of the nearest")?),
        queue: View::whole(recording.scratch(8 * entries * QUEUE as u64, "queues of candidates")?),
        waiting: View::whole(recording.scratch(4 * entries, "lengths of queues")?),
    };
    for block in blocks(queries.rows(), plan.queries) {
        let a = queries.store()?.view(recording, block.clone())?;
        let targets = Targets::new(recording, search, block.clone())?;
        let queries = (&a, block.len());
        match &products {
            None => {
                sweeps(recording, (search, &plan, &lists), Sweep::Direct, queries, rows)?;
                merge(recording, (search, &plan, &lists), Sweep::Direct, &targets)?;
            }
            Some(products) => {
                sweeps(recording, (search, &plan, &lists), Sweep::Product(products), queries, rows)?;
                let open = products.settle(recording, search.k, &plan, &lists.list, queries)?;
                merge(recording, (search, &plan, &lists), Sweep::Product(products), &targets)?;
                sweeps(recording, (search, &plan, &lists), Sweep::Open(&open), queries, rows)?;
                merge(recording, (search, &plan, &lists), Sweep::Open(&open), &targets)?;
            }
        }
        targets.commit(recording, search)?;
    }
    Ok(())
}

/// One dispatch after the other: a block of queries against some candidates.
fn sweeps(
    recording: &mut Recording,
    (search, plan, lists): (&Search, &Plan, &Lists),
    way: Sweep<'_>,
    (a, queries): (&View, usize),
    rows: &DeviceMatrix,
) -> Result<()> {
    let row_tiles = queries.div_ceil(TILE);
    let vec4s = (rows.store()?.stride() / 4) as u32;
    let (extra, neighbors, shortlist, step_operations) = match way {
        // The queries stand in for what is not read.
        Sweep::Direct => (a.buffer(), search.k, 0, search.measure.step_operations),
        Sweep::Product(products) => (&products.centred, search.k + SPARE, 0, 2),
        // Next to nothing is left open, as a rule.
        Sweep::Open(open) => (open.buffer(), search.k, 1, 0),
    };
    let by_product = u32::from(matches!(way, Sweep::Product(_)));
    let overrides = [("METRIC", search.measure.code), ("BY_PRODUCT", by_product), ("SHORTLIST", shortlist)];
    for columns in blocks(rows.rows(), plan.columns) {
        let b = rows.store()?.view(recording, columns.clone())?;
        let params = Params {
            rows: queries as u32,
            columns: columns.len() as u32,
            row_tiles: row_tiles as u32,
            layer_tiles: columns.len().div_ceil(TILE).div_ceil(plan.layers) as u32,
            a_first: a.first_word() / 4,
            a_vec4s: vec4s,
            b_first: b.first_word() / 4,
            b_vec4s: vec4s,
            depth_vec4s: vec4s,
            first_index: columns.start as u32,
            list_rows: plan.list_rows as u32,
            neighbors: neighbors as u32,
            fresh: u32::from(columns.start == 0),
            order: search.measure.order,
        };
        let (n, m, d) = (queries as u64, columns.len() as u64, rows.columns() as u64);
        let Lists { list, queue, waiting } = lists;
        let buffers = [a.buffer(), b.buffer(), list.buffer(), queue.buffer(), waiting.buffer(), extra];
        let grid = Grid::linear(row_tiles as u64)?.layers(plan.layers as u32)?;
        let work = Work { operations: step_operations * n * m * d, bytes: 4 * (n + m) * d };
        recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, grid, work).overrides(&overrides))?;
    }
    Ok(())
}

/// Where the results of a block of queries go.
struct Targets {
    queries: usize,
    indices: RowTarget,
    distances: RowTarget,
}

impl Targets {
    fn new(recording: &mut Recording, search: &Search, block: Range<usize>) -> Result<Targets> {
        let places = block.start * search.k..block.end * search.k;
        Ok(Targets {
            queries: block.len(),
            indices: search.indices.store()?.target(recording, places, false)?,
            distances: search.distances.store()?.target(recording, block, false)?,
        })
    }

    fn commit(self, recording: &mut Recording, search: &Search) -> Result<()> {
        search.indices.store()?.commit(recording, self.indices)?;
        search.distances.store()?.commit(recording, self.distances)
    }
}

/// Writes out the lists; those of the product form are settled and merged already.
fn merge(
    recording: &mut Recording,
    (search, plan, lists): (&Search, &Plan, &Lists),
    way: Sweep<'_>,
    targets: &Targets,
) -> Result<()> {
    let (layers, flags, shortlist) = match way {
        // Lengths of queues stand in for what is not read.
        Sweep::Direct => (plan.layers, &lists.waiting, 0),
        Sweep::Product(_) => (1, &lists.waiting, 0),
        Sweep::Open(open) => (plan.layers, open, 1),
    };
    let params = MergeParams {
        rows: targets.queries as u32,
        list_rows: plan.list_rows as u32,
        neighbors: search.k as u32,
        layers: layers as u32,
        index_first: targets.indices.view.first_word(),
        distance_first: targets.distances.view.first_word(),
        distance_stride: search.distances.store()?.stride() as u32,
        order: search.measure.order,
    };
    let entries = (targets.queries * search.k * layers) as u64;
    let grid = Grid::covering(targets.queries as u64, 64)?;
    let work = Work { operations: 8 * entries, bytes: 16 * entries };
    let (indices, distances) = (targets.indices.view.buffer(), targets.distances.view.buffer());
    let buffers = &[lists.list.buffer(), indices, distances, flags.buffer()];
    let overrides = [("METRIC", search.measure.code), ("SHORTLIST", shortlist)];
    recording.dispatch(&KERNEL_MERGE, Dispatch::new(&params, buffers, grid, work).overrides(&overrides))
}
