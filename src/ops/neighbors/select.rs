//! The k nearest where k is too large for lists: distances of a block of queries, then the k least of each row, sorted.

use std::mem::offset_of;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::k_nearest::Search;
use crate::array::{DeviceMatrix, View, blocks, padded};
use crate::device::{Dispatch, Gpu, Recording};
use crate::distance::Metric;
use crate::error::Result;
use crate::kernel::{Access, Field, Grid, Kernel, Needs, Work};
use crate::ops::distance::{chebyshev, cosine, manhattan, sq_euclidean};
use crate::ops::pairs::{self, Operand, Output, Variants, block_of_columns, product};

/// Minkowski distances before their root.
pub const POWERS: Kernel = Kernel {
    name: "neighbors/k_nearest__powers",
    source: include_str!("../../../shaders/neighbors/k_nearest__powers.wgsl"),
    buffers: pairs::BUFFERS,
    params: pairs::FIELDS,
    params_size: pairs::PARAMS_SIZE,
    needs: Needs::Baseline,
};

/// The k least of kept entries and of a block of distances.
pub const SELECT: Kernel = Kernel {
    name: "neighbors/k_nearest__select",
    source: include_str!("../../../shaders/neighbors/k_nearest__select.wgsl"),
    buffers: &[Access::Read, Access::Read, Access::Write],
    params: &[
        Field { name: "rows", offset: offset_of!(SelectParams, rows) },
        Field { name: "columns", offset: offset_of!(SelectParams, columns) },
        Field { name: "x_vec4s", offset: offset_of!(SelectParams, x_vec4s) },
        Field { name: "kept", offset: offset_of!(SelectParams, kept) },
        Field { name: "wanted", offset: offset_of!(SelectParams, wanted) },
        Field { name: "entries_stride", offset: offset_of!(SelectParams, entries_stride) },
        Field { name: "first_index", offset: offset_of!(SelectParams, first_index) },
    ],
    params_size: size_of::<SelectParams>(),
    needs: Needs::Baseline,
};

/// Sorts the selected entries and writes them out.
pub const SORT: Kernel = Kernel {
    name: "neighbors/k_nearest__sort",
    source: include_str!("../../../shaders/neighbors/k_nearest__sort.wgsl"),
    buffers: &[Access::Write, Access::Write, Access::Write],
    params: &[
        Field { name: "rows", offset: offset_of!(SortParams, rows) },
        Field { name: "entries_stride", offset: offset_of!(SortParams, entries_stride) },
        Field { name: "neighbors", offset: offset_of!(SortParams, neighbors) },
        Field { name: "half_power", offset: offset_of!(SortParams, half_power) },
        Field { name: "index_first", offset: offset_of!(SortParams, index_first) },
        Field { name: "distance_first", offset: offset_of!(SortParams, distance_first) },
        Field { name: "distance_stride", offset: offset_of!(SortParams, distance_stride) },
        Field { name: "order", offset: offset_of!(SortParams, order) },
    ],
    params_size: size_of::<SortParams>(),
    needs: Needs::Baseline,
};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SelectParams {
    rows: u32,
    columns: u32,
    x_vec4s: u32,
    kept: u32,
    wanted: u32,
    entries_stride: u32,
    first_index: u32,
    pad: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct SortParams {
    rows: u32,
    entries_stride: u32,
    neighbors: u32,
    half_power: u32,
    index_first: u32,
    distance_first: u32,
    distance_stride: u32,
    order: f32,
}

const POWER_VARIANTS: Variants =
    Variants { portable: &POWERS, subgroup: None, subgroup_columns: 24, step_operations: 40, layered: false };

/// Queries that make a full tile.
const TILE_ROWS: u64 = 128;

fn variants(metric: Metric) -> &'static Variants {
    match metric {
        Metric::Euclidean => &sq_euclidean::VARIANTS,
        Metric::Manhattan => &manhattan::VARIANTS,
        Metric::Chebyshev => &chebyshev::VARIANTS,
        Metric::Cosine => &cosine::VARIANTS,
        Metric::Minkowski(_) => &POWER_VARIANTS,
    }
}

/// Queries and candidates of a block, whose distances are stored: within the room and the work of a dispatch.
fn block_sizes(
    gpu: &Gpu,
    k: usize,
    (stride, depth, rows): (usize, usize, usize),
    variants: &Variants,
) -> (usize, usize) {
    let words = gpu.scratch_bytes() / 4;
    let column_work = variants.step_operations * depth.max(1) as u64;
    let by_work = gpu.operations_per_dispatch() / (TILE_ROWS * column_work);
    // No fewer candidates than are kept, if there is room: each selection passes over both.
    let columns = (words / TILE_ROWS).max(k as u64).min(by_work).max(16) as usize;
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
    let (per_block, column_block) = block_sizes(&recording.gpu, search.k, sizes, variants(metric));
    let per_block = per_block.min(queries.rows());
    let stride = padded(column_block);
    let values = View::whole(recording.scratch(4 * (per_block * stride) as u64, "a block of distances")?);
    let bytes = 8 * (per_block * search.k) as u64;
    let mut entries = [recording.scratch(bytes, "nearest so far")?, recording.scratch(bytes, "nearest")?];
    for block in blocks(queries.rows(), per_block) {
        let a_view = a_rows.view(recording, block.clone())?;
        let a = Operand { view: &a_view, rows: block.len(), stride: a_rows.stride() };
        let mut kept = 0;
        for columns in blocks(rows.rows(), column_block) {
            let b_view = b_rows.view(recording, columns.clone())?;
            let b = Operand { view: &b_view, rows: columns.len(), stride: b_rows.stride() };
            let out = Output { view: &values, stride, column: 0, alpha: search.measure.order, beta: 0.0 };
            product(recording, variants(metric), (a, b), 0..rows.columns(), out, (1, 0))?;
            let wanted = search.k.min(kept + columns.len());
            let params = SelectParams {
                rows: block.len() as u32,
                columns: columns.len() as u32,
                x_vec4s: (stride / 4) as u32,
                kept: kept as u32,
                wanted: wanted as u32,
                entries_stride: search.k as u32,
                first_index: columns.start as u32,
                pad: 0,
            };
            let count = (block.len() * (kept + columns.len())) as u64;
            recording.dispatch(
                &SELECT,
                Dispatch {
                    params: bytemuck::bytes_of(&params),
                    buffers: &[values.buffer(), &entries[0], &entries[1]],
                    grid: Grid::linear(block.len() as u64)?,
                    overrides: &[],
                    work: Work { operations: 24 * count, bytes: 24 * count },
                },
            )?;
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
    recording.dispatch(
        &SORT,
        Dispatch {
            params: bytemuck::bytes_of(&params),
            buffers: &[entries.buffer(), index_target.view.buffer(), distance_target.view.buffer()],
            grid: Grid::linear(block.len() as u64)?,
            overrides: &[("METRIC", search.measure.code)],
            work: Work { operations: 2 * stages * count, bytes: 16 * count },
        },
    )?;
    indices.commit(recording, index_target)?;
    distances.commit(recording, distance_target)
}
