//! Products of a kernel matrix that is never stored.

use super::matrix::chunk;
use super::{Plan, Side};
use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::cpu::linalg::gemv::{gemv, gemv_transposed};
use crate::cpu::tile::with_buffer;

/// Kernel values made at a time, 4 MiB: they are in a cache when they are multiplied.
const CHUNK_VALUES: usize = 1 << 20;
/// Rows of B taken at a time, where A has few.
const COLUMN_BLOCK: usize = 8192;
/// Columns of V that are multiplied one by one.
const FEW: usize = 4;

/// `out = K(a, b)·v` for sides of n and m rows, `v` of m×p and `out` of n×p.
///
/// Blocks of K are made, multiplied and forgotten; blocks of columns are added in their order. Costs n·m·(depth + p)
/// steps and 4 MiB.
pub fn product(plan: &Plan, a: &[Side<'_>], b: &[Side<'_>], v: &[f32], p: usize, out: &mut [f32]) {
    let (n, m) = (a[0].count(), b[0].count());
    debug_assert!(v.len() == m * p && out.len() == n * p);
    out.fill(0.0);
    for first in (0..m).step_by(COLUMN_BLOCK) {
        let columns = COLUMN_BLOCK.min(m - first);
        let right = parts(b, first, columns);
        let v = &v[first * p..(first + columns) * p];
        let rows = (CHUNK_VALUES / columns).clamp(1, n.max(1));
        for start in (0..n).step_by(rows) {
            let count = rows.min(n - start);
            let out = &mut out[start * p..(start + count) * p];
            with_buffer(count * columns, |values| {
                chunk(plan, &parts(a, start, count), &right, None, values);
                times(values, (count, columns), v, p, out);
            });
        }
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
    let rows = (CHUNK_VALUES / m.max(1)).clamp(1, n.max(1));
    for first in (0..n).step_by(rows) {
        let count = rows.min(n - first);
        with_buffer(count * m, |values| {
            chunk(plan, &parts(a, first, count), b, None, values);
            let mut between = vec![0.0; count * p];
            times(values, (count, m), v, p, &mut between);
            if let Some(u) = u {
                between.iter_mut().zip(&u[first * p..(first + count) * p]).for_each(|(sum, u)| *sum -= u);
            }
            if let Some(w) = w {
                between.iter_mut().zip(&w[first * p..(first + count) * p]).for_each(|(sum, w)| *sum *= w);
            }
            times_transposed(values, (count, m), &between, p, out);
        });
    }
}

/// `out += values·v`.
fn times(values: &[f32], (rows, columns): (usize, usize), v: &[f32], p: usize, out: &mut [f32]) {
    match p {
        1 => gemv(1.0, values, rows, columns, v, 1.0, out),
        2..=FEW => by_columns(v, p, out, |v, out| gemv(1.0, values, rows, columns, v, 1.0, out)),
        _ => gemm(Layout::NN, 1.0, values, (rows, columns), v, (columns, p), 1.0, out),
    }
}

/// `out += valuesᵀ·u`.
fn times_transposed(values: &[f32], (rows, columns): (usize, usize), u: &[f32], p: usize, out: &mut [f32]) {
    match p {
        1 => gemv_transposed(1.0, values, rows, columns, u, 1.0, out),
        2..=FEW => by_columns(u, p, out, |u, out| gemv_transposed(1.0, values, rows, columns, u, 1.0, out)),
        _ => gemm(Layout::TN, 1.0, values, (rows, columns), u, (rows, p), 1.0, out),
    }
}

/// One column after the other: a tile of a product would be mostly empty.
fn by_columns(v: &[f32], p: usize, out: &mut [f32], work: impl Fn(&[f32], &mut [f32])) {
    for column in 0..p {
        let part = |values: &[f32]| -> Vec<f32> { values.iter().skip(column).step_by(p).copied().collect() };
        let mut sums = part(out);
        work(&part(v), &mut sums);
        out.iter_mut().skip(column).step_by(p).zip(sums).for_each(|(out, sum)| *out = sum);
    }
}

fn parts<'a>(sides: &[Side<'a>], first: usize, count: usize) -> Vec<Side<'a>> {
    sides.iter().map(|side| side.part(first, count)).collect()
}
