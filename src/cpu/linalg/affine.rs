//! One straight line for each column: what every scaler does in the end.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Numbers that the inner loop takes at least: narrow rows are taken several at a time.
const LANES: usize = 64;
/// Numbers that a task takes, some 20 µs.
const NUMBERS_PER_TASK: usize = 1 << 16;

/// `out = (x − center)·factor + base`, all `rows×columns`, with the numbers of each column; missing stays missing.
///
/// In f64, rounded once. Runs as fast as memory can be read.
///
/// ```
/// use gristmill::cpu::linalg::affine::affine;
/// let mut out = [0.0; 2];
/// affine(&[3.0, 5.0], &[1.0, 5.0], &[0.5, 2.0], &[0.0, 7.0], &mut out);
/// assert_eq!(out, [1.0, 7.0]);
/// ```
pub fn affine(x: &[f32], center: &[f64], factor: &[f64], base: &[f64], out: &mut [f32]) {
    let columns = center.len();
    debug_assert!(x.len() == out.len() && factor.len() == columns && base.len() == columns);
    if columns == 0 {
        return;
    }
    let spread = |once: &[f64]| once.repeat(LANES.div_ceil(columns));
    let (center, factor, base) = (spread(center), spread(factor), spread(base));
    let at_once = NUMBERS_PER_TASK.next_multiple_of(center.len());
    out.par_chunks_mut(at_once).zip(x.par_chunks(at_once)).for_each(|(out, x)| {
        vectorised!(lines(&center, &factor, &base, x, out));
    });
}

/// Whole rows on this thread, with the numbers of the columns of a few rows.
// pulp has no f32 to f64 conversion; over slices of equal length the compiler finds the processor's own.
#[inline(always)]
fn lines(center: &[f64], factor: &[f64], base: &[f64], x: &[f32], out: &mut [f32]) {
    let width = center.len();
    for (x, out) in x.chunks(width).zip(out.chunks_mut(width)) {
        let length = x.len();
        let (center, factor) = (&center[..length], &factor[..length]);
        let (base, out) = (&base[..length], &mut out[..length]);
        for lane in 0..length {
            out[lane] = ((f64::from(x[lane]) - center[lane]) * factor[lane] + base[lane]) as f32;
        }
    }
}
