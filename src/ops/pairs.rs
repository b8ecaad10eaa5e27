//! The host side of `shaders/lib/pairs.wgsl`: one number for each pair (row of A, row of B).

use std::ops::Range;

use super::linalg::gemm::{KERNEL_MERGE, MergeParams};
use crate::array::{DeviceMatrix, RowStore, View, blocks, padded};
use crate::device::{Dispatch, Gpu, Recording};
use crate::error::Result;
use crate::kernel::{Grid, Kernel, Work, params};

/// Values along the depth that are summed at once; the sums of a longer depth are added in their order.
pub(crate) const DEPTH_BLOCK: usize = 512;

params! {
    /// `Params` of every kernel that imports `pairs`. Offsets and strides are in vec4, those of vectors in words.
    pub(crate) struct Params {
        rows: u32, columns: u32, tiles: u32, column_tiles: u32, a_first: u32, a_vec4s: u32, b_first: u32,
        b_vec4s: u32, out_first: u32, out_vec4s: u32, depth: u32, span_vec4s: u32, block_vec4s: u32,
        layer_vec4s: u32, extra_first: u32, row_first: u32, column_first: u32, finish: u32, alpha: f32, beta: f32,
        low: [f32; 4], high: [f32; 4],
    }
}

/// Rows of A and of B that a workgroup of the tile core takes, where the output is large.
pub(crate) const TILE: usize = 128;
/// Workgroups that occupy a card.
const FILL: usize = 64;
/// Copies of a small output at most that wait to be added.
const MOST_LAYERS: usize = 256;

/// A kernel on the tile core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairKernel<'a> {
    pub(crate) kernel: &'static Kernel,
    pub(crate) overrides: &'a [(&'static str, u32)],
    /// Operations for one step of one pair.
    pub(crate) step_operations: u64,
    /// Whether the depth may be summed in blocks: only where results add up, and the rest is left to the merge.
    pub(crate) layered: bool,
    /// What adds the layers of a split depth, and its override constants.
    pub(crate) merge_kernel: &'static Kernel,
    pub(crate) merge: &'a [(&'static str, u32)],
    /// Bound behind the result, in this order, those that there are: a number for each value along the depth, ...
    pub(crate) depth_vector: Option<&'a View>,
    /// ... a number for each row of A, ...
    pub(crate) row_vector: Option<&'a View>,
    /// ... and a number for each row of B.
    pub(crate) column_vector: Option<&'a View>,
    /// Numbers that the shader knows as `low` and `high`.
    pub(crate) scalars: [f32; 8],
    /// Rows and columns of a tile at most: 64 where a long epilogue would spill registers on some GPUs.
    pub(crate) largest_tile: usize,
}

impl PairKernel<'static> {
    /// One without vectors and numbers.
    pub(crate) const fn new(
        kernel: &'static Kernel,
        overrides: &'static [(&'static str, u32)],
        step_operations: u64,
        layered: bool,
    ) -> PairKernel<'static> {
        PairKernel {
            kernel,
            overrides,
            step_operations,
            layered,
            merge_kernel: &KERNEL_MERGE,
            merge: &[],
            depth_vector: None,
            row_vector: None,
            column_vector: None,
            scalars: [0.0; 8],
            largest_tile: TILE,
        }
    }
}

impl PairKernel<'_> {
    /// Four of the numbers, from one on.
    fn four(&self, first: usize) -> [f32; 4] {
        std::array::from_fn(|at| self.scalars[first + at])
    }
}

/// Rows in one buffer; `stride` is in words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) view: &'a View,
    pub(crate) rows: usize,
    /// The place of the first row in a vector along the rows.
    pub(crate) first: usize,
    pub(crate) stride: usize,
    /// Whether the rows lie as columns: the depth is then down the buffer's rows.
    pub(crate) deep: bool,
}

impl Operand<'_> {
    /// Where a depth begins, in vec4.
    fn first_vec4(&self, depth: usize) -> u32 {
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
    /// Whether nothing more will be added, so that the kernel may finish its values.
    pub(crate) finish: bool,
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
    let operations = pair.step_operations * depth as u64 * b_block as u64;
    let a_block = RowStore::block_rows(&recording.gpu, (a_rows.stride() + out_rows.stride()) as u64, operations, TILE);
    for rows in blocks(a.rows(), a_block) {
        let a_view = a_rows.view(recording, rows.clone())?;
        let target = out_rows.target(recording, rows.clone(), beta != 0.0)?;
        for columns in blocks(b.rows(), b_block) {
            let b_view = b_rows.view(recording, columns.clone())?;
            let a =
                Operand { view: &a_view, rows: rows.len(), first: rows.start, stride: a_rows.stride(), deep: false };
            let (first, stride) = (columns.start, b_rows.stride());
            let b = Operand { view: &b_view, rows: columns.len(), first, stride, deep: false };
            let (view, stride, finish) = (&target.view, out_rows.stride(), true);
            product_over(
                recording,
                pair,
                (a, b),
                0..depth,
                Output { view, stride, column: first, alpha, beta, finish },
            )?;
        }
        out_rows.commit(recording, target)?;
    }
    Ok(())
}

/// Rows of B in a block: a multiple of 16, because they become columns of the result.
pub(crate) fn block_of_columns(gpu: &Gpu, stride: usize, rows: usize) -> usize {
    RowStore::block_rows(gpu, stride as u64, 1, 16).next_multiple_of(16).min(rows.max(1))
}

/// How an output is cut among workgroups.
#[derive(Debug, Clone, Copy)]
struct TileCut {
    /// Rows and columns of a tile: 128, 64 or 32.
    tile: usize,
    /// Whether each block of the depth is a layer of its own, because the tiles alone would not occupy a card.
    split: bool,
}

impl TileCut {
    /// The largest tile that gives a card enough to do. The bits depend on neither the tile nor the layers.
    fn new(rows: usize, columns: usize, depth_blocks: usize, largest: usize) -> TileCut {
        let groups = |tile: usize| rows.div_ceil(tile) * columns.div_ceil(tile);
        let tile = match () {
            () if largest >= 128 && groups(128) * depth_blocks >= 2 * FILL => 128,
            () if groups(64) * depth_blocks >= FILL => 64,
            () => 32,
        };
        TileCut { tile, split: depth_blocks > 1 && groups(tile) < FILL }
    }
}

/// The product over a depth, as many blocks of [`DEPTH_BLOCK`] at a time as the work of one dispatch allows, and as there
/// is room for if they are layers; a block that is too much work by itself is cut by rows of A.
pub(crate) fn product_over(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (Operand, Operand),
    depth: Range<usize>,
    out: Output,
) -> Result<()> {
    if !pair.layered || depth.is_empty() {
        return product(recording, pair, (a, b), depth, out);
    }
    let row_work = pair.step_operations * b.rows as u64 * depth.len().min(DEPTH_BLOCK) as u64;
    let at_once = (recording.gpu.operations_per_dispatch() / row_work.max(1)) as usize;
    for rows in blocks(a.rows, at_once.next_multiple_of(TILE).max(TILE)) {
        let a_view = a.rows_from(rows.start);
        let out_view = out.view.skip(rows.start * out.stride);
        let part = Operand { view: &a_view, rows: rows.len(), first: a.first + rows.start, ..a };
        depth_blocks(recording, pair, (part, b), depth.clone(), Output { view: &out_view, ..out })?;
    }
    Ok(())
}

/// The product over a depth for all rows of A, in layers of [`DEPTH_BLOCK`] where the output alone would not occupy a card.
pub(crate) fn depth_blocks(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (Operand, Operand),
    depth: Range<usize>,
    out: Output,
) -> Result<()> {
    let cut = TileCut::new(a.rows, b.rows, depth.len().div_ceil(DEPTH_BLOCK), pair.largest_tile);
    let row_vec4s = padded(b.rows) / 4;
    let layer_vec4s = a.rows * row_vec4s;
    let work = pair.step_operations * (a.rows * b.rows * DEPTH_BLOCK) as u64;
    let by_work = (recording.gpu.operations_per_dispatch() / work.max(1)).max(1);
    let by_room = (recording.gpu.scratch_bytes() / (16 * layer_vec4s as u64)).clamp(1, MOST_LAYERS as u64);
    let at_once = if cut.split { by_work.min(by_room) } else { by_work } as usize;
    let mut beta = out.beta;
    for span in blocks(depth.len(), at_once.saturating_mul(DEPTH_BLOCK)) {
        let finish = out.finish && span.end == depth.len();
        let range = depth.start + span.start..depth.start + span.end;
        let out = Output { beta, finish, ..out };
        if cut.split {
            let layers = span.len().div_ceil(DEPTH_BLOCK);
            let buffer = recording.scratch(16 * (layers * layer_vec4s) as u64, "layers of a product")?;
            let partial = View::whole(buffer);
            let (view, stride) = (&partial, 4 * row_vec4s);
            let into = Output { view, stride, column: 0, alpha: 1.0, beta: 0.0, finish: false };
            let split = (DEPTH_BLOCK, layers, layer_vec4s);
            dispatch(recording, pair, (a, b), range, into, (cut.tile, split))?;
            merge(recording, pair, &partial, (a.rows, b), (layers, layer_vec4s), out)?;
        } else {
            dispatch(recording, pair, (a, b), range, out, (cut.tile, (DEPTH_BLOCK, 1, 0)))?;
        }
        beta = 1.0;
    }
    Ok(())
}

/// One dispatch that sums over the whole depth at once.
pub(crate) fn product(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (Operand, Operand),
    depth: Range<usize>,
    out: Output,
) -> Result<()> {
    let tile = TileCut::new(a.rows, b.rows, 1, pair.largest_tile).tile;
    let block = depth.len().next_multiple_of(4).max(4);
    dispatch(recording, pair, (a, b), depth, out, (tile, (block, 1, 0)))
}

/// One dispatch of tiles: the depth in blocks, added one after the other, or as `layers`, each to its own copy of the
/// result.
fn dispatch(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    (a, b): (Operand, Operand),
    depth: Range<usize>,
    out: Output,
    (tile, (block, layers, layer_vec4s)): (usize, (usize, usize, usize)),
) -> Result<()> {
    let column_tiles = b.rows.div_ceil(tile) as u64;
    let tiles = a.rows.div_ceil(tile) as u64 * column_tiles;
    let vec4s = |words: usize| (words / 4) as u32;
    let place = |vector: Option<&View>, first: usize| vector.map_or(0, |view| view.first_word() + first as u32);
    let params = Params {
        rows: a.rows as u32,
        columns: b.rows as u32,
        tiles: tiles as u32,
        column_tiles: column_tiles as u32,
        a_first: a.first_vec4(depth.start),
        a_vec4s: vec4s(a.stride),
        b_first: b.first_vec4(depth.start),
        b_vec4s: vec4s(b.stride),
        out_first: out.view.first_word() / 4 + vec4s(out.column),
        out_vec4s: vec4s(out.stride),
        depth: depth.len() as u32,
        span_vec4s: vec4s(if layers > 1 { block } else { depth.len().next_multiple_of(4) }),
        block_vec4s: vec4s(block),
        layer_vec4s: layer_vec4s as u32,
        extra_first: place(pair.depth_vector, depth.start),
        row_first: place(pair.row_vector, a.first),
        column_first: place(pair.column_vector, b.first),
        finish: u32::from(out.finish),
        alpha: out.alpha,
        beta: out.beta,
        low: pair.four(0),
        high: pair.four(4),
    };
    let mut buffers = vec![a.view.buffer(), b.view.buffer(), out.view.buffer()];
    buffers.extend([pair.depth_vector, pair.row_vector, pair.column_vector].into_iter().flatten().map(View::buffer));
    // A stands in for a vector that is not read.
    buffers.resize(pair.kernel.buffers.len(), a.view.buffer());
    let mut overrides = pair.overrides.to_vec();
    overrides.push(("TILE", tile as u32));
    let (m, n, k) = (a.rows as u64, b.rows as u64, depth.len() as u64);
    let grid = Grid::linear(tiles)?.layers(layers as u32)?;
    let work = Work { operations: pair.step_operations * m * n * k, bytes: 4 * (m * k + n * k + m * n) };
    recording.dispatch(pair.kernel, Dispatch::new(&params, &buffers, grid, work).overrides(&overrides))
}

fn merge(
    recording: &mut Recording,
    pair: &PairKernel<'_>,
    partial: &View,
    (rows, b): (usize, Operand),
    (layers, layer_vec4s): (usize, usize),
    out: Output,
) -> Result<()> {
    let row_vec4s = padded(b.rows) / 4;
    let vec4s = (rows * row_vec4s) as u64;
    let params = MergeParams {
        columns: b.rows as u32,
        vec4s: vec4s as u32,
        row_vec4s: row_vec4s as u32,
        out_first: out.view.first_word() / 4 + (out.column / 4) as u32,
        out_vec4s: (out.stride / 4) as u32,
        layers: layers as u32,
        layer_vec4s: layer_vec4s as u32,
        column_first: pair.column_vector.map_or(0, |view| view.first_word() + b.first as u32),
        finish: u32::from(out.finish),
        alpha: out.alpha,
        beta: out.beta,
        pad: 0,
        low: pair.four(0),
        high: pair.four(4),
    };
    let grid = Grid::covering(vec4s, 64)?;
    let work = Work { operations: 8 * vec4s * layers as u64, bytes: 16 * vec4s * (layers as u64 + 1) };
    // The layers stand in for a bias that is not read.
    let buffers = &[partial.buffer(), out.view.buffer(), pair.column_vector.unwrap_or(partial).buffer()];
    recording.dispatch(pair.merge_kernel, Dispatch::new(&params, buffers, grid, work).overrides(pair.merge))
}
