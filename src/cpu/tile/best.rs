//! The nearest of many rows, fused into the register tile: the distances never reach memory.
//!
//! A distance has the bits that [`product`](super::product) gives it with [`SquaredDifference`]: the same steps in the
//! same order, cut at the same depths. Rows of A are read where they lie, six at a time; only those of B are packed.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::micro::{TILE_VECTORS, tile_columns};
use super::pack::pack;
use super::step::{Accumulate, Dot, SquaredDifference};
use super::{DEPTH_BLOCK, DEPTH_SPAN, Operand};
use crate::cpu::simd::arch;

/// The longest rows that can be searched: beyond it a distance is summed in f64, which the tile does not do.
pub const SEARCH_DEPTH: usize = DEPTH_SPAN;
/// Rows searched for side by side: more would not have their addresses in registers.
const TILE_ROWS: usize = 6;
/// Numbers of packed candidates that rows are held against at a time: 128 KiB, a quarter of a second cache.
const PART_NUMBERS: usize = 1 << 15;

/// Rows of B packed to be searched, `rows×depth`: panels of one register tile's width, filled up with infinities.
pub struct Candidates {
    panels: Vec<f32>,
    /// What the sum of each candidate begins with; empty where that is 0.
    starts: Vec<f32>,
    rows: usize,
    depth: usize,
    width: usize,
}

impl Candidates {
    /// Packs the `rows` candidates `b`, of `depth` numbers each, `1 ≤ depth ≤` [`SEARCH_DEPTH`].
    pub fn new(b: &[f32], rows: usize, depth: usize) -> Self {
        debug_assert!((1..=SEARCH_DEPTH).contains(&depth) && rows <= u32::MAX as usize);
        let width = tile_columns();
        let panels = vec![f32::INFINITY; rows.next_multiple_of(width) * depth];
        let mut candidates = Self { panels, starts: Vec::new(), rows, depth, width };
        candidates.repack(b);
        candidates
    }

    /// Packs rows to be searched for the smallest `start + x·b`, one start for each.
    pub(super) fn for_products(b: &[f32], mut starts: Vec<f32>, depth: usize) -> Self {
        let (rows, width) = (starts.len(), tile_columns());
        starts.resize(rows.next_multiple_of(width), f32::INFINITY);
        let mut candidates = Self { panels: vec![0.0; starts.len() * depth], starts, rows, depth, width };
        candidates.repack(b);
        candidates
    }

    /// Packs as many other candidates in the place of these.
    pub fn repack(&mut self, b: &[f32]) {
        debug_assert_eq!(b.len(), self.rows * self.depth);
        arch().dispatch(PackCandidates { b, candidates: self });
    }

    /// Candidates in a panel on this processor.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of panels.
    pub fn panels(&self) -> usize {
        self.rows.div_ceil(self.width)
    }
}

struct PackCandidates<'a> {
    b: &'a [f32],
    candidates: &'a mut Candidates,
}

impl WithSimd for PackCandidates<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = TILE_VECTORS * S::F32_LANES;
        let Candidates { panels, rows, depth, .. } = self.candidates;
        let whole = *rows / width * width;
        let (full, rest) = panels.split_at_mut(whole * *depth);
        pack(simd, Operand::from_rows(self.b, whole, *depth), width, full);
        // What fills the last panel up stays infinite: it is infinitely far from every row, so never the nearest.
        for (lane, row) in self.b[whole * *depth..].chunks_exact(*depth).enumerate() {
            for (slot, &value) in rest.iter_mut().skip(lane).step_by(width).zip(row) {
                *slot = value;
            }
        }
    }
}

/// The nearest candidate of each row of `x`: its index, the lowest of equal ones, and its squared distance.
///
/// On this thread; costs a subtraction and a multiply-add for each number of each pair. A row whose squared distances
/// are all beyond the range of f32 gets candidate 0 and infinity.
pub fn nearest(x: &[f32], candidates: &Candidates, index: &mut [u32], distance: &mut [f32]) {
    debug_assert!(x.len() == index.len() * candidates.depth && index.len() == distance.len());
    let rows = AllRows::<false>(x);
    let panels = 0..candidates.panels();
    let found = Found { index, distance, second: &mut [] };
    arch().dispatch(Search { step: SquaredDifference, rows, candidates, panels, found });
}

/// The two smallest of the products that candidates were packed for, of each row of `x`. On this thread.
pub(super) fn two_smallest(x: &[f32], candidates: &Candidates, found: Found<'_>) {
    let panels = 0..candidates.panels();
    arch().dispatch(Search { step: Dot, rows: AllRows::<true>(x), candidates, panels, found });
}

/// Where a search puts what it finds, one entry a row.
pub struct Found<'a> {
    /// The nearest candidate, the lowest of equal ones.
    pub index: &'a mut [u32],
    /// Its squared distance.
    pub distance: &'a mut [f32],
    /// The squared distance of the second nearest, infinite if there is only one.
    pub second: &'a mut [f32],
}

/// The two nearest of the candidates in `panels`, for the rows of `x` that `list` names, in its order.
///
/// On this thread. An index counts from the first candidate of all.
pub fn two_nearest(x: &[f32], list: &[u32], candidates: &Candidates, panels: Range<usize>, found: Found<'_>) {
    debug_assert!(list.len() == found.index.len() && list.len() == found.second.len());
    let rows = ListedRows { x, list };
    arch().dispatch(Search { step: SquaredDifference, rows, candidates, panels, found });
}

/// Which rows of a matrix are searched for, and whether their second nearest is wanted.
trait Rows: Copy {
    const SECOND: bool;

    /// Row number `index` of those wanted.
    fn row(&self, index: usize, depth: usize) -> &[f32];
}

#[derive(Clone, Copy)]
struct AllRows<'a, const SECOND: bool>(&'a [f32]);

impl<const SECOND: bool> Rows for AllRows<'_, SECOND> {
    const SECOND: bool = SECOND;

    #[inline(always)]
    fn row(&self, index: usize, depth: usize) -> &[f32] {
        &self.0[index * depth..(index + 1) * depth]
    }
}

#[derive(Clone, Copy)]
struct ListedRows<'a> {
    x: &'a [f32],
    list: &'a [u32],
}

impl Rows for ListedRows<'_> {
    const SECOND: bool = true;

    #[inline(always)]
    fn row(&self, index: usize, depth: usize) -> &[f32] {
        let start = self.list[index] as usize * depth;
        &self.x[start..start + depth]
    }
}

struct Search<'a, Step, R> {
    step: Step,
    rows: R,
    candidates: &'a Candidates,
    panels: Range<usize>,
    found: Found<'a>,
}

impl<Step: Accumulate, R: Rows> WithSimd for Search<'_, Step, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = TILE_VECTORS * S::F32_LANES;
        let Candidates { panels, starts, rows: count, depth, .. } = self.candidates;
        let Found { index, distance, second } = self.found;
        index.fill(0);
        distance.fill(f32::INFINITY);
        second.fill(f32::INFINITY);
        // Six long runs of rows side by side: the processor reads ahead in each, as it does not over six short rows.
        let run = index.len().div_ceil(TILE_ROWS);
        let last = index.len().saturating_sub(1);
        let at_once = (PART_NUMBERS / (width * depth)).max(1);
        for start in self.panels.clone().step_by(at_once) {
            let end = self.panels.end.min(start + at_once);
            let part = Part {
                step: self.step,
                panels: &panels[start * width * depth..end * width * depth],
                starts: if starts.is_empty() { &[] } else { &starts[start * width..end * width] },
                count: count - start * width,
            };
            for first in 0..run {
                let rows = std::array::from_fn(|lane| self.rows.row((lane * run + first).min(last), *depth));
                let best = part.scan(simd, rows, R::SECOND);
                for (row, best) in (first..index.len()).step_by(run).zip(best) {
                    let (at, value) = best.lowest(simd);
                    if R::SECOND {
                        let other = best.second(simd, value, at);
                        second[row] = second[row].min(other).min(distance[row].max(value));
                    }
                    // Parts come in order: of equal candidates the earlier one stays.
                    if value < distance[row] {
                        index[row] = (start * width) as u32 + at as u32;
                        distance[row] = value;
                    }
                }
            }
        }
    }
}

/// Panels that stay in a cache while rows pass by.
struct Part<'a, Step> {
    step: Step,
    panels: &'a [f32],
    starts: &'a [f32],
    /// Candidates from the first panel on, in and behind this part.
    count: usize,
}

impl<Step: Accumulate> Part<'_, Step> {
    /// Six rows against every panel.
    #[inline(always)]
    fn scan<S: Simd>(&self, simd: S, rows: [&[f32]; TILE_ROWS], second: bool) -> [Lanes<S>; TILE_ROWS] {
        let width = TILE_VECTORS * S::F32_LANES;
        let mut best = [Lanes::start(simd); TILE_ROWS];
        let step = simd.splat_f32s(S::F32_LANES as f32);
        let mut at = counting(simd);
        for (number, panel) in self.panels.chunks_exact(rows[0].len() * width).enumerate() {
            let next = simd.add_f32s(at, step);
            let starts = if self.starts.is_empty() { None } else { Some(&self.starts[number * width..]) };
            // A last panel that is half padding takes half the time.
            if self.count - number * width > S::F32_LANES {
                let tile = sums::<S, Step, TILE_VECTORS>(simd, self.step, rows, panel, starts);
                for (best, [left, right]) in best.iter_mut().zip(tile) {
                    best.take(simd, left, at, second);
                    best.take(simd, right, next, second);
                }
            } else {
                let tile = sums::<S, Step, 1>(simd, self.step, rows, panel, starts);
                for (best, [left]) in best.iter_mut().zip(tile) {
                    best.take(simd, left, at, second);
                }
            }
            at = simd.add_f32s(next, step);
        }
        best
    }
}

type Tile<S, const VECTORS: usize> = [[<S as Simd>::f32s; VECTORS]; TILE_ROWS];

/// Six rows against the first `VECTORS` vectors of one panel, over the whole depth; sums with a start are not cut.
#[inline(always)]
fn sums<S: Simd, Step: Accumulate, const VECTORS: usize>(
    simd: S,
    step: Step,
    rows: [&[f32]; TILE_ROWS],
    panel: &[f32],
    starts: Option<&[f32]>,
) -> Tile<S, VECTORS> {
    let depth = rows[0].len();
    let (panel, _) = S::as_simd_f32s(panel).0.as_chunks::<TILE_VECTORS>();
    let mut start = [simd.splat_f32s(0.0); VECTORS];
    if let Some(starts) = starts {
        start.copy_from_slice(&S::as_simd_f32s(starts).0[..VECTORS]);
    }
    if depth <= DEPTH_BLOCK || starts.is_some() {
        return block(simd, step, start, rows, panel);
    }
    let mut total = [[simd.splat_f32s(0.0); VECTORS]; TILE_ROWS];
    for first in (0..depth).step_by(DEPTH_BLOCK) {
        let end = depth.min(first + DEPTH_BLOCK);
        let part = block(simd, step, start, rows.map(|row| &row[first..end]), &panel[first..end]);
        for (total, part) in total.iter_mut().flatten().zip(part.iter().flatten()) {
            *total = simd.add_f32s(*total, *part);
        }
    }
    total
}

/// The inner loop: six rows against one panel over one depth block.
#[inline(always)]
fn block<S: Simd, Step: Accumulate, const VECTORS: usize>(
    simd: S,
    step: Step,
    start: [S::f32s; VECTORS],
    rows: [&[f32]; TILE_ROWS],
    panel: &[[S::f32s; TILE_VECTORS]],
) -> Tile<S, VECTORS> {
    let mut tile = [start; TILE_ROWS];
    // Zipped slices need no bounds checks, six of which would cost as much as the arithmetic.
    let [r0, r1, r2, r3, r4, r5] = rows;
    let columns = r0.iter().zip(r1).zip(r2).zip(r3).zip(r4).zip(r5).zip(panel);
    for ((((((&a0, &a1), &a2), &a3), &a4), &a5), b) in columns {
        for (accumulators, a) in tile.iter_mut().zip([a0, a1, a2, a3, a4, a5]) {
            let a = simd.splat_f32s(a);
            for (accumulator, &b) in accumulators.iter_mut().zip(b) {
                *accumulator = step.accumulate(simd, *accumulator, a, b);
            }
        }
    }
    tile
}

/// The smallest value so far and its place in the part, per lane, and the second smallest.
///
/// Places are f32, which a vector reduces in fewer steps than integers; a part has fewer than 2²⁴ candidates.
#[derive(Clone, Copy)]
struct Lanes<S: Simd> {
    value: S::f32s,
    at: S::f32s,
    second: S::f32s,
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    fn start(simd: S) -> Self {
        let far = simd.splat_f32s(f32::INFINITY);
        Self { value: far, at: counting(simd), second: far }
    }

    #[inline(always)]
    fn take(&mut self, simd: S, value: S::f32s, at: S::f32s, second: bool) {
        if second {
            self.second = simd.min_f32s(self.second, simd.max_f32s(self.value, value));
        }
        let closer = simd.less_than_f32s(value, self.value);
        self.value = simd.min_f32s(value, self.value);
        self.at = simd.select_f32s(closer, at, self.at);
    }

    /// The lowest place of the smallest value of all lanes, and that value.
    #[inline(always)]
    fn lowest(&self, simd: S) -> (f32, f32) {
        let value = simd.reduce_min_f32s(self.value);
        let equal = simd.equal_f32s(self.value, simd.splat_f32s(value));
        (simd.reduce_min_f32s(simd.select_f32s(equal, self.at, simd.splat_f32s(f32::INFINITY))), value)
    }

    /// The smallest value but the one at `at`, which is the smallest of its lane.
    #[inline(always)]
    fn second(&self, simd: S, value: f32, at: f32) -> f32 {
        let equal = simd.equal_f32s(self.value, simd.splat_f32s(value));
        let winner = simd.and_m32s(equal, simd.equal_f32s(self.at, simd.splat_f32s(at)));
        simd.reduce_min_f32s(simd.select_f32s(winner, self.second, self.value))
    }
}

/// 0, 1, 2, … in the lanes.
#[inline(always)]
fn counting<S: Simd>(simd: S) -> S::f32s {
    const NUMBERS: [f32; 16] = [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.];
    simd.partial_load_f32s(&NUMBERS[..S::F32_LANES])
}
