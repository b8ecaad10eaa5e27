//! Sums of more than one span of depth: f32 inside a span, f64 from span to span.

use rayon::prelude::*;

use super::micro::Finish;
use super::scratch::with_buffer;
use super::step::Join;
use super::{
    Accumulate, DEPTH_SPAN, Operand, OperandPair, ROW_BLOCK, Scale, WORTH_THREADS, alone, row_slices, shallow, steps,
};
use crate::cpu::simd::arch;

/// Elements of the output whose spans are added in f64 at a time: 8 MiB of sums.
const TILE_ELEMENTS: usize = 1 << 20;
/// Columns of the output whose spans are added at a time: bounds the panels that a thread packs for itself.
const TILE_COLUMNS: usize = 1024;
/// Sums that one task adds the spans to.
const SUMS_PER_TASK: usize = 4096;
/// Elements of an output small enough that its spans, not its rows, are shared out between the threads.
const SMALL: usize = 1 << 17;

/// More than one span: the spans' sums are added in f64, in index order, and rounded once.
pub(super) fn deep<Step: Accumulate>(
    step: Step,
    (a, b): OperandPair<'_>,
    scale: Scale,
    out: &mut [f32],
    out_stride: usize,
) {
    let columns = b.rows.min(TILE_COLUMNS);
    let rows = a.rows.min(TILE_ELEMENTS / columns);
    let mut sums = vec![0.0_f64; rows * columns];
    for first_row in (0..a.rows).step_by(rows) {
        let a = a.rows(first_row, rows.min(a.rows - first_row));
        for first_column in (0..b.rows).step_by(columns) {
            let b = b.rows(first_column, columns.min(b.rows - first_column));
            let sums = &mut sums[..a.rows * b.rows];
            add_spans(step, a, b, sums);
            let out = &mut out[first_row * out_stride + first_column..];
            for (row, sums) in out.chunks_mut(out_stride).zip(sums.chunks_exact(b.rows)) {
                for (value, &sum) in row.iter_mut().zip(sums) {
                    *value = scale.blend(sum, *value);
                }
                arch().dispatch(Finish { step, values: &mut row[..b.rows] });
            }
        }
    }
}

/// The f64 sums of one output tile. A small one cannot keep the threads busy: they take a span each.
fn add_spans<Step: Accumulate>(step: Step, a: Operand<'_>, b: Operand<'_>, sums: &mut [f64]) {
    let threads = rayon::current_num_threads();
    let spans = a.depth.div_ceil(DEPTH_SPAN);
    let worth_threads = steps(a, b) >= WORTH_THREADS;
    let span_each = sums.len() <= SMALL && (spans >= 2 * threads || a.rows < ROW_BLOCK);
    let together = if worth_threads && span_each { spans.min(2 * threads) } else { 1 };
    let size = sums.len();
    sums.fill(0.0);
    with_buffer(together * size, |partial| {
        for first in (0..spans).step_by(together) {
            let count = together.min(spans - first);
            let partial = &mut partial[..count * size];
            let one = |(index, partial): (usize, &mut [f32])| {
                let start = (first + index) * DEPTH_SPAN;
                let depth = DEPTH_SPAN.min(a.depth - start);
                let (a, b) = (a.depths(start, depth), b.depths(start, depth));
                if together == 1 {
                    shallow(step, (a, b), Scale::PLAIN, partial, b.rows);
                } else {
                    alone(step, a, b, Scale::PLAIN, &mut row_slices(partial, b.rows, a.rows, 0, b.rows));
                }
            };
            if count == 1 {
                one((0, &mut *partial));
            } else {
                partial.par_chunks_mut(size).enumerate().for_each(one);
            }
            join_in_order(Step::JOIN, partial, worth_threads, sums);
        }
    });
}

/// Adds each span's elements to the sums, the earlier spans first.
fn join_in_order(join: Join, partial: &[f32], worth_threads: bool, sums: &mut [f64]) {
    let size = sums.len();
    let add = |(index, sums): (usize, &mut [f64])| {
        for span in partial.chunks_exact(size) {
            for (sum, &value) in sums.iter_mut().zip(&span[index * SUMS_PER_TASK..]) {
                *sum = match join {
                    Join::Sum => *sum + f64::from(value),
                    Join::Maximum => sum.max(f64::from(value)),
                };
            }
        }
    };
    if worth_threads && size > SUMS_PER_TASK {
        sums.par_chunks_mut(SUMS_PER_TASK).enumerate().for_each(add);
    } else {
        sums.chunks_mut(SUMS_PER_TASK).enumerate().for_each(add);
    }
}
