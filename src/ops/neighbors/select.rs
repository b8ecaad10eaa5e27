//! The k nearest where k is too large for lists: distances of a block of queries, then the k least of each row, sorted.

use std::ops::Range;

use super::k_nearest::Search;
use crate::array::{DeviceMatrix, View, blocks, padded};
use crate::device::{Dispatch, Gpu, Recording};
use crate::distance::Metric;
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::distance::pairwise::{CHEBYSHEV, COSINE, MANHATTAN, POWERS, SQ_EUCLIDEAN, of_order};
use crate::ops::pairs::{Operand, Output, PairKernel, TILE, block_of_columns, product};

kernels! {
    /// The k least of kept entries and of a block of distances.
    pub SELECT = "neighbors/k_nearest__select", [Read, Read, Write], SelectParams;
    /// Sorts the selected entries and writes them out.
    pub SORT = "neighbors/k_nearest__sort", [Write, Write, Write], SortParams;
}

params! {
    struct SelectParams {
        rows: u32, columns: u32, x_vec4s: u32, kept: u32, wanted: u32, entries_stride: u32, first_index: u32,
    }
    struct SortParams {
        rows: u32, entries_stride: u32, neighbors: u32, half_power: u32, index_first: u32, distance_first: u32,
        distance_stride: u32, order: f32,
    }
}

/// The distances that are compared: before their root.
fn compared(metric: Metric) -> &'static PairKernel<'static> {
    match metric {
        Metric::Euclidean => &SQ_EUCLIDEAN,
        Metric::Manhattan => &MANHATTAN,
        Metric::Chebyshev => &CHEBYSHEV,
        Metric::Cosine => &COSINE,
        Metric::Minkowski(_) => &POWERS,
    }
}

/// Queries and candidates of a block, whose distances are stored: within the room and the work of a dispatch.
fn block_sizes(
    gpu: &Gpu,
    k: usize,
    (stride, depth, rows): (usize, usize, usize),
    step_operations: u64,
) -> (usize, usize) {
    let words = gpu.scratch_bytes() / 4;
    let column_work = step_operations * depth.max(1) as u64;
    let by_work = gpu.operations_per_dispatch() / (TILE as u64 * column_work);
    // No fewer candidates than are kept, if there is room: each selection passes over both.
    let columns = (words / TILE as u64).max(k as u64).min(by_work).max(16) as usize;
    let columns = columns.min(block_of_columns(gpu, stride, rows)).min(rows);
    let row_words = padded(columns).max(2 * k).max(stride) as u64;
    let by_work = gpu.operations_per_dispatch() / (columns as u64 * column_work);
    ((words / row_words).min(by_work).max(1) as usize, columns)
}

/// By distances that are stored for a block of queries and candidates, and selected from.
pub(super) fn select(
    recording: &mut Recording,
    search: &Search,
    metric: Metric,
    (queries, rows): (&DeviceMatrix, &DeviceMatrix),
) -> Result<()> {
    let (a_rows, b_rows) = (queries.store()?, rows.store()?);
    let sizes = (b_rows.stride(), rows.columns(), rows.rows());
    let (per_block, column_block) = block_sizes(&recording.gpu, search.k, sizes, compared(metric).step_operations);
    let per_block = per_block.min(queries.rows());
    let stride = padded(column_block);
    let values = View::whole(recording.scratch(4 * (per_block * stride) as u64, "a block of distances")?);
    let bytes = 8 * (per_block * search.k) as u64;
    let mut entries = [recording.scratch(bytes, "nearest so far")?, recording.scratch(bytes, "nearest")?];
    for block in blocks(queries.rows(), per_block) {
        let a_view = a_rows.view(recording, block.clone())?;
        let a = Operand { view: &a_view, rows: block.len(), first: 0, stride: a_rows.stride(), deep: false };
        let mut kept = 0;
        for columns in blocks(rows.rows(), column_block) {
            let b_view = b_rows.view(recording, columns.clone())?;
            let b = Operand { view: &b_view, rows: columns.len(), first: 0, stride: b_rows.stride(), deep: false };
            let out = Output { view: &values, stride, column: 0, alpha: 1.0, beta: 0.0, finish: true };
            let pair = of_order(compared(metric), search.measure.order);
            product(recording, &pair, (a, b), 0..rows.columns(), out)?;
            let wanted = search.k.min(kept + columns.len());
            let params = SelectParams {
                rows: block.len() as u32,
                columns: columns.len() as u32,
                x_vec4s: (stride / 4) as u32,
                kept: kept as u32,
                wanted: wanted as u32,
                entries_stride: search.k as u32,
                first_index: columns.start as u32,
            };
            let count = (block.len() * (kept + columns.len())) as u64;
            let grid = Grid::linear(block.len() as u64)?;
            let work = Work { operations: 24 * count, bytes: 24 * count };
            let buffers = &[values.buffer(), &entries[0], &entries[1]];
            recording.dispatch(&SELECT, Dispatch::new(&params, buffers, grid, work))?;
            entries.swap(0, 1);
            kept = wanted;
        }
        sort(recording, search, &View::whole(entries[0].clone()), block)?;
    }
    Ok(())
}

fn sort(recording: &mut Recording, search: &Search, entries: &View, block: Range<usize>) -> Result<()> {
    let (indices, distances) = (search.indices.store()?, search.distances.store()?);
    let index_target = indices.target(recording, block.start * search.k..block.end * search.k, false)?;
    let distance_target = distances.target(recording, block.clone(), false)?;
    let power = search.k.next_power_of_two();
    let params = SortParams {
        rows: block.len() as u32,
        entries_stride: search.k as u32,
        neighbors: search.k as u32,
        half_power: (power / 2) as u32,
        index_first: index_target.view.first_word(),
        distance_first: distance_target.view.first_word(),
        distance_stride: distances.stride() as u32,
        order: search.measure.order,
    };
    let stages = u64::from(power.ilog2() * (power.ilog2() + 1) / 2);
    let count = (block.len() * search.k) as u64;
    let grid = Grid::linear(block.len() as u64)?;
    let work = Work { operations: 2 * stages * count, bytes: 16 * count };
    let buffers = &[entries.buffer(), index_target.view.buffer(), distance_target.view.buffer()];
    recording
        .dispatch(&SORT, Dispatch::new(&params, buffers, grid, work).overrides(&[("METRIC", search.measure.code)]))?;
    indices.commit(recording, index_target)?;
    distances.commit(recording, distance_target)
}
