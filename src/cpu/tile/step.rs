//! What a tile does at each depth index: products, and the distances that are sums or maxima over the depth.

use pulp::Simd;

/// How the accumulators of two pieces of the depth become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// They are added.
    Sum,
    /// The larger one stays; asks for `alpha ≥ 0` and `beta = 0`.
    Maximum,
}

/// What one depth index does to an accumulator of the tile, and what becomes of it at the end.
pub trait Accumulate: Copy + Send + Sync + 'static {
    /// How pieces of the depth come together.
    const JOIN: Join = Join::Sum;

    /// The accumulator after the pair `a`, `b`; it starts at 0.
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s;

    /// The output from `alpha·Σ + beta·old`, once all of the depth is in it.
    #[inline(always)]
    fn finish<S: Simd>(self, _simd: S, value: S::f32s) -> S::f32s {
        value
    }
}

/// The inner product: `accumulator + a·b`, rounded once where the processor has a fused multiply-add.
#[derive(Clone, Copy, Debug)]
pub struct Dot;

impl Accumulate for Dot {
    #[inline(always)]
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        simd.mul_add_e_f32s(a, b, accumulator)
    }
}

/// The squared distance: `accumulator + (a − b)²`, which stays exact far from the origin.
#[derive(Clone, Copy, Debug)]
pub struct SquaredDifference;

impl Accumulate for SquaredDifference {
    #[inline(always)]
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        let difference = simd.sub_f32s(a, b);
        simd.mul_add_e_f32s(difference, difference, accumulator)
    }
}

/// The Euclidean distance: the root of [`SquaredDifference`].
#[derive(Clone, Copy, Debug)]
pub struct Euclidean;

impl Accumulate for Euclidean {
    #[inline(always)]
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        SquaredDifference.accumulate(simd, accumulator, a, b)
    }

    #[inline(always)]
    fn finish<S: Simd>(self, simd: S, value: S::f32s) -> S::f32s {
        simd.sqrt_f32s(value)
    }
}

/// The Manhattan distance: `accumulator + |a − b|`.
#[derive(Clone, Copy, Debug)]
pub struct AbsoluteDifference;

impl Accumulate for AbsoluteDifference {
    #[inline(always)]
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        simd.add_f32s(accumulator, simd.abs_f32s(simd.sub_f32s(a, b)))
    }
}

/// The Chebyshev distance: the largest `|a − b|`.
#[derive(Clone, Copy, Debug)]
pub struct LargestDifference;

impl Accumulate for LargestDifference {
    const JOIN: Join = Join::Maximum;

    #[inline(always)]
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        simd.max_f32s(accumulator, simd.abs_f32s(simd.sub_f32s(a, b)))
    }
}

/// The cosine distance of rows of length one: `1 − Σ a·b`, held in `[0, 2]`.
#[derive(Clone, Copy, Debug)]
pub struct OneMinusDot;

impl Accumulate for OneMinusDot {
    #[inline(always)]
    fn accumulate<S: Simd>(self, simd: S, accumulator: S::f32s, a: S::f32s, b: S::f32s) -> S::f32s {
        Dot.accumulate(simd, accumulator, a, b)
    }

    #[inline(always)]
    fn finish<S: Simd>(self, simd: S, value: S::f32s) -> S::f32s {
        let distance = simd.sub_f32s(simd.splat_f32s(1.0), value);
        simd.min_f32s(simd.max_f32s(distance, simd.splat_f32s(0.0)), simd.splat_f32s(2.0))
    }
}
