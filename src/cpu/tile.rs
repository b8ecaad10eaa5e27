//! The CPU tile core: rows of A against rows of B, `C = alpha·A·Bᵀ + beta·C`, for products and squared distances.
//!
//! An element's bits depend on its row of A, its row of B, alpha, beta and its old value alone: not on where it lies,
//! on how many rows there are, on how they were cut or on the number of threads. Every element goes through the same
//! register tile, padded at the edges, and the depth is always cut at the same places. The two factors of a step may
//! change places without changing a bit, so callers are free to choose which matrix is A.

mod best;
mod deep;
mod micro;
mod pack;
mod pair;
mod panels;
mod scores;
mod scratch;
mod step;

use rayon::prelude::*;

pub use best::{Candidates, Found, SEARCH_DEPTH, nearest, two_nearest};
use deep::deep;
use micro::{Block, Columns, Finish, PackColumns, tile_columns, tile_rows};

use crate::cpu::simd::arch;
pub use pair::pair_distances;
pub use panels::{PANEL_DEPTH, pack_panels, panel_product, panel_update, panel_width};
pub use scores::Scores;
pub use scratch::with_buffer;
pub use step::{
    AbsoluteDifference, Accumulate, Dot, Euclidean, Join, LargestDifference, OneMinusDot, SquaredDifference,
};

/// Depth summed in registers: a panel of B, 256·16 numbers, is half of a 32 KiB first cache.
const DEPTH_BLOCK: usize = 256;
/// Rows of A packed at a time: 192·256 numbers are 192 KiB, well inside a second cache of 512 KiB.
const ROW_BLOCK: usize = 192;
/// Depth summed in f32; longer sums are added span by span in f64.
const DEPTH_SPAN: usize = 4096;
/// Numbers of B packed at a time, 16 MiB; a panel is read once per row block, so this need not fit a cache.
const PACKED: usize = 1 << 22;
/// Rows of B in a task when A has few: 256·256 numbers packed are half of a second cache.
const WIDE_PART: usize = 256;
/// Panels of B packed by one task.
const PANELS_PER_TASK: usize = 8;
/// Steps below which waking a second thread costs more than it saves, some 40 µs.
const WORTH_THREADS: usize = 1 << 21;

/// A matrix seen as rows to be matched over a depth: element `(row, k)` is `data[row·row_stride + k·depth_stride]`.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// The numbers; the first is element `(0, 0)`.
    pub data: &'a [f32],
    /// Rows: one side of the output.
    pub rows: usize,
    /// Length of the sums.
    pub depth: usize,
    /// Distance from a row to the next.
    pub row_stride: usize,
    /// Distance from one depth index to the next; fast when this or `row_stride` is 1.
    pub depth_stride: usize,
}

impl<'a> Operand<'a> {
    /// The rows of a contiguous row-major matrix, `rows×depth`.
    pub fn from_rows(data: &'a [f32], rows: usize, depth: usize) -> Self {
        Self { data, rows, depth, row_stride: depth, depth_stride: 1 }
    }

    /// The columns of a contiguous row-major matrix, `depth×columns`.
    pub fn from_columns(data: &'a [f32], depth: usize, columns: usize) -> Self {
        Self { data, rows: columns, depth, row_stride: 1, depth_stride: columns }
    }

    /// `count` rows from `first` on.
    fn rows(self, first: usize, count: usize) -> Self {
        Self { data: &self.data[first * self.row_stride..], rows: count, ..self }
    }

    /// `count` depth indices from `first` on.
    fn depths(self, first: usize, count: usize) -> Self {
        Self { data: &self.data[first * self.depth_stride..], depth: count, ..self }
    }
}

/// `out[i·out_stride + j] = finish(alpha·Σ step(a[i], b[j]) + beta·out[i·out_stride + j])`, an `a.rows×b.rows` output.
///
/// With `beta` 0 the output is not read. Costs `a.rows·b.rows·depth` steps, and up to 16 MiB of packed rows of B.
pub fn product<Step: Accumulate>(
    step: Step,
    a: Operand<'_>,
    b: Operand<'_>,
    alpha: f32,
    beta: f32,
    out: &mut [f32],
    out_stride: usize,
) {
    debug_assert_eq!(a.depth, b.depth);
    debug_assert!(b.rows <= out_stride);
    debug_assert!(Step::JOIN == Join::Sum || (alpha >= 0.0 && beta == 0.0));
    if a.rows == 0 || b.rows == 0 {
        return;
    }
    let scale = Scale { alpha, beta, finish: true };
    if a.depth == 0 {
        for row in out.chunks_mut(out_stride).take(a.rows) {
            let values = &mut row[..b.rows];
            values.iter_mut().for_each(|value| *value = scale.blend(0.0, *value));
            arch().dispatch(Finish { step, values });
        }
    } else if a.depth <= DEPTH_SPAN {
        shallow(step, (a, b), scale, out, out_stride);
    } else {
        deep(step, (a, b), scale, out, out_stride);
    }
}

/// The two sides of a product.
type OperandPair<'a> = (Operand<'a>, Operand<'a>);

/// How a sum enters the output.
#[derive(Clone, Copy)]
struct Scale {
    alpha: f32,
    beta: f32,
    /// Whether the sum is complete, so that the step may finish it.
    finish: bool,
}

impl Scale {
    const PLAIN: Self = Self { alpha: 1.0, beta: 0.0, finish: false };

    /// The new output from an f64 sum, rounded once; the old output is not used when beta is 0.
    fn blend(self, sum: f64, old: f32) -> f32 {
        let product = f64::from(self.alpha) * sum;
        if self.beta == 0.0 { product as f32 } else { (product + f64::from(self.beta) * f64::from(old)) as f32 }
    }
}

/// A depth of at most one span: B is packed once for all threads, which then share out the rows of A.
fn shallow<Step: Accumulate>(step: Step, (a, b): OperandPair<'_>, scale: Scale, out: &mut [f32], out_stride: usize) {
    if steps(a, b) < WORTH_THREADS {
        return alone(step, a, b, scale, &mut row_slices(out, out_stride, a.rows, 0, b.rows));
    }
    if a.rows <= ROW_BLOCK {
        return wide(step, a, b, scale, row_slices(out, out_stride, a.rows, 0, b.rows));
    }
    let width = tile_columns();
    let at_once = (PACKED / a.depth / width).max(1) * width;
    let tasks = a.rows.div_ceil(ROW_BLOCK).next_multiple_of(rayon::current_num_threads());
    let rows_per_task = a.rows.div_ceil(tasks).next_multiple_of(tile_rows());
    for first in (0..b.rows).step_by(at_once) {
        let columns = at_once.min(b.rows - first);
        with_buffer(columns.next_multiple_of(width) * a.depth, |panels| {
            pack_columns(b.rows(first, columns), width, panels);
            let panels = &*panels;
            let out = out.par_chunks_mut(rows_per_task * out_stride);
            out.take(a.rows.div_ceil(rows_per_task)).enumerate().for_each(|(task, out)| {
                let start = task * rows_per_task;
                let a = a.rows(start, rows_per_task.min(a.rows - start));
                let out = &mut row_slices(out, out_stride, a.rows, first, columns);
                with_buffer(ROW_BLOCK * DEPTH_BLOCK, |row_panels| {
                    let columns = Columns::Packed(panels);
                    arch().dispatch(Block { step, a, columns, scale, row_panels, out });
                });
            });
        });
    }
}

/// At most one row block: the threads share out the rows of B, and each packs its own where they stay in its cache.
fn wide<Step: Accumulate>(step: Step, a: Operand<'_>, b: Operand<'_>, scale: Scale, rows: Vec<&mut [f32]>) {
    let width = tile_columns();
    let part = b.rows.div_ceil(rayon::current_num_threads()).next_multiple_of(width).min(WIDE_PART);
    let mut parts: Vec<Vec<&mut [f32]>> = Vec::new();
    parts.resize_with(b.rows.div_ceil(part), || Vec::with_capacity(a.rows));
    for row in rows {
        for (pieces, piece) in parts.iter_mut().zip(row.chunks_mut(part)) {
            pieces.push(piece);
        }
    }
    parts.into_par_iter().enumerate().for_each(|(index, mut out)| {
        let first = index * part;
        alone(step, a, b.rows(first, part.min(b.rows - first)), scale, &mut out);
    });
}

/// Steps of a whole product.
fn steps(a: Operand<'_>, b: Operand<'_>) -> usize {
    a.rows.saturating_mul(b.rows).saturating_mul(a.depth)
}

/// Columns `first..first + columns` of `rows` rows.
fn row_slices(out: &mut [f32], stride: usize, rows: usize, first: usize, columns: usize) -> Vec<&mut [f32]> {
    out.chunks_mut(stride).take(rows).map(|row| &mut row[first..first + columns]).collect()
}

/// A depth of at most one span on this thread.
fn alone<Step: Accumulate>(step: Step, a: Operand<'_>, b: Operand<'_>, scale: Scale, out: &mut [&mut [f32]]) {
    let width = tile_columns();
    let depth = a.depth.min(DEPTH_BLOCK);
    let rows = a.rows.min(ROW_BLOCK).next_multiple_of(tile_rows());
    with_buffer((b.rows.next_multiple_of(width) + rows) * depth, |buffer| {
        let (row_panels, panels) = buffer.split_at_mut(rows * depth);
        let columns = Columns::Loose { operand: b, panels };
        arch().dispatch(Block { step, a, columns, scale, row_panels, out });
    });
}

/// Packs all of B on all threads: for each depth block its panels.
fn pack_columns(b: Operand<'_>, width: usize, packed: &mut [f32]) {
    let padded = b.rows.next_multiple_of(width);
    packed.par_chunks_mut(DEPTH_BLOCK * padded).enumerate().for_each(|(index, packed)| {
        let depth = packed.len() / padded;
        let b = b.depths(index * DEPTH_BLOCK, depth);
        let rows_per_task = PANELS_PER_TASK * width;
        packed.par_chunks_mut(rows_per_task * depth).enumerate().for_each(|(task, panels)| {
            let first = task * rows_per_task;
            let operand = b.rows(first, rows_per_task.min(b.rows - first));
            arch().dispatch(PackColumns { operand, panels });
        });
    });
}
