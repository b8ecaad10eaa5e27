//! Products of a kernel matrix that is never stored.

use rayon::prelude::*;

use super::block::{BLOCK, PackedRows, packed_at_once, parts};
use super::{Plan, Side};
use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::cpu::linalg::gemv::{gemv, gemv_transposed};
use crate::cpu::tile::with_buffer;

/// Rows that a task takes at most and at least, whole register tiles of them: with a block of columns they stay in a cache.
const ROWS: usize = 168;
const LEAST_ROWS: usize = 24;
/// Kernel values that a task keeps for their second use, 1 MiB.
const KEPT: usize = 1 << 18;
/// Sums of the transposed product that are added up apart: at most so many, and so many numbers.
const SEGMENTS: usize = 64;
const SEGMENT_NUMBERS: usize = 1 << 22;
/// Columns of V that are multiplied one by one.
const FEW: usize = 4;

/// `out = K(a, b)·v` for sides of n and m rows, `v` of m×p and `out` of n×p.
///
/// Blocks of K are made, multiplied and forgotten by the thread that made them; their sums are added in f64, in the order of the
/// columns. Costs n·m·(depth + p) steps, at most 16 MiB of packed rows and 1 MiB a thread.
pub fn product(plan: &Plan, a: &[Side<'_>], b: &[Side<'_>], v: &[f32], p: usize, out: &mut [f32]) {
    let (n, m) = (a[0].count(), b[0].count());
    debug_assert!(v.len() == m * p && out.len() == n * p);
    out.fill(0.0);
    if n == 0 || p == 0 {
        return;
    }
    let rows = n.div_ceil(4 * rayon::current_num_threads()).next_multiple_of(LEAST_ROWS).min(ROWS);
    let at_once = packed_at_once(b, BLOCK);
    for first in (0..m).step_by(at_once) {
        let packed = PackedRows::new(plan, parts(b, first, at_once.min(m - first)), BLOCK);
        let v = &v[first * p..];
        out.par_chunks_mut(rows * p).enumerate().for_each(|(task, out)| {
            let count = out.len() / p;
            let part = parts(a, task * rows, count);
            let mut sums: Vec<f64> = out.iter().copied().map(f64::from).collect();
            let mut fresh = vec![0.0; out.len()];
            let room = count * BLOCK;
            with_buffer(room + packed.held(room), |buffer| {
                let (room, held) = buffer.split_at_mut(room);
                for at in 0..packed.blocks() {
                    let columns = packed.columns(at);
                    let values = &mut room[..count * columns];
                    packed.fill(&part, at, false, values, held);
                    let v = &v[at * BLOCK * p..(at * BLOCK + columns) * p];
                    times(values, (count, columns), v, p, &mut fresh);
                    add(&mut sums, &fresh);
                }
            });
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum as f32);
        });
    }
}

/// `out = K(a, b)ᵀ·(w∘(K(a, b)·v − u))` for sides of n and m rows, `v` of m×p, `u` and `w` of n×p if they are there, `out` of
/// m×p: the two products of a least squares problem, with each value of K made once.
pub fn normal_product(
    plan: &Plan,
    (a, b): (&[Side<'_>], &[Side<'_>]),
    v: &[f32],
    [u, w]: [Option<&[f32]>; 2],
    p: usize,
    out: &mut [f32],
) {
    let (n, m) = (a[0].count(), b[0].count());
    debug_assert!(v.len() == m * p && out.len() == m * p);
    out.fill(0.0);
    if n == 0 || m == 0 || p == 0 {
        return;
    }
    let packed = PackedRows::new(plan, b.to_vec(), BLOCK);
    let rows = (KEPT / m / LEAST_ROWS * LEAST_ROWS).clamp(2 * LEAST_ROWS, ROWS);
    // The cut follows from the shapes alone, so the sums do not depend on the threads.
    let segments = (SEGMENT_NUMBERS / (m * p)).clamp(8, SEGMENTS);
    let segment = n.div_ceil(segments).next_multiple_of(rows);
    let normal = Normal { packed: &packed, v, u, w, p };
    let starts: Vec<usize> = (0..n).step_by(segment).collect();
    let partial: Vec<Vec<f64>> = starts
        .into_par_iter()
        .map(|first| {
            let mut sums = vec![0.0; m * p];
            for start in (first..n.min(first + segment)).step_by(rows) {
                let count = rows.min(n.min(first + segment) - start);
                normal.add_rows(&parts(a, start, count), start, &mut sums);
            }
            sums
        })
        .collect();
    let mut total = vec![0.0_f64; m * p];
    for sums in partial {
        total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
    }
    out.iter_mut().zip(total).for_each(|(out, sum)| *out = sum as f32);
}

/// What the rows of a normal product have in common.
struct Normal<'a> {
    packed: &'a PackedRows<'a>,
    v: &'a [f32],
    u: Option<&'a [f32]>,
    w: Option<&'a [f32]>,
    p: usize,
}

impl Normal<'_> {
    /// Adds what some rows of A give, the first of which is row `first`. Their values are kept by blocks of columns.
    fn add_rows(&self, part: &[Side<'_>], first: usize, sums: &mut [f64]) {
        let (p, count) = (self.p, part[0].count());
        let m = sums.len() / p;
        let span = |at: usize| at * BLOCK * p..(at * BLOCK + self.packed.columns(at)) * p;
        with_buffer(count * m + self.packed.held(count * BLOCK), |buffer| {
            let (kept, held) = buffer.split_at_mut(count * m);
            let mut between = vec![0.0_f64; count * p];
            let mut fresh = vec![0.0; count * p];
            for (at, values) in kept.chunks_mut(count * BLOCK).enumerate() {
                self.packed.fill(part, at, false, values, held);
                times(values, (count, self.packed.columns(at)), &self.v[span(at)], p, &mut fresh);
                add(&mut between, &fresh);
            }
            for (at, (to, &from)) in fresh.iter_mut().zip(&between).enumerate() {
                let value = |values: &[f32]| f64::from(values[first * p + at]);
                *to = ((from - self.u.map_or(0.0, value)) * self.w.map_or(1.0, value)) as f32;
            }
            let mut back = vec![0.0; BLOCK.min(m) * p];
            for (at, values) in kept.chunks(count * BLOCK).enumerate() {
                let columns = self.packed.columns(at);
                let back = &mut back[..columns * p];
                times_transposed(values, (count, columns), &fresh, p, back);
                add(&mut sums[span(at)], back);
            }
        });
    }
}

/// `out = values·v`.
fn times(values: &[f32], (rows, columns): (usize, usize), v: &[f32], p: usize, out: &mut [f32]) {
    match p {
        1 => gemv(1.0, values, rows, columns, v, 0.0, out),
        2..=FEW => by_columns(v, p, out, |v, out| gemv(1.0, values, rows, columns, v, 0.0, out)),
        _ => gemm(Layout::NN, 1.0, values, (rows, columns), v, (columns, p), 0.0, out),
    }
}

/// `out = valuesᵀ·u`.
fn times_transposed(values: &[f32], (rows, columns): (usize, usize), u: &[f32], p: usize, out: &mut [f32]) {
    match p {
        1 => gemv_transposed(1.0, values, rows, columns, u, 0.0, out),
        2..=FEW => by_columns(u, p, out, |u, out| gemv_transposed(1.0, values, rows, columns, u, 0.0, out)),
        _ => gemm(Layout::TN, 1.0, values, (rows, columns), u, (rows, p), 0.0, out),
    }
}

/// One column after the other: a tile of a product would be mostly empty.
fn by_columns(v: &[f32], p: usize, out: &mut [f32], work: impl Fn(&[f32], &mut [f32])) {
    let mut sums = vec![0.0; out.len() / p];
    for column in 0..p {
        let part: Vec<f32> = v.iter().skip(column).step_by(p).copied().collect();
        work(&part, &mut sums);
        out.iter_mut().skip(column).step_by(p).zip(&sums).for_each(|(out, sum)| *out = *sum);
    }
}

fn add(sums: &mut [f64], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value));
}
