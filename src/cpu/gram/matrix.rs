//! The kernel function of each pair of rows.

use rayon::prelude::*;

use super::block::{PackedRows, block_of, packed_at_once, parts};
use super::{Plan, Side};
use crate::cpu::tile::with_buffer;

/// Blocks of rows whose places are listed at a time.
const ROW_BLOCKS: usize = 32;
/// Side of the squares that are turned: rows of them are cache lines.
const SQUARE: usize = 16;

/// `out[i·m + j] = k(a[i], b[j])`, for sides of n and m rows, one for each kind of sum that the plan names.
///
/// With `symmetric`, `a` and `b` are the same: half of it is computed, and the sum of a row with itself is its own square.
/// Costs n·m·depth steps a pass. A value depends on its two rows alone.
pub fn matrix(plan: &Plan, a: &[Side<'_>], b: &[Side<'_>], symmetric: bool, out: &mut [f32]) {
    let (n, m) = (a[0].count(), b[0].count());
    debug_assert_eq!(out.len(), n * m);
    if n == 0 || m == 0 {
        return;
    }
    let block = block_of(n, m);
    if symmetric { half(plan, a, block, out) } else { whole(plan, a, b, block, out) }
}

/// A block of rows and one of columns: the places of their values, and of the mirrored ones.
struct Place<'o> {
    row: usize,
    column: usize,
    out: Vec<&'o mut [f32]>,
    mirrored: Vec<&'o mut [f32]>,
}

fn whole(plan: &Plan, a: &[Side<'_>], b: &[Side<'_>], block: usize, out: &mut [f32]) {
    let (n, m) = (a[0].count(), b[0].count());
    let at_once = packed_at_once(b, block);
    for first in (0..m).step_by(at_once) {
        let columns = at_once.min(m - first);
        let packed = PackedRows::new(plan, parts(b, first, columns), block);
        for (chunk, out) in out.chunks_mut(ROW_BLOCKS * block * m).enumerate() {
            let across = packed.blocks();
            let places: Vec<Place<'_>> = cut(out, m, first..first + columns, block)
                .into_iter()
                .enumerate()
                .map(|(at, out)| Place {
                    row: chunk * ROW_BLOCKS + at / across,
                    column: at % across,
                    out,
                    mirrored: vec![],
                })
                .collect();
            places.into_par_iter().for_each(|place| {
                let part = parts(a, place.row * block, block.min(n - place.row * block));
                fill(&packed, &part, place, false);
            });
        }
    }
}

/// What lies on the diagonal and below it is made, and written to above it too, while it is in a cache.
fn half(plan: &Plan, a: &[Side<'_>], block: usize, out: &mut [f32]) {
    let n = a[0].count();
    let blocks = n.div_ceil(block);
    let mut cells = cut(out, n, 0..n, block);
    let at_once = packed_at_once(a, block) / block;
    for first in (0..blocks).step_by(at_once) {
        let last = blocks.min(first + at_once);
        let start = first * block;
        let packed = PackedRows::new(plan, parts(a, start, n.min(last * block) - start), block);
        let mut places = vec![];
        for column in first..last {
            for row in column..blocks {
                let out = std::mem::take(&mut cells[row * blocks + column]);
                let mirrored = std::mem::take(&mut cells[column * blocks + row]);
                places.push(Place { row, column: column - first, out, mirrored });
            }
        }
        places.into_par_iter().for_each(|place| {
            let part = parts(a, place.row * block, block.min(n - place.row * block));
            let own = place.row == place.column + first;
            fill(&packed, &part, place, own);
        });
    }
}

fn fill(packed: &PackedRows<'_>, part: &[Side<'_>], mut place: Place<'_>, own: bool) {
    let columns = packed.columns(place.column);
    let size = part[0].count() * columns;
    with_buffer(size + packed.held(size), |room| {
        let (values, held) = room.split_at_mut(size);
        packed.fill(part, place.column, own, values, held);
        for (out, values) in place.out.iter_mut().zip(values.chunks_exact(columns)) {
            out.copy_from_slice(values);
        }
        write_turned(values, columns, &mut place.mirrored);
    });
}

/// The cells of some columns, row block by row block: of each cell its rows.
fn cut(out: &mut [f32], stride: usize, columns: std::ops::Range<usize>, block: usize) -> Vec<Vec<&mut [f32]>> {
    let across = columns.len().div_ceil(block);
    let mut cells = Vec::new();
    cells.resize_with((out.len() / stride).div_ceil(block) * across, || Vec::with_capacity(block));
    for (row, values) in out.chunks_mut(stride).enumerate() {
        for (column, piece) in values[columns.clone()].chunks_mut(block).enumerate() {
            cells[row / block * across + column].push(piece);
        }
    }
    cells
}

/// `out[j][i] = values[i·columns + j]`, square by square; nothing where there is no `out`.
fn write_turned(values: &[f32], columns: usize, out: &mut [&mut [f32]]) {
    for (left, out) in out.chunks_mut(SQUARE).enumerate() {
        for (top, rows) in values.chunks(SQUARE * columns).enumerate() {
            let mut square = [[0.0_f32; SQUARE]; SQUARE];
            for (row, values) in rows.chunks_exact(columns).enumerate() {
                let values = &values[left * SQUARE..left * SQUARE + out.len()];
                square.iter_mut().zip(values).for_each(|(square, &value)| square[row] = value);
            }
            let height = rows.len() / columns;
            for (out, square) in out.iter_mut().zip(&square) {
                out[top * SQUARE..top * SQUARE + height].copy_from_slice(&square[..height]);
            }
        }
    }
}
