//! All rows within a radius of each query.

use std::ops::Range;

use super::radius::{limit, root};
use super::{Measure, checked, unit_operands};
use crate::array::{DeviceMatrix, RowStore, View, blocks};
use crate::cpu::neighbors::SearchRows;
pub use crate::cpu::neighbors::radius_neighbors::Neighborhoods;
use crate::device::{Dispatch, Gpu, Recording, Stream};
use crate::distance::Metric;
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::pairs::{TILE, block_of_columns};

kernels! {
    /// Sets the bits.
    pub KERNEL = "neighbors/radius_neighbors", [Read, Read, Write], Params;
    /// From bits to pairs.
    pub KERNEL_LIST = "neighbors/radius_neighbors__list", [Read, Read, Write], ListParams;
    /// The distances of the pairs, before their root.
    pub KERNEL_VALUES = "neighbors/radius_neighbors__values", [Read, Read, Write], ValueParams;
}

params! {
    struct Params {
        rows: u32, columns: u32, tiles: u32, column_tiles: u32, a_first: u32, a_vec4s: u32, b_first: u32,
        b_vec4s: u32, depth_vec4s: u32, row_words: u32, limit: f32, order: f32,
    }
    struct ListParams { items: u32, first_row: u32, bits_first: u32, row_words: u32 }
    struct ValueParams {
        pairs: u32, a_first: u32, a_vec4s: u32, b_first: u32, b_vec4s: u32, depth_vec4s: u32, limit: f32, order: f32,
    }
}

/// The rows (m×d) whose distance from a query (n×d) is at most `radius`, for each query in the order of indices.
///
/// Exact, with the errors of the distance ops; 3·n·m·d operations, and room for a bit for each pair of a block. The
/// radius must be at least 0, and its square (or its power, for a Minkowski distance) within the range of `f32`. The
/// result lies on the host, because its size is not known before: a GPU is waited for.
///
/// ```
/// use gristmill::{Device, Matrix, Metric, ops};
/// let mut stream = Device::Cpu.stream();
/// let rows = Matrix::from_rows(&[[0.0, 0.0], [3.0, 4.0], [1.0, 0.0]])?.to(&Device::Cpu)?;
/// let near = ops::radius_neighbors(&mut stream, &rows, &rows, 1.0, Metric::Euclidean)?;
/// assert_eq!(near.offsets, [0, 2, 3, 5]);
/// assert_eq!(near.indices, [0, 2, 1, 0, 2]);
/// assert_eq!(near.distances, [0.0, 1.0, 0.0, 1.0, 0.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn radius_neighbors(
    stream: &mut Stream,
    queries: &DeviceMatrix,
    rows: &DeviceMatrix,
    radius: f32,
    metric: Metric,
) -> Result<Neighborhoods> {
    let metric = checked(stream, "radius_neighbors", (queries, rows), metric)?;
    let limit = limit(metric, radius)?;
    if queries.rows() == 0 || rows.rows() == 0 {
        return Ok(Neighborhoods { offsets: vec![0; queries.rows() + 1], ..Neighborhoods::default() });
    }
    if stream.gpu().is_none() {
        let (n, m, d) = (queries.rows(), rows.rows(), rows.columns());
        let (x, y) = (queries.values()?, rows.values()?);
        return Ok(crate::cpu::neighbors::radius_neighbors::radius_neighbors(
            metric,
            SearchRows::new(x, n, y, m, d),
            radius,
        ));
    }
    let unit = unit_operands(stream, metric, (queries, rows))?;
    let operands = unit.as_ref().map_or((queries, rows), |(queries, rows)| (queries, rows));
    let mut found = Neighborhoods { offsets: vec![0], ..Neighborhoods::default() };
    if let Some(recording) = stream.gpu() {
        let plan = Plan::new(&recording.gpu.clone(), Measure::of(metric), limit, operands)?;
        for block in blocks(queries.rows(), plan.queries) {
            let mut parts = vec![];
            for columns in blocks(rows.rows(), plan.columns) {
                parts.push(part(recording, &plan, operands, block.clone(), columns)?);
            }
            append(&mut found, &parts, block.len());
        }
    }
    found.distances.iter_mut().for_each(|value| *value = root(metric, *value));
    Ok(found)
}

/// How the queries and candidates are cut, and what they are compared with.
struct Plan {
    measure: Measure,
    limit: f32,
    queries: usize,
    columns: usize,
    /// Pairs that are listed at a time; a row of a block never has more.
    pairs: usize,
}

impl Plan {
    fn new(gpu: &Gpu, measure: Measure, limit: f32, (queries, rows): (&DeviceMatrix, &DeviceMatrix)) -> Result<Plan> {
        let pair_work = measure.step_operations * rows.columns().max(1) as u64;
        let pairs = (gpu.scratch_bytes() / 8).min(gpu.operations_per_dispatch() / pair_work).max(16) as usize;
        let by_work = gpu.operations_per_dispatch() / (TILE as u64 * pair_work);
        let by_room = block_of_columns(gpu, rows.store()?.stride(), rows.rows());
        let columns = (by_work as usize).max(TILE).min(by_room).min(pairs).max(1);
        let words = (columns.div_ceil(32) + 1).max(queries.store()?.stride()) as u64;
        let queries = RowStore::block_rows(gpu, words, columns as u64 * pair_work, TILE);
        Ok(Plan { measure, limit, queries, columns, pairs })
    }
}

/// What was found in a block of queries and candidates: how many for each query, and each one's value and index.
struct Part {
    counts: Vec<u32>,
    found: Vec<[u32; 2]>,
    first_index: u32,
}

fn part(
    recording: &mut Recording,
    plan: &Plan,
    (queries, rows): (&DeviceMatrix, &DeviceMatrix),
    block: Range<usize>,
    columns: Range<usize>,
) -> Result<Part> {
    let stride = queries.store()?.stride();
    let a = queries.store()?.view(recording, block.clone())?;
    let b = rows.store()?.view(recording, columns.clone())?;
    let row_words = columns.len().div_ceil(32);
    let bits = set_bits(recording, plan, (&a, block.len()), (&b, columns.len()), (stride, row_words))?;
    let mut part = Part { counts: Vec::with_capacity(block.len()), found: vec![], first_index: columns.start as u32 };
    recording.read(bits.buffer(), 0, block.len() as u64, &mut |words| part.counts.extend_from_slice(words))?;
    let mut first = 0;
    while first < block.len() {
        let (mut end, mut total) = (first, 0);
        let mut places = vec![];
        while end < block.len() && total + part.counts[end] as usize <= plan.pairs {
            places.push(total as u32);
            total += part.counts[end] as usize;
            end += 1;
        }
        if total > 0 {
            let pairs = list(recording, &bits, (first, &places, total), (block.len(), row_words))?;
            values(recording, plan, [&a, &b, &pairs], total, stride)?;
            recording.read(pairs.buffer(), 0, 2 * total as u64, &mut |words| {
                part.found.extend_from_slice(bytemuck::cast_slice(words));
            })?;
        }
        first = end;
    }
    Ok(part)
}

/// Counts and bits of a block, cleared and set.
fn set_bits(
    recording: &mut Recording,
    plan: &Plan,
    (a, n): (&View, usize),
    (b, m): (&View, usize),
    (stride, row_words): (usize, usize),
) -> Result<View> {
    let words = (n * (row_words + 1)).next_multiple_of(4) as u64;
    let bits = View::whole(recording.scratch(4 * words, "bits of what is within a radius")?);
    recording.clear(bits.buffer(), u64::from(bits.first_word()), words)?;
    let column_tiles = m.div_ceil(TILE);
    let tiles = (n.div_ceil(TILE) * column_tiles) as u64;
    let vec4s = (stride / 4) as u32;
    let params = Params {
        rows: n as u32,
        columns: m as u32,
        tiles: tiles as u32,
        column_tiles: column_tiles as u32,
        a_first: a.first_word() / 4,
        a_vec4s: vec4s,
        b_first: b.first_word() / 4,
        b_vec4s: vec4s,
        depth_vec4s: vec4s,
        row_words: row_words as u32,
        limit: plan.limit,
        order: plan.measure.order,
    };
    let pairs = (n * m * stride) as u64;
    let grid = Grid::linear(tiles)?;
    let work = Work { operations: plan.measure.step_operations * pairs, bytes: 4 * ((n + m) * stride) as u64 };
    let buffers = &[a.buffer(), b.buffer(), bits.buffer()];
    recording
        .dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("METRIC", plan.measure.code)]))?;
    Ok(bits)
}

/// The pairs of the rows from `first` on, which begin at `places`.
fn list(
    recording: &mut Recording,
    bits: &View,
    (first, places, total): (usize, &[u32], usize),
    (rows, row_words): (usize, usize),
) -> Result<View> {
    let begins = recording.scratch(4 * places.len() as u64, "where rows begin")?;
    recording.upload(&begins, 0, places.len() as u64, &|at, part| {
        part.copy_from_slice(&places[at as usize..at as usize + part.len()]);
    })?;
    let pairs = recording.scratch(8 * total as u64, "pairs within a radius")?;
    let params = ListParams {
        items: places.len() as u32,
        first_row: first as u32,
        bits_first: rows as u32,
        row_words: row_words as u32,
    };
    let words = (places.len() * row_words) as u64;
    let grid = Grid::covering(places.len() as u64, 64)?;
    let work = Work { operations: words + 4 * total as u64, bytes: 4 * words + 8 * total as u64 };
    recording.dispatch(&KERNEL_LIST, Dispatch::new(&params, &[bits.buffer(), &begins, &pairs], grid, work))?;
    Ok(View::whole(pairs))
}

/// Puts the values of the pairs where their queries stood.
fn values(
    recording: &mut Recording,
    plan: &Plan,
    [a, b, pairs]: [&View; 3],
    total: usize,
    stride: usize,
) -> Result<()> {
    let vec4s = (stride / 4) as u32;
    let params = ValueParams {
        pairs: total as u32,
        a_first: a.first_word() / 4,
        a_vec4s: vec4s,
        b_first: b.first_word() / 4,
        b_vec4s: vec4s,
        depth_vec4s: vec4s,
        limit: plan.limit,
        order: plan.measure.order,
    };
    let steps = (total * stride) as u64;
    let grid = Grid::covering(total as u64, 64)?;
    let work = Work { operations: plan.measure.step_operations * steps, bytes: 8 * steps };
    let buffers = &[a.buffer(), b.buffer(), pairs.buffer()];
    recording.dispatch(
        &KERNEL_VALUES,
        Dispatch::new(&params, buffers, grid, work).overrides(&[("METRIC", plan.measure.code)]),
    )
}

/// Appends the rows of a block, each with what its parts found.
fn append(found: &mut Neighborhoods, parts: &[Part], rows: usize) {
    let mut at = vec![0; parts.len()];
    for row in 0..rows {
        for (part, at) in parts.iter().zip(&mut at) {
            let end = *at + part.counts[row] as usize;
            for [value, column] in &part.found[*at..end] {
                found.indices.push(part.first_index + column);
                found.distances.push(f32::from_bits(*value));
            }
            *at = end;
        }
        found.offsets.push(found.indices.len());
    }
}
