//! The sum of each row.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Numbers a task reads at least: some 15 µs.
const NUMBERS_PER_TASK: usize = 1 << 16;
/// Sums carried side by side, on every processor the same, so that the bits are the same too.
const LANES: usize = 16;

/// `out[i] = Σ_k x[i][k]` for `x` of `rows×columns`, added in f64 and rounded once.
///
/// A sum depends on its row alone. Runs as fast as memory can be read; within `2⁻²⁴·|sum| + columns·2⁻⁵³·Σ|terms|`.
pub fn row_sums(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    debug_assert_eq!(x.len(), rows * columns);
    debug_assert_eq!(out.len(), rows);
    if columns == 0 {
        return out.fill(0.0);
    }
    let rows_per_task = NUMBERS_PER_TASK.div_ceil(columns);
    if rows <= rows_per_task {
        return vectorised!(sum_rows(x, columns, out));
    }
    x.par_chunks(rows_per_task * columns)
        .zip(out.par_chunks_mut(rows_per_task))
        .for_each(|(x, out)| vectorised!(sum_rows(x, columns, out)));
}

#[inline(always)]
fn sum_rows(x: &[f32], columns: usize, out: &mut [f32]) {
    for (row, out) in x.chunks_exact(columns).zip(out) {
        *out = sum(row) as f32;
    }
}

/// The sum of one row: in lanes, which are then added by halves.
#[inline(always)]
fn sum(row: &[f32]) -> f64 {
    let (groups, rest) = row.as_chunks::<LANES>();
    let mut tail = 0.0_f64;
    for &value in rest {
        tail += f64::from(value);
    }
    if groups.is_empty() {
        return tail;
    }
    let mut lanes = [0.0_f64; LANES];
    for group in groups {
        for (lane, &value) in lanes.iter_mut().zip(group) {
            *lane += f64::from(value);
        }
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
    }
    lanes[0] + tail
}
