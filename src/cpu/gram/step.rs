//! The step of the tile core that no distance has: the limit of sums of cosines.

use pulp::Simd;

use crate::cpu::elementary::sine_cosine;
use crate::cpu::tile::Accumulate;

/// Adding and taking away 1.5·2²³ rounds a small number to the nearest integer.
const ROUNDER: f32 = 12_582_912.0;
/// Differences whose terms are 2π to the last bit.
const TINY: f32 = 1e-5;

/// `accumulator + sin(2π(a − b))/(a − b)`; 2π where they are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct SincStep;

impl Accumulate for SincStep {
    #[inline(always)]
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        let splat = |value: f32| simd.splat_f32s(value);
        let difference = simd.abs_f32s(simd.sub_f32s(a, b));
        // sin(2πd)/d is even; with d = whole + r it is sin(2πr)/d, and sin(2πr) = 2·sin(πr)·cos(πr) with |πr| ≤ π/2.
        let whole = simd.sub_f32s(simd.add_f32s(difference, splat(ROUNDER)), splat(ROUNDER));
        let rest = simd.sub_f32s(difference, whole);
        let size = simd.abs_f32s(rest);
        // Beyond a quarter of a turn by sin(π − x) = sin x.
        let folded = simd.min_f32s(size, simd.sub_f32s(splat(0.5), size));
        let (sine, cosine) = sine_cosine(simd, simd.mul_f32s(splat(std::f32::consts::PI), folded));
        let wave = simd.mul_f32s(splat(2.0), simd.mul_f32s(sine, cosine));
        let negative = simd.less_than_f32s(rest, splat(0.0));
        let wave = simd.select_f32s(negative, simd.neg_f32s(wave), wave);
        let tiny = simd.less_than_f32s(difference, splat(TINY));
        let term = simd.div_f32s(wave, simd.max_f32s(difference, splat(TINY)));
        simd.add_f32s(accumulator, simd.select_f32s(tiny, splat(std::f32::consts::TAU), term))
    }
}
