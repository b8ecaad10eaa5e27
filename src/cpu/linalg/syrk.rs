//! The weighted, centred product of a tall matrix with itself, `C = Σ_i w_i·(x_i − c)·(x_i − c)ᵀ`.

use rayon::prelude::*;

use crate::cpu::tile::{Operand, lower_product, with_buffer};

/// Rows summed in f32; the blocks are added in f64, in index order.
const BLOCK: usize = 4096;
/// Rows centred and weighted at a time: with 128 columns they are 128 KiB, which stay in the second cache.
const CHUNK: usize = 256;
/// Columns of the output in a task when the blocks keep all threads busy, and when they do not.
const BAND: usize = 256;
const NARROW_BAND: usize = 64;
/// Elements of the blocks' results held at a time, if more than one block is.
const HELD: usize = 1 << 22;
/// Side of a tile when the lower half is copied to the upper.
const MIRROR: usize = 32;

/// `out = Σ_i weights[i]·(x[i] − center)·(x[i] − center)ᵀ` for `x` of `rows×columns`; `out` is `columns×columns`, symmetric.
///
/// Without `weights` (one per row) they are 1, without `center` (one per column) it is 0. Costs about half of
/// `rows·columns²` multiply-adds. Within `276·2⁻²⁴·Σ|terms|` of the exact sum of the rounded `x − center`.
pub fn syrk(x: &[f32], rows: usize, columns: usize, weights: Option<&[f32]>, center: Option<&[f32]>, out: &mut [f64]) {
    debug_assert_eq!(x.len(), rows * columns);
    debug_assert_eq!(out.len(), columns * columns);
    debug_assert!(weights.is_none_or(|weights| weights.len() == rows));
    debug_assert!(center.is_none_or(|center| center.len() == columns));
    out.fill(0.0);
    if rows == 0 || columns == 0 {
        return;
    }
    let size = columns * columns;
    let threads = rayon::current_num_threads();
    let blocks = rows.div_ceil(BLOCK);
    let together = (HELD / size).clamp(1, 2 * threads).min(blocks);
    let band = if together >= threads { BAND } else { NARROW_BAND };
    with_buffer(together * size, |partial| {
        for first in (0..blocks).step_by(together) {
            let count = together.min(blocks - first);
            let partial = &mut partial[..count * size];
            let tasks = partial.chunks_mut(size).enumerate().flat_map(|(index, partial)| {
                let start = (first + index) * BLOCK;
                let end = rows.min(start + BLOCK);
                let x = &x[start * columns..end * columns];
                let input = Input { x, columns, weights: weights.map(|weights| &weights[start..end]), center };
                bands(partial, columns, band).into_iter().map(move |(column, out)| (input, column, out))
            });
            let tasks: Vec<_> = tasks.collect();
            tasks.into_par_iter().for_each(|(input, column, mut out)| input.band(column, &mut out));
            add_in_order(partial, columns, out);
        }
    });
    mirror(out, columns);
}

/// One block of rows.
#[derive(Clone, Copy)]
struct Input<'a> {
    x: &'a [f32],
    columns: usize,
    weights: Option<&'a [f32]>,
    center: Option<&'a [f32]>,
}

impl Input<'_> {
    /// Rows from `first` on of the columns `first..first + out[0].len()` of the block's result.
    fn band(self, first: usize, out: &mut [&mut [f32]]) {
        let height = self.columns - first;
        let width = out.first().map_or(0, |row| row.len());
        for (index, x) in self.x.chunks(CHUNK * self.columns).enumerate() {
            let depth = x.len() / self.columns;
            let beta = if index == 0 { 0.0 } else { 1.0 };
            let weights = self.weights.map(|weights| &weights[index * CHUNK..index * CHUNK + depth]);
            if self.center.is_none() && weights.is_none() {
                let a = operand(&x[first..], height, depth, self.columns);
                lower_product(a, Operand { rows: width, ..a }, beta, out);
                continue;
            }
            let size = depth * height;
            with_buffer(2 * size, |buffer| {
                let (centred, weighted) = buffer.split_at_mut(size);
                self.centre(x, first, centred);
                let b = operand(centred, width, depth, height);
                let Some(weights) = weights else {
                    return lower_product(Operand { rows: height, ..b }, b, beta, out);
                };
                let rows = weighted.chunks_exact_mut(height).zip(centred.chunks_exact(height));
                for ((weighted, centred), &weight) in rows.zip(weights) {
                    weighted.iter_mut().zip(centred).for_each(|(out, &value)| *out = weight * value);
                }
                lower_product(operand(weighted, height, depth, height), b, beta, out);
            });
        }
    }

    /// The columns from `first` on less their centre.
    fn centre(self, x: &[f32], first: usize, centred: &mut [f32]) {
        let height = self.columns - first;
        for (out, row) in centred.chunks_exact_mut(height).zip(x.chunks_exact(self.columns)) {
            match self.center {
                Some(center) => {
                    let row = row[first..].iter().zip(&center[first..]);
                    out.iter_mut().zip(row).for_each(|(out, (&value, &center))| *out = value - center);
                }
                None => out.copy_from_slice(&row[first..]),
            }
        }
    }
}

/// The first `rows` columns of a row-major matrix whose rows are `stride` apart.
fn operand(data: &[f32], rows: usize, depth: usize, stride: usize) -> Operand<'_> {
    Operand { data, rows, depth, row_stride: 1, depth_stride: stride }
}

/// Cuts a square into bands of columns, each from the diagonal down: the first column of each and its rows.
fn bands(square: &mut [f32], columns: usize, band: usize) -> Vec<(usize, Vec<&mut [f32]>)> {
    let mut bands: Vec<_> = (0..columns).step_by(band).map(|first| (first, Vec::new())).collect();
    for (row, values) in square.chunks_exact_mut(columns).enumerate() {
        for ((first, rows), piece) in bands.iter_mut().zip(values.chunks_mut(band)) {
            if row >= *first {
                rows.push(piece);
            }
        }
    }
    bands
}

/// Adds the lower halves of the blocks' results to the output, the earlier blocks first.
fn add_in_order(partial: &[f32], columns: usize, out: &mut [f64]) {
    out.par_chunks_exact_mut(columns).with_min_len(64).enumerate().for_each(|(row, out)| {
        for block in partial.chunks_exact(columns * columns) {
            let values = &block[row * columns..row * columns + row + 1];
            out.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value));
        }
    });
}

/// Copies the lower half to the upper.
fn mirror(square: &mut [f64], columns: usize) {
    for top in (0..columns).step_by(MIRROR) {
        for left in (0..=top).step_by(MIRROR) {
            for row in top..columns.min(top + MIRROR) {
                for column in left..row.min(left + MIRROR) {
                    square[column * columns + row] = square[row * columns + column];
                }
            }
        }
    }
}
