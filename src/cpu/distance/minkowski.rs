//! Minkowski distances of any order between all rows of two matrices.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::pairwise::{chebyshev, manhattan};
use crate::cpu::elementary::{exp2, log2};
use crate::cpu::simd::arch;
use crate::cpu::tile::{Euclidean, Operand, product};
use crate::cpu::vector_lanes;

/// Vectors of rows of y side by side.
const VECTORS: usize = 2;
/// Panels of y in a task.
const PANELS_PER_TASK: usize = 16;
/// The largest difference is taken to be at least this, so that its reciprocal is finite.
const LEAST: f32 = 1e-37;

/// `out[i·m + j] = (Σ_k |x[i][k] − y[j][k]|^p)^(1/p)` for `x` of `n×d`, `y` of `m×d` and `p ≥ 1`, infinity too.
///
/// Orders 1, 2 and infinity go through the tile core. The others divide by the largest difference first, so that no
/// power leaves the range of f32, and cost `n·m·d` powers: products for orders 3 and 4, else a logarithm and an
/// exponential. Within `(d/p + 16)·2⁻²⁴` of the distance.
pub fn minkowski(x: &[f32], n: usize, y: &[f32], m: usize, d: usize, p: f32, out: &mut [f32]) {
    debug_assert!(p >= 1.0);
    debug_assert_eq!(x.len(), n * d);
    debug_assert_eq!(y.len(), m * d);
    debug_assert_eq!(out.len(), n * m);
    if p == 1.0 {
        manhattan(x, n, y, m, d, out);
    } else if p == 2.0 {
        product(Euclidean, Operand::from_rows(x, n, d), Operand::from_rows(y, m, d), 1.0, 0.0, out, m);
    } else if p == f32::INFINITY || d == 0 {
        chebyshev(x, n, y, m, d, out);
    } else if p == 3.0 {
        all_pairs(Third, x, y, m, d, out);
    } else if p == 4.0 {
        all_pairs(Fourth, x, y, m, d, out);
    } else {
        all_pairs(Any { p }, x, y, m, d, out);
    }
}

/// A power and its root, for a base in `[0, 1]`.
trait Power: Copy + Send + Sync {
    fn power<S: Simd>(self, simd: S, base: S::f32s) -> S::f32s;
    fn root<S: Simd>(self, simd: S, sum: S::f32s) -> S::f32s;
}

#[derive(Clone, Copy)]
struct Third;

impl Power for Third {
    #[inline(always)]
    fn power<S: Simd>(self, simd: S, base: S::f32s) -> S::f32s {
        simd.mul_f32s(simd.mul_f32s(base, base), base)
    }

    #[inline(always)]
    fn root<S: Simd>(self, simd: S, sum: S::f32s) -> S::f32s {
        exp2(simd, simd.mul_f32s(log2(simd, sum), simd.splat_f32s(1.0 / 3.0)))
    }
}

#[derive(Clone, Copy)]
struct Fourth;

impl Power for Fourth {
    #[inline(always)]
    fn power<S: Simd>(self, simd: S, base: S::f32s) -> S::f32s {
        let square = simd.mul_f32s(base, base);
        simd.mul_f32s(square, square)
    }

    #[inline(always)]
    fn root<S: Simd>(self, simd: S, sum: S::f32s) -> S::f32s {
        simd.sqrt_f32s(simd.sqrt_f32s(sum))
    }
}

#[derive(Clone, Copy)]
struct Any {
    p: f32,
}

impl Power for Any {
    // A base of 0 becomes 2⁻¹²⁶ or so, which vanishes beside the largest base, 1.
    #[inline(always)]
    fn power<S: Simd>(self, simd: S, base: S::f32s) -> S::f32s {
        exp2(simd, simd.mul_f32s(log2(simd, base), simd.splat_f32s(self.p)))
    }

    #[inline(always)]
    fn root<S: Simd>(self, simd: S, sum: S::f32s) -> S::f32s {
        exp2(simd, simd.div_f32s(log2(simd, sum), simd.splat_f32s(self.p)))
    }
}

/// Every row of x against the rows of y, which are packed in panels once.
fn all_pairs<P: Power>(power: P, x: &[f32], y: &[f32], m: usize, d: usize, out: &mut [f32]) {
    if x.is_empty() || m == 0 {
        return;
    }
    let width = VECTORS * vector_lanes();
    let mut panels = vec![0.0; m.next_multiple_of(width) * d];
    panels.par_chunks_mut(width * d).zip(y.par_chunks(width * d)).for_each(|(panel, y)| {
        for (lane, row) in y.chunks_exact(d).enumerate() {
            panel.iter_mut().skip(lane).step_by(width).zip(row).for_each(|(slot, &value)| *slot = value);
        }
    });
    let columns = PANELS_PER_TASK * width;
    out.par_chunks_mut(m).zip(x.par_chunks(d)).for_each(|(out, row)| {
        let parts = out.par_chunks_mut(columns).zip(panels.par_chunks(columns * d));
        parts.for_each(|(out, panels)| arch().dispatch(OneRow { power, row, panels, out }));
    });
}

/// The distances of one row to rows in panels, as [`minkowski`] has them for an order that is not 1, 2 or infinity.
///
/// A panel holds `2·lanes` rows side by side for each of the `row.len() ≥ 1` depth indices. On this thread.
pub(in crate::cpu) fn row_to_panels(p: f32, row: &[f32], panels: &[f32], out: &mut [f32]) {
    if p == 3.0 {
        arch().dispatch(OneRow { power: Third, row, panels, out });
    } else if p == 4.0 {
        arch().dispatch(OneRow { power: Fourth, row, panels, out });
    } else {
        arch().dispatch(OneRow { power: Any { p }, row, panels, out });
    }
}

/// One row of x against some panels of y.
struct OneRow<'a, P> {
    power: P,
    row: &'a [f32],
    panels: &'a [f32],
    out: &'a mut [f32],
}

impl<P: Power> WithSimd for OneRow<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let width = VECTORS * S::F32_LANES;
        let panels = self.panels.chunks_exact(width * self.row.len());
        for (out, panel) in self.out.chunks_mut(width).zip(panels) {
            let (panel, _) = S::as_simd_f32s(panel).0.as_chunks::<VECTORS>();
            let distances = distances(simd, self.power, self.row, panel);
            for (out, distances) in out.chunks_mut(S::F32_LANES).zip(distances) {
                simd.partial_store_f32s(out, distances);
            }
        }
    }
}

/// The distances of one row to the rows of a panel.
#[inline(always)]
fn distances<S: Simd, P: Power>(simd: S, power: P, row: &[f32], panel: &[[S::f32s; VECTORS]]) -> [S::f32s; VECTORS] {
    let zero = simd.splat_f32s(0.0);
    let mut largest = [zero; VECTORS];
    for (&x, y) in row.iter().zip(panel) {
        let x = simd.splat_f32s(x);
        for (largest, &y) in largest.iter_mut().zip(y) {
            *largest = simd.max_f32s(*largest, simd.abs_f32s(simd.sub_f32s(x, y)));
        }
    }
    let mut scale = [zero; VECTORS];
    for (scale, &largest) in scale.iter_mut().zip(&largest) {
        *scale = simd.div_f32s(simd.splat_f32s(1.0), simd.max_f32s(largest, simd.splat_f32s(LEAST)));
    }
    let mut sums = [zero; VECTORS];
    for (&x, y) in row.iter().zip(panel) {
        let x = simd.splat_f32s(x);
        for ((sum, &y), &scale) in sums.iter_mut().zip(y).zip(&scale) {
            let base = simd.mul_f32s(simd.abs_f32s(simd.sub_f32s(x, y)), scale);
            *sum = simd.add_f32s(*sum, power.power(simd, base));
        }
    }
    for (sum, &largest) in sums.iter_mut().zip(&largest) {
        let distance = simd.mul_f32s(largest, power.root(simd, *sum));
        *sum = simd.select_f32s(simd.less_than_f32s(zero, largest), distance, zero);
    }
    sums
}
