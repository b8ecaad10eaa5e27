//! Products of a step of a network on the tile core: nothing is allocated, and each block of rows is finished while it is in
//! the cache of its thread.

use rayon::prelude::*;

use crate::cpu::tile::{Dot, Operand, PANEL_DEPTH, pack_panels, panel_update, panel_width, product, with_buffer};

/// Multiply-adds below which a second thread costs more than it saves.
const WORTH_THREADS: usize = 1 << 21;
/// Depth of the packed panels that lie together, as the tile core has it.
const DEPTH_BLOCK: usize = 256;
/// Rows that a task has room for on its stack, and the most that it is given; multiples of the register tiles, 6 and 12.
const ROOM: usize = 192;
const ROW_BLOCK: usize = 144;
const TILE_ROWS: usize = 12;
/// Rows of B that would leave most of a register tile's columns empty: they become its rows.
const NARROW: usize = 12;
/// Rows of A from which that pays.
const MANY_ROWS: usize = 32;
/// Rows of B that a task packs.
const PACKED_ROWS: usize = 128;

/// `out[i·stride + j] = Σ a[i]·b[j]`, or added to what is there; `finish` gets whole rows, and the number of the first.
///
/// The bits depend neither on the number of threads nor on how rows are cut.
pub fn rows_product(
    (a, b): (Operand<'_>, Operand<'_>),
    add: bool,
    out: &mut [f32],
    stride: usize,
    finish: impl Fn(usize, &mut [f32]) + Sync,
) {
    if a.rows == 0 || b.rows == 0 {
        return;
    }
    // The last row may end with its own numbers: rows of a matrix within another.
    let length = out.len().min(a.rows * stride);
    let out = &mut out[..length];
    let beta = if add { 1.0 } else { 0.0 };
    if a.depth == 0 || a.depth > PANEL_DEPTH {
        product(Dot, a, b, 1.0, beta, out, stride);
        return finish(0, out);
    }
    if b.rows <= NARROW && a.rows >= MANY_ROWS {
        return turned_product((a, b), add, out, stride, finish);
    }
    let threads = if a.rows * b.rows * a.depth < WORTH_THREADS { 1 } else { rayon::current_num_threads() };
    let padded = b.rows.next_multiple_of(panel_width());
    with_buffer(padded * a.depth, |panels| {
        if threads == 1 {
            pack_panels(b, panels);
        } else {
            pack_on_threads(b, padded, panels);
        }
        let panels = &*panels;
        let tasks = a.rows.div_ceil(ROW_BLOCK).next_multiple_of(threads);
        let rows_per_task = a.rows.div_ceil(tasks).next_multiple_of(TILE_ROWS);
        let task = |(task, rows): (usize, &mut [f32])| {
            let first = task * rows_per_task;
            let count = rows.len().div_ceil(stride);
            let part = Operand { data: &a.data[first * a.row_stride..], rows: count, ..a };
            update_rows(part, panels, b.rows, beta, (&mut *rows, stride));
            finish(first, rows);
        };
        if threads == 1 {
            out.chunks_mut(rows_per_task * stride).enumerate().for_each(task);
        } else {
            out.par_chunks_mut(rows_per_task * stride).enumerate().for_each(task);
        }
    });
}

/// The same with A and B in each other's place, for few rows of B; what is not added to keeps its bits.
fn turned_product(
    (a, b): (Operand<'_>, Operand<'_>),
    add: bool,
    out: &mut [f32],
    stride: usize,
    finish: impl Fn(usize, &mut [f32]) + Sync,
) {
    let threads = if a.rows * b.rows * a.depth < WORTH_THREADS { 1 } else { rayon::current_num_threads() };
    let rows_per_task = a.rows.div_ceil(threads).next_multiple_of(panel_width());
    let task = |(task, out): (usize, &mut [f32])| {
        let (first, rows) = (task * rows_per_task, out.len().div_ceil(stride));
        let part = Operand { data: &a.data[first * a.row_stride..], rows, ..a };
        with_buffer(b.rows * rows, |turned| {
            product(Dot, b, part, 1.0, 0.0, turned, rows);
            for (row, out) in out.chunks_mut(stride).enumerate() {
                for (value, &sum) in out[..b.rows].iter_mut().zip(turned[row..].iter().step_by(rows)) {
                    *value = if add { *value + sum } else { sum };
                }
            }
        });
        finish(first, out);
    };
    match threads {
        1 => task((0, out)),
        _ => out.par_chunks_mut(rows_per_task * stride).enumerate().for_each(task),
    }
}

/// `out[i·stride + j] = Σ a[i]·b[j] + beta·out[i·stride + j]` on this thread, for at most 192 rows of A and packed rows of B.
pub fn update_rows(a: Operand<'_>, panels: &[f32], columns: usize, beta: f32, (out, stride): (&mut [f32], usize)) {
    let mut chunks = out.chunks_mut(stride);
    let mut slices: [&mut [f32]; ROOM] =
        std::array::from_fn(|_| chunks.next().map_or(&mut [][..], |row| &mut row[..columns]));
    panel_update(Dot, a, panels, (1.0, beta), &mut slices[..a.rows]);
}

/// Packs all rows of `b`: for each block of the depth its panels.
fn pack_on_threads(b: Operand<'_>, padded: usize, panels: &mut [f32]) {
    panels.par_chunks_mut(DEPTH_BLOCK * padded).enumerate().for_each(|(block, panels)| {
        let depth = panels.len() / padded;
        panels.par_chunks_mut(PACKED_ROWS * depth).enumerate().for_each(|(task, panels)| {
            let first = task * PACKED_ROWS;
            let start = first * b.row_stride + block * DEPTH_BLOCK * b.depth_stride;
            let rows = PACKED_ROWS.min(b.rows - first);
            pack_panels(Operand { data: &b.data[start..], rows, depth, ..b }, panels);
        });
    });
}
