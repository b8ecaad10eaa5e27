//! The smallest or the largest number of a row and where it is: what argmin, argmax and minimum share.

use pulp::bytemuck::cast_slice;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::cpu::simd::arch;

/// Numbers a task reads at least: some 15 µs.
const NUMBERS_PER_TASK: usize = 1 << 16;
/// Running extremes per row: a comparison and two selections take several cycles, four chains hide them.
const CHAINS: usize = 4;

/// Which of two numbers wins.
pub(super) trait Order: Copy + Send + Sync {
    /// What every number but NaN beats or equals.
    const START: f32;

    /// Whether `candidate` beats `best`; false for equal ones and for NaN.
    fn better(candidate: f32, best: f32) -> bool;

    /// [`Order::better`] in all lanes.
    fn better_lanes<S: Simd>(simd: S, candidate: S::f32s, best: S::f32s) -> S::m32s;
}

/// The smaller number wins.
#[derive(Clone, Copy)]
pub(super) struct Smallest;

impl Order for Smallest {
    const START: f32 = f32::INFINITY;

    #[inline(always)]
    fn better(candidate: f32, best: f32) -> bool {
        candidate < best
    }

    #[inline(always)]
    fn better_lanes<S: Simd>(simd: S, candidate: S::f32s, best: S::f32s) -> S::m32s {
        simd.less_than_f32s(candidate, best)
    }
}

/// The larger number wins.
#[derive(Clone, Copy)]
pub(super) struct Largest;

impl Order for Largest {
    const START: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    fn better(candidate: f32, best: f32) -> bool {
        candidate > best
    }

    #[inline(always)]
    fn better_lanes<S: Simd>(simd: S, candidate: S::f32s, best: S::f32s) -> S::m32s {
        simd.less_than_f32s(best, candidate)
    }
}

/// `value[i]`, the winner of row `i` of `x` (rows of `columns ≥ 1`), and `index[i]`, its
/// lowest column. NaN is passed over; a row of nothing else has `(0, START)`. Reads every number once.
pub(super) fn extreme_rows<O: Order>(order: O, x: &[f32], columns: usize, index: &mut [u32], value: &mut [f32]) {
    debug_assert!(columns >= 1 && columns <= u32::MAX as usize);
    debug_assert_eq!(x.len(), index.len() * columns);
    debug_assert_eq!(index.len(), value.len());
    let rows_per_task = NUMBERS_PER_TASK.div_ceil(columns);
    if index.len() <= rows_per_task {
        return arch().dispatch(Rows { order, x, columns, index, value });
    }
    x.par_chunks(rows_per_task * columns)
        .zip(index.par_chunks_mut(rows_per_task))
        .zip(value.par_chunks_mut(rows_per_task))
        .for_each(|((x, index), value)| arch().dispatch(Rows { order, x, columns, index, value }));
}

struct Rows<'a, O> {
    order: O,
    x: &'a [f32],
    columns: usize,
    index: &'a mut [u32],
    value: &'a mut [f32],
}

impl<O: Order> WithSimd for Rows<'_, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let rows = self.x.chunks_exact(self.columns);
        for ((row, index), value) in rows.zip(self.index).zip(self.value) {
            (*index, *value) =
                if row.len() < S::F32_LANES { scan(self.order, row) } else { vectors(simd, self.order, row) };
        }
    }
}

/// A row shorter than a vector.
#[inline(always)]
fn scan<O: Order>(_order: O, row: &[f32]) -> (u32, f32) {
    let mut best = (0, O::START);
    for (index, &value) in row.iter().enumerate() {
        best = if O::better(value, best.1) { (index as u32, value) } else { best };
    }
    best
}

/// A winner and its index per lane.
#[derive(Clone, Copy)]
struct Lanes<S: Simd, O> {
    order: O,
    value: S::f32s,
    index: S::u32s,
}

impl<S: Simd, O: Order> Lanes<S, O> {
    #[inline(always)]
    fn take(&mut self, simd: S, value: S::f32s, index: S::u32s) {
        let better = O::better_lanes(simd, value, self.value);
        self.value = simd.select_f32s(better, value, self.value);
        self.index = simd.select_u32s(better, index, self.index);
    }

    /// The better of both; equal values keep the lower index.
    #[inline(always)]
    fn or(self, simd: S, other: Self) -> Self {
        let wins = O::better_lanes(simd, other.value, self.value);
        let equal = simd.equal_f32s(other.value, self.value);
        let earlier = simd.and_m32s(equal, simd.less_than_u32s(other.index, self.index));
        let better = simd.or_m32s(wins, earlier);
        Self {
            order: self.order,
            value: simd.select_f32s(better, other.value, self.value),
            index: simd.select_u32s(better, other.index, self.index),
        }
    }

    /// The best of all lanes, by halves: no branch to mispredict once per row.
    #[inline(always)]
    fn best(mut self, simd: S) -> (u32, f32) {
        let mut shift = S::F32_LANES / 2;
        while shift > 0 {
            let value = simd.rotate_right_f32s(self.value, shift);
            let index = simd.rotate_right_u32s(self.index, shift);
            self = self.or(simd, Self { value, index, ..self });
            shift /= 2;
        }
        let (value, index) = ([self.value], [self.index]);
        (cast_slice(&index)[0], cast_slice(&value)[0])
    }
}

/// A row of at least one vector.
#[inline(always)]
fn vectors<S: Simd, O: Order>(simd: S, order: O, row: &[f32]) -> (u32, f32) {
    let start = Lanes { order, value: simd.splat_f32s(O::START), index: simd.splat_u32s(0) };
    let step = simd.splat_u32s(S::F32_LANES as u32);
    let mut lanes = start;
    let mut at = counting(simd);
    let (full, tail) = S::as_simd_f32s(row);
    let (groups, rest) = full.as_chunks::<CHAINS>();
    if !groups.is_empty() {
        let mut chains = [start; CHAINS];
        for group in groups {
            for (chain, &value) in chains.iter_mut().zip(group) {
                chain.take(simd, value, at);
                at = simd.add_u32s(at, step);
            }
        }
        let [first, second, third, fourth] = chains;
        lanes = first.or(simd, second).or(simd, third.or(simd, fourth));
    }
    for &value in rest {
        lanes.take(simd, value, at);
        at = simd.add_u32s(at, step);
    }
    if !tail.is_empty() {
        // The last vector overlaps the one before: what is seen twice is no better the second time.
        let last = row.len() - S::F32_LANES;
        let value = simd.partial_load_f32s(&row[last..]);
        let index = simd.add_u32s(counting(simd), simd.splat_u32s(last as u32));
        lanes = lanes.or(simd, Lanes { order, value, index });
    }
    lanes.best(simd)
}

/// 0, 1, 2, … in the lanes.
#[inline(always)]
fn counting<S: Simd>(simd: S) -> S::u32s {
    const NUMBERS: [u32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    simd.partial_load_u32s(&NUMBERS[..S::U32_LANES])
}
