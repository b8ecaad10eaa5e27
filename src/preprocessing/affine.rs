//! One straight line for each column: what every scaler does in the end.

use pulp::{Arch, Simd, WithSimd};

use super::table::map_blocks;
use crate::array::Matrix;
use crate::error::Result;

/// Numbers that the inner loop takes at least: narrow rows are taken several at a time.
const LANES: usize = 64;

/// `(x − center)·factor + base` for each value, with the numbers of its column, in f64; missing stays missing.
pub(super) struct Affine {
    center: Vec<f64>,
    factor: Vec<f64>,
    base: Vec<f64>,
    columns: usize,
}

impl Affine {
    /// From one center, factor and base for each column.
    pub(super) fn new(lines: impl Iterator<Item = (f64, f64, f64)>) -> Affine {
        let lines: Vec<(f64, f64, f64)> = lines.collect();
        let repeat = LANES.div_ceil(lines.len().max(1));
        let spread = |part: fn(&(f64, f64, f64)) -> f64| -> Vec<f64> {
            let once: Vec<f64> = lines.iter().map(part).collect();
            once.repeat(repeat)
        };
        let (center, factor, base) = (spread(|line| line.0), spread(|line| line.1), spread(|line| line.2));
        Affine { center, factor, base, columns: lines.len() }
    }

    /// All rows of `x`, n×d; a result beyond the range of `f32` is an error.
    pub(super) fn apply(&self, x: &Matrix) -> Result<Matrix> {
        map_blocks(x, self.columns, |_, source, target| {
            Arch::new().dispatch(Block { line: self, source, target });
            Ok(())
        })
    }
}

struct Block<'a> {
    line: &'a Affine,
    source: &'a [f32],
    target: &'a mut [f32],
}

impl WithSimd for Block<'_> {
    type Output = ();

    // pulp has no f32 to f64 conversion; over slices of equal length the compiler finds the processor's own.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let width = self.line.center.len();
        for (source, target) in self.source.chunks(width).zip(self.target.chunks_mut(width)) {
            let length = source.len();
            let (center, factor) = (&self.line.center[..length], &self.line.factor[..length]);
            let (base, target) = (&self.line.base[..length], &mut target[..length]);
            for lane in 0..length {
                target[lane] = ((f64::from(source[lane]) - center[lane]) * factor[lane] + base[lane]) as f32;
            }
        }
    }
}
