//! Gradient and Hessian of a row of weight 1, in f32 lanes without a fused step.

use std::f32::consts::LOG2_E;

use pulp::Simd;

use crate::cpu::elementary::exp2;

/// A loss of one score a row.
pub(super) trait Pointwise: Copy + Send + Sync {
    /// Gradient and Hessian of a row of weight 1.
    fn derivatives<S: Simd>(self, simd: S, score: S::f32s, target: S::f32s) -> [S::f32s; 2];
}

/// e to the power of a score.
#[inline(always)]
fn exp<S: Simd>(simd: S, score: S::f32s) -> S::f32s {
    exp2(simd, simd.mul_f32s(score, simd.splat_f32s(LOG2_E)))
}

/// p and 1 − p, neither as a difference: both keep their digits near 0.
#[inline(always)]
pub(super) fn probabilities<S: Simd>(simd: S, score: S::f32s) -> [S::f32s; 2] {
    let odds = exp2(simd, simd.mul_f32s(score, simd.splat_f32s(-LOG2_E)));
    let one = simd.splat_f32s(1.0);
    let probability = simd.div_f32s(one, simd.add_f32s(one, odds));
    [probability, simd.mul_f32s(odds, probability)]
}

/// ½(score − target)².
#[derive(Clone, Copy)]
pub(super) struct Squared;

impl Pointwise for Squared {
    #[inline(always)]
    fn derivatives<S: Simd>(self, simd: S, score: S::f32s, target: S::f32s) -> [S::f32s; 2] {
        [simd.sub_f32s(score, target), simd.splat_f32s(1.0)]
    }
}

/// ln(1 + e^∓score) with targets 0 and 1.
#[derive(Clone, Copy)]
pub(super) struct Logistic;

impl Pointwise for Logistic {
    #[inline(always)]
    fn derivatives<S: Simd>(self, simd: S, score: S::f32s, target: S::f32s) -> [S::f32s; 2] {
        let [probability, other] = probabilities(simd, score);
        // p for target 0 and p − 1 for target 1, again without a difference of near numbers.
        let against = simd.mul_f32s(probability, simd.sub_f32s(simd.splat_f32s(1.0), target));
        [simd.sub_f32s(against, simd.mul_f32s(other, target)), simd.mul_f32s(probability, other)]
    }
}

/// What a score above its target costs a unit, and one below: the absolute and the quantile loss.
#[derive(Clone, Copy)]
pub(super) struct Slopes {
    pub above: f32,
    pub below: f32,
    /// The gradient where score and target agree.
    pub at: f32,
}

impl Pointwise for Slopes {
    #[inline(always)]
    fn derivatives<S: Simd>(self, simd: S, score: S::f32s, target: S::f32s) -> [S::f32s; 2] {
        let rest = simd.select_f32s(
            simd.less_than_f32s(score, target),
            simd.splat_f32s(-self.below),
            simd.splat_f32s(self.at),
        );
        let gradient = simd.select_f32s(simd.less_than_f32s(target, score), simd.splat_f32s(self.above), rest);
        [gradient, simd.splat_f32s(1.0)]
    }
}

/// ½r² up to |r| = δ, then δ(|r| − ½δ).
#[derive(Clone, Copy)]
pub(super) struct Huber {
    pub delta: f32,
}

impl Pointwise for Huber {
    #[inline(always)]
    fn derivatives<S: Simd>(self, simd: S, score: S::f32s, target: S::f32s) -> [S::f32s; 2] {
        let difference = simd.sub_f32s(score, target);
        let clipped = simd.min_f32s(difference, simd.splat_f32s(self.delta));
        [simd.max_f32s(clipped, simd.splat_f32s(-self.delta)), simd.splat_f32s(1.0)]
    }
}

/// e^score − target·score.
#[derive(Clone, Copy)]
pub(super) struct Poisson;

impl Pointwise for Poisson {
    #[inline(always)]
    fn derivatives<S: Simd>(self, simd: S, score: S::f32s, target: S::f32s) -> [S::f32s; 2] {
        let mean = exp(simd, score);
        [simd.sub_f32s(mean, target), mean]
    }
}

/// e^∓score with targets 0 and 1.
#[derive(Clone, Copy)]
pub(super) struct Exponential;

impl Pointwise for Exponential {
    #[inline(always)]
    fn derivatives<S: Simd>(self, simd: S, score: S::f32s, target: S::f32s) -> [S::f32s; 2] {
        let one = simd.splat_f32s(1.0);
        let two = simd.splat_f32s(2.0);
        // 1 for target 0 and −1 for target 1.
        let sign = simd.sub_f32s(one, simd.mul_f32s(two, target));
        let loss = exp(simd, simd.mul_f32s(sign, score));
        [simd.mul_f32s(sign, loss), loss]
    }
}
