//! The weighted, centred product of a tall matrix with itself, `C = Σ_i w_i·(x_i − c)·(x_i − c)ᵀ`.

mod lower;

use rayon::prelude::*;

use crate::cpu::simd::arch;
use crate::cpu::tile::with_buffer;
use lower::{STRIPS, Sweep, group_rows, room, strip_width};

/// Rows summed in f32, and in tables of many columns, whose sums take longer to add; the blocks are added in f64, in index order.
const BLOCK: usize = 2048;
const LONG_BLOCK: usize = 4096;
const MANY_COLUMNS: usize = 1024;
/// Columns of the output in a task where there are many blocks for each thread, where there is one, and where there are fewer.
/// Each task packs its rows anew.
const WIDE_BAND: usize = 960;
const BAND: usize = 240;
const NARROW_BAND: usize = 48;
/// Blocks for each thread that are many.
const MANY_BLOCKS: usize = 4;
/// Elements of the blocks' results held at a time, if more than one block is.
const HELD: usize = 1 << 22;

/// `out = Σ_i weights[i]·(x[i] − center)·(x[i] − center)ᵀ` for `x` of `rows×columns`; `out` is `columns×columns`, symmetric.
///
/// Without `weights` (one per row, none negative) they are 1, without `center` (one per column) it is 0. Costs about half
/// of `rows·columns²` multiply-adds. Within `276·2⁻²⁴·Σ|terms|` of the exact sum of the rounded `x − center`.
pub fn syrk(x: &[f32], rows: usize, columns: usize, weights: Option<&[f32]>, center: Option<&[f32]>, out: &mut [f64]) {
    debug_assert_eq!(x.len(), rows * columns);
    debug_assert!(weights.is_none_or(|weights| weights.len() == rows));
    debug_assert!(center.is_none_or(|center| center.len() == columns));
    let origin = vec![0.0; if center.is_none() { columns } else { 0 }];
    let center = center.unwrap_or(&origin);
    let table = Table { x, columns, center, weights, y: &[], y_center: &[], ones: false };
    table.scatter(rows, out);
}

/// Rows `√w·[x − center | y − y_center | 1]`, the last column only where it is wanted.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    /// `rows×columns`.
    pub(super) x: &'a [f32],
    pub(super) columns: usize,
    pub(super) center: &'a [f32],
    pub(super) weights: Option<&'a [f32]>,
    /// `rows×y_center.len()`.
    pub(super) y: &'a [f32],
    pub(super) y_center: &'a [f32],
    pub(super) ones: bool,
}

impl Table<'_> {
    /// Columns of all three parts.
    pub(super) fn width(&self) -> usize {
        self.columns + self.y_center.len() + usize::from(self.ones)
    }

    /// The products of all columns with each other, summed over the rows: `width×width`, symmetric.
    pub(super) fn scatter(&self, rows: usize, out: &mut [f64]) {
        let total = self.width();
        debug_assert_eq!(out.len(), total * total);
        out.fill(0.0);
        if rows == 0 || total == 0 {
            return;
        }
        let threads = rayon::current_num_threads();
        let block = if total > MANY_COLUMNS { LONG_BLOCK } else { BLOCK };
        let blocks = rows.div_ceil(block);
        let (width, group) = (strip_width(), group_rows(total));
        let held = |bands: &[Band]| bands.iter().map(|band| band.tiles).sum::<usize>() * group * width;
        let together = (HELD / held(&bands(total, width, WIDE_BAND))).clamp(1, 16 * threads).min(blocks);
        // As many for each thread.
        let together = if together > threads { together - together % threads } else { together };
        let columns = match together / threads {
            0 => NARROW_BAND,
            each if each >= MANY_BLOCKS => WIDE_BAND,
            _ => BAND,
        };
        let bands = bands(total, width, columns);
        let size = held(&bands);
        let mut sums = vec![0.0_f64; size];
        with_buffer(together * size, |partial| {
            for first in (0..blocks).step_by(together) {
                let partial = &mut partial[..together.min(blocks - first) * size];
                let mut tasks = Vec::with_capacity(bands.len() * together);
                for (index, mut tiles) in partial.chunks_mut(size).enumerate() {
                    let start = (first + index) * block;
                    let range = start..rows.min(start + block);
                    for band in &bands {
                        let (own, rest) = tiles.split_at_mut(band.tiles * group * width);
                        tasks.push((range.clone(), *band, own));
                        tiles = rest;
                    }
                }
                tasks.into_par_iter().for_each(|(rows, band, tiles)| {
                    let (first, strips) = (band.first_strip * width, band.strips);
                    with_buffer(room(total - first, width), |room| {
                        arch().dispatch(Sweep { table: *self, rows, first, strips, room, tiles });
                    });
                });
                add_in_order(partial, &mut sums);
            }
        });
        untangle(&bands, &sums, width, total, out);
    }
}

/// Neighbouring strips of columns, with the tiles from the diagonal down in each.
#[derive(Clone, Copy)]
struct Band {
    first_strip: usize,
    strips: usize,
    tiles: usize,
}

/// Cuts the columns into bands of about `columns`, which begin where panels do.
fn bands(total: usize, width: usize, columns: usize) -> Vec<Band> {
    let group = group_rows(total);
    let (groups, all) = (total.div_ceil(group), total.div_ceil(width));
    let per_band = (columns / (STRIPS * width)).max(1) * STRIPS;
    let band = |first_strip: usize| {
        let strips = per_band.min(all - first_strip);
        let tiles = (0..strips).map(|strip| groups - first_strip * width / group - strip * width / group).sum();
        Band { first_strip, strips, tiles }
    };
    (0..all).step_by(per_band).map(band).collect()
}

/// Adds the blocks' results, the earlier blocks first.
fn add_in_order(partial: &[f32], sums: &mut [f64]) {
    let size = sums.len();
    sums.par_chunks_mut(1 << 12).enumerate().for_each(|(part, sums)| {
        for block in partial.chunks_exact(size) {
            let values = &block[part << 12..];
            sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value));
        }
    });
}

/// From tiles to a symmetric square.
fn untangle(bands: &[Band], sums: &[f64], width: usize, total: usize, out: &mut [f64]) {
    let group = group_rows(total);
    let strips = bands.iter().flat_map(|band| band.first_strip..band.first_strip + band.strips);
    let places = strips.flat_map(|strip| {
        (strip * width / group..total.div_ceil(group)).map(move |number| (number * group, strip * width))
    });
    for ((top, left), tile) in places.zip(sums.chunks_exact(group * width)) {
        for (row, values) in (top..total).zip(tile.chunks_exact(width)) {
            for (column, &value) in (left..=row).zip(values) {
                out[row * total + column] = value;
            }
        }
    }
    mirror(total, out);
}

/// Copies what is below the diagonal above it, in squares that stay in the cache.
fn mirror(total: usize, out: &mut [f64]) {
    const SIDE: usize = 32;
    for top in (0..total).step_by(SIDE) {
        for left in (0..=top).step_by(SIDE) {
            for row in top..total.min(top + SIDE) {
                for column in left..row.min(left + SIDE) {
                    out[column * total + row] = out[row * total + column];
                }
            }
        }
    }
}
