//! The inner loops: rows are centred straight into panels of columns, which serve as both factors of every tile.
//!
//! A general product packs its two factors apart, six rows wide the one and two vectors the other. A panel of six vectors
//! is a multiple of both, so one copy, made while centring, serves both sides.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::Table;
use crate::cpu::vector_lanes;

/// Rows of a tile, and of one of AVX-512, which has 32 registers, unless few columns would leave much of it empty.
const GROUP: usize = 6;
const WIDE_GROUP: usize = 12;
const FEW_COLUMNS: usize = 48;
/// Vectors of a tile: 6·2 accumulators, 2 of the one factor and 1 of the other leave one of AVX2's 16 registers.
const VECTORS: usize = 2;
/// Strips of [`VECTORS`] vectors in a panel, so that groups fill it too.
pub(super) const STRIPS: usize = 3;
/// Rows of the table in panels at a time: what a tile reads of them, 8 KiB and at most 16, stays in the first cache.
const DEPTH: usize = 128;
/// The same for AVX-512, whose processors have large second caches: tiles are then added to their sums half as often (60,000×784
/// on one core: 0.48 → 0.39 s).
const WIDE_DEPTH: usize = 256;
/// Numbers between two panels, so that their rows do not share a cache set.
const GAP: usize = 16;

/// Columns of a strip on this processor.
pub(super) fn strip_width() -> usize {
    VECTORS * vector_lanes()
}

/// Rows of a tile on this processor for a table of so many columns.
pub(super) fn group_rows(columns: usize) -> usize {
    if vector_lanes() == 16 && columns > FEW_COLUMNS { WIDE_GROUP } else { GROUP }
}

/// Rows of the table in panels at a time with vectors of so many lanes.
const fn depth(lanes: usize) -> usize {
    if lanes == 16 { WIDE_DEPTH } else { DEPTH }
}

/// Numbers that the panels of some columns take.
pub(super) fn room(columns: usize, strip: usize) -> usize {
    columns.div_ceil(STRIPS * strip) * (depth(vector_lanes()) * STRIPS * strip + GAP)
}

/// `tiles` = the products of the columns from `first` on with those of the first `strips` strips of them, from the
/// diagonal down, summed over `rows`; one tile after the other, strip by strip. `first` is a multiple of three strips.
pub(super) struct Sweep<'a> {
    pub(super) table: Table<'a>,
    pub(super) rows: Range<usize>,
    pub(super) first: usize,
    pub(super) strips: usize,
    pub(super) room: &'a mut [f32],
    pub(super) tiles: &'a mut [f32],
}

impl WithSimd for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES == 16 && self.table.width() > FEW_COLUMNS {
            true => self.run::<S, WIDE_GROUP>(simd),
            false => self.run::<S, GROUP>(simd),
        }
    }
}

impl Sweep<'_> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(self, simd: S) {
        let strip = VECTORS * S::F32_LANES;
        let width = STRIPS * strip;
        let groups = (self.table.width() - self.first).div_ceil(ROWS);
        let most = depth(S::F32_LANES);
        for start in self.rows.clone().step_by(most) {
            let depth = most.min(self.rows.end - start);
            self.table.fill::<S>(start..start + depth, self.first, self.room);
            let panel = |number: usize| &self.room[number * (most * width + GAP)..][..depth * width];
            let mut tiles = self.tiles.chunks_exact_mut(ROWS * strip);
            for right in 0..self.strips {
                for (group, tile) in (right * strip / ROWS..groups).zip(&mut tiles) {
                    let left = (panel(group * ROWS / width), group % (width / ROWS));
                    let sums = multiply::<S, ROWS>(simd, left, (panel(right / STRIPS), right % STRIPS));
                    let (values, _) = S::as_mut_simd_f32s(tile).0.as_chunks_mut::<VECTORS>();
                    for (values, sums) in values.iter_mut().zip(sums) {
                        for (value, sum) in values.iter_mut().zip(sums) {
                            *value = if start == self.rows.start { sum } else { simd.add_f32s(*value, sum) };
                        }
                    }
                }
            }
        }
    }
}

/// A group of one panel against a strip of another, each given with its place there.
#[inline(always)]
fn multiply<S: Simd, const ROWS: usize>(
    simd: S,
    (left, group): (&[f32], usize),
    (right, strip): (&[f32], usize),
) -> [[S::f32s; VECTORS]; ROWS] {
    let mut sums = [[simd.splat_f32s(0.0); VECTORS]; ROWS];
    let (left, _) = left.as_chunks::<ROWS>();
    let (right, _) = S::as_simd_f32s(right).0.as_chunks::<VECTORS>();
    let groups = STRIPS * VECTORS * S::F32_LANES / ROWS;
    for (left, right) in left[group..].chunks(groups).zip(right[strip..].chunks(STRIPS)) {
        for (sums, &a) in sums.iter_mut().zip(&left[0]) {
            let a = simd.splat_f32s(a);
            for (sum, &b) in sums.iter_mut().zip(&right[0]) {
                *sum = simd.mul_add_e_f32s(a, b, *sum);
            }
        }
    }
    sums
}

impl Table<'_> {
    /// Writes the columns from `first` on of some rows into panels, the last one filled up with zeros.
    #[inline(always)]
    fn fill<S: Simd>(&self, rows: Range<usize>, first: usize, panels: &mut [f32]) {
        let width = STRIPS * VECTORS * S::F32_LANES;
        let size = depth(S::F32_LANES) * width + GAP;
        let outputs = self.y_center.len();
        let padded = (self.width() - first).next_multiple_of(width);
        let own = self.columns.saturating_sub(first);
        let center = &self.center[self.columns - own..];
        for (depth, row) in rows.enumerate() {
            let x = &self.x[(row + 1) * self.columns - own..(row + 1) * self.columns];
            let scale = self.weights.map_or(1.0, |weights| weights[row].sqrt());
            let targets = panels.chunks_mut(size).map(|panel| &mut panel[depth * width..][..width]);
            for ((x, center), out) in x.chunks(width).zip(center.chunks(width)).zip(targets) {
                for ((out, &x), &center) in out.iter_mut().zip(x).zip(center) {
                    *out = (x - center) * scale;
                }
            }
            for column in own..padded {
                // A band may begin among the columns of y.
                let target = first + column - self.columns;
                let value = match self.y_center.get(target) {
                    Some(center) => self.y[row * outputs + target] - center,
                    None if self.ones && target == outputs => 1.0,
                    None => 0.0,
                };
                panels[column / width * size + depth * width + column % width] = value * scale;
            }
        }
    }
}
