//! Bounds that hold for the real distances although all is computed in f32.

/// The unit roundoff of f32.
const UNIT: f32 = 1.0 / 16_777_216.0;
/// Depths that the tile sums one after the other before it adds the block to the rest.
const LONGEST_CHAIN: usize = 256;
/// Above the distance whose square underflows in all of 4096 terms, 2.4e-21.
const TINY: f32 = 1e-20;
/// Just below the root of the largest f32: what is known of a distance whose square overflows.
const HUGE: f32 = 1.8e19;
/// One step of a bound's movement rounds twice, by at most 2⁻²⁴ each.
const GROW: f32 = 1.0 + 4.0 * UNIT;
const SHRINK: f32 = 1.0 - 4.0 * UNIT;

/// How far a computed squared distance may be off, as a share of it: every term is positive, so errors only add up.
#[derive(Clone, Copy)]
pub(super) struct Margin {
    relative: f32,
}

impl Margin {
    /// For rows of `d ≤ 4096` numbers: three roundings a term, one for each sum on the longest way, and some to spare.
    pub(super) fn new(d: usize) -> Self {
        Self { relative: (d.min(LONGEST_CHAIN) + d / LONGEST_CHAIN + 10) as f32 * UNIT }
    }

    /// At least the distance whose computed square this is.
    #[inline(always)]
    pub(super) fn above(self, squared: f32) -> f32 {
        squared.sqrt() * (1.0 + self.relative) + TINY
    }

    /// At most the distance whose computed square this is.
    #[inline(always)]
    pub(super) fn below(self, squared: f32) -> f32 {
        squared.sqrt().min(HUGE) * (1.0 - self.relative) - TINY
    }

    /// Whether the bounds prove that every computed distance they are below is larger than the one they are above.
    #[inline(always)]
    pub(super) fn decides(self, upper: f32, lower: f32) -> bool {
        upper * (1.0 + 4.0 * self.relative) + 10.0 * TINY < lower
    }
}

/// An upper bound after its centre moved by at most `shift`.
#[inline(always)]
pub(super) fn grown(upper: f32, shift: f32) -> f32 {
    (upper + shift) * GROW
}

/// A lower bound after its centres moved by at most `shift`. Below zero it proves nothing, so it may round either way.
#[inline(always)]
pub(super) fn shrunk(lower: f32, shift: f32) -> f32 {
    lower * SHRINK - shift
}

/// At least the distance of two rows.
pub(super) fn distance_above(a: &[f32], b: &[f32]) -> f32 {
    let squared: f64 = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum();
    (squared.sqrt() as f32) * GROW
}
