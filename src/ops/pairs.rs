//! The host side of `shaders/lib/pairs.wgsl`: one number for each pair (row of A, row of B).

use std::ops::Range;

use super::linalg::gemm::{KERNEL_MERGE, MergeParams};
use crate::array::{DeviceMatrix, RowStore, View, blocks, padded};
use crate::device::{Dispatch, Gpu, Recording};
use crate::error::Result;
use crate::kernel::{Grid, Kernel, Work, params};

/// Values along the depth that are summed at once; a longer depth is summed in layers, added in their order.
pub(crate) const DEPTH_BLOCK: usize = 4096;

params! {
    /// `Params` of every kernel that imports `pairs`. Offsets and strides are in vec4.
    pub(crate) struct Params {
        rows: u32, columns: u32, tiles: u32, column_tiles: u32, a_first: u32, a_vec4s: u32, b_first: u32,
        b_vec4s: u32, out_first: u32, out_vec4s: u32, depth: u32, block_vec4s: u32, layer_vec4s: u32,
        extra_first: u32, alpha: f32, beta: f32,
    }
}

/// Rows of A and of B that a workgroup of the tile core takes.
pub(crate) const TILE: usize = 128;

/// A kernel on the tile core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairKernel<'a> {
    pub(crate) kernel: &'static Kernel,
    pub(crate) overrides: &'static [(&'static str, u32)],
    /// Operations for one step of one pair.
    pub(crate) step_operations: u64,
    /// Whether a long depth may be summed in layers: only where results add up.
    pub(crate) layered: bool,
    /// Bound behind the result: a vector along the depth.
    pub(crate) extra: Option<&'a View>,
}

/// Rows in one buffer; `stride` is in words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) view: &'a View,
    pub(crate) rows: usize,
    pub(crate) stride: usize,
    /// Whether the rows lie as columns: the depth is then down the buffer's rows.
    pub(crate) deep: bool,
}

impl Operand<'_> {
    /// Where a depth begins, in vec4.
    fn first(&self, depth: usize) -> u32 {
        self.view.first_word() / 4 + ((if self.deep { depth * self.stride } else { depth }) / 4) as u32
    }

    /// The view from a row on, which is a multiple of 4.
    fn rows_from(&self, row: usize) -> View {
        self.view.skip(if self.deep { row } else { row * self.stride })
    }
}

/// Where a product goes: rows in one buffer, from column `column` on (a multiple of 4).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output<'a> {
    pub(crate) view: &'a View,
    pub(crate) stride: usize,
    pub(crate) column: usize,
    pub(crate) alpha: f32,
    pub(crate) beta: f32,
}

/// `out = alpha · pairs(a, b) + beta · out`, in blocks of rows of A and of B.
pub(crate) fn all_pairs(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (&DeviceMatrix, &DeviceMatrix),
    out: &DeviceMatrix,
    (alpha, beta): (f32, f32),
) -> Result<()> {
    let (a_rows, b_rows, out_rows) = (a.store()?, b.store()?, out.store()?);
    let depth = a.columns();
    // A tile has 128 rows of A, so this many rows of B make a dispatch at the least.
    let b_by_work =
        recording.gpu.operations_per_dispatch() / (TILE as u64 * pair.step_operations * depth.max(1) as u64);
    let b_by_work = (b_by_work as usize).next_multiple_of(16).max(16);
    let b_block = block_of_columns(&recording.gpu, b_rows.stride(), b.rows()).min(b_by_work);
    let layered = pair.layered && depth > DEPTH_BLOCK;
    let out_words = out_rows.stride() as u64 * if layered { 2 } else { 1 };
    let operations = pair.step_operations * depth as u64 * b_block as u64;
    let a_block = RowStore::block_rows(&recording.gpu, a_rows.stride() as u64 + out_words, operations, TILE);
    for rows in blocks(a.rows(), a_block) {
        let a_view = a_rows.view(recording, rows.clone())?;
        let target = out_rows.target(recording, rows.clone(), beta != 0.0)?;
        for columns in blocks(b.rows(), b_block) {
            let b_view = b_rows.view(recording, columns.clone())?;
            let a = Operand { view: &a_view, rows: rows.len(), stride: a_rows.stride(), deep: false };
            let b = Operand { view: &b_view, rows: columns.len(), stride: b_rows.stride(), deep: false };
            let out = Output { view: &target.view, stride: out_rows.stride(), column: columns.start, alpha, beta };
            product_over(recording, pair, (a, b), 0..depth, out, layered)?;
        }
        out_rows.commit(recording, target)?;
    }
    Ok(())
}

/// Rows of B in a block: a multiple of 16, because they become columns of the result.
pub(crate) fn block_of_columns(gpu: &Gpu, stride: usize, rows: usize) -> usize {
    RowStore::block_rows(gpu, stride as u64, 1, 16).next_multiple_of(16).min(rows.max(1))
}

/// The product over a depth, at once or `layered`: summed in layers of [`DEPTH_BLOCK`], as many at a time as there is room
/// for and as the work of one dispatch allows; a layer that is too much work by itself is cut by rows of A.
pub(crate) fn product_over(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (Operand, Operand),
    depth: Range<usize>,
    out: Output,
    layered: bool,
) -> Result<()> {
    if !layered {
        return product(recording, pair, (a, b), depth, out, (1, 0));
    }
    let row_work = pair.step_operations * b.rows as u64 * DEPTH_BLOCK as u64;
    let at_once = (recording.gpu.operations_per_dispatch() / row_work.max(1)) as usize;
    for rows in blocks(a.rows, at_once.next_multiple_of(TILE).max(TILE)) {
        let a_view = a.rows_from(rows.start);
        let out_view = out.view.skip(rows.start * out.stride);
        let part = Operand { view: &a_view, rows: rows.len(), ..a };
        layers_of_rows(recording, pair, (part, b), depth.clone(), Output { view: &out_view, ..out })?;
    }
    Ok(())
}

fn layers_of_rows(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (Operand, Operand),
    depth: Range<usize>,
    out: Output,
) -> Result<()> {
    let row_vec4s = padded(b.rows) / 4;
    let layer_vec4s = a.rows * row_vec4s;
    let by_room = recording.gpu.scratch_bytes() / (16 * layer_vec4s as u64);
    let layer_work = pair.step_operations * (a.rows * b.rows * DEPTH_BLOCK) as u64;
    let by_work = recording.gpu.operations_per_dispatch() / layer_work.max(1);
    let layers_at_once = by_room.min(by_work).clamp(1, 64) as usize;
    let mut beta = out.beta;
    for batch in blocks(depth.len(), layers_at_once * DEPTH_BLOCK) {
        let layers = batch.len().div_ceil(DEPTH_BLOCK);
        let buffer = recording.scratch(16 * (layers * layer_vec4s) as u64, "layers of a product")?;
        let partial = View::whole(buffer);
        let into = Output { view: &partial, stride: 4 * row_vec4s, column: 0, alpha: 1.0, beta: 0.0 };
        let range = depth.start + batch.start..depth.start + batch.end;
        product(recording, pair, (a, b), range, into, (layers, layer_vec4s))?;
        merge(recording, &partial, (a.rows, row_vec4s), (layers, layer_vec4s), Output { beta, ..out })?;
        beta = 1.0;
    }
    Ok(())
}

/// One dispatch: `layers` blocks of the depth, each to its own copy of the result.
pub(crate) fn product(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (Operand, Operand),
    depth: Range<usize>,
    out: Output,
    (layers, layer_vec4s): (usize, usize),
) -> Result<()> {
    let column_tiles = b.rows.div_ceil(TILE) as u64;
    let tiles = a.rows.div_ceil(TILE) as u64 * column_tiles;
    let vec4s = |words: usize| (words / 4) as u32;
    let params = Params {
        rows: a.rows as u32,
        columns: b.rows as u32,
        tiles: tiles as u32,
        column_tiles: column_tiles as u32,
        a_first: a.first(depth.start),
        a_vec4s: vec4s(a.stride),
        b_first: b.first(depth.start),
        b_vec4s: vec4s(b.stride),
        out_first: out.view.first_word() / 4 + vec4s(out.column),
        out_vec4s: vec4s(out.stride),
        depth: depth.len() as u32,
        block_vec4s: if layers > 1 { DEPTH_BLOCK / 4 } else { depth.len().div_ceil(4) } as u32,
        layer_vec4s: layer_vec4s as u32,
        extra_first: pair.extra.map_or(0, |extra| extra.first_word() + depth.start as u32),
        alpha: out.alpha,
        beta: out.beta,
    };
    let mut buffers = vec![a.view.buffer(), b.view.buffer(), out.view.buffer()];
    buffers.extend(pair.extra.map(View::buffer));
    let (m, n, k) = (a.rows as u64, b.rows as u64, depth.len() as u64);
    let grid = Grid::linear(tiles)?.layers(layers as u32)?;
    let work = Work { operations: pair.step_operations * m * n * k, bytes: 4 * (m * k + n * k + m * n) };
    recording.dispatch(pair.kernel, Dispatch::new(&params, &buffers, grid, work).overrides(pair.overrides))
}

fn merge(
    recording: &mut Recording,
    partial: &View,
    (rows, row_vec4s): (usize, usize),
    (layers, layer_vec4s): (usize, usize),
    out: Output,
) -> Result<()> {
    let vec4s = (rows * row_vec4s) as u64;
    let params = MergeParams {
        vec4s: vec4s as u32,
        row_vec4s: row_vec4s as u32,
        out_first: out.view.first_word() / 4 + (out.column / 4) as u32,
        out_vec4s: (out.stride / 4) as u32,
        layers: layers as u32,
        layer_vec4s: layer_vec4s as u32,
        alpha: out.alpha,
        beta: out.beta,
    };
    let grid = Grid::covering(vec4s, 256)?;
    let work = Work { operations: 8 * vec4s * layers as u64, bytes: 16 * vec4s * (layers as u64 + 1) };
    recording.dispatch(&KERNEL_MERGE, Dispatch::new(&params, &[partial.buffer(), out.view.buffer()], grid, work))
}
