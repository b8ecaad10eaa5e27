//! Logarithm, power of two, sine and cosine of f32 lanes, without a branch or a call.
//!
//! The polynomials are the series themselves, cut where the next term is below 2⁻²⁵ of the result. Products and sums
//! are not fused, so every processor gives the same bits, and a shader can take the same steps.

use std::f32::consts::{LN_2, LOG2_E};

use pulp::Simd;

/// What moves the bits of √½ to those of 1: the exponent then counts from √½·2ᵏ to √2·2ᵏ.
const ROOT_HALF_TO_ONE: u32 = 0x3f80_0000 - 0x3f35_04f3;
const ONE: u32 = 0x3f80_0000;
const MANTISSA_BITS: u32 = 23;
/// 2²³, whose low bits count in ones: integers below 2²³ become f32 by addition to its bits.
const COUNTER: u32 = 0x4b00_0000;
/// Adding and taking away 1.5·2²³ rounds a small number to the nearest integer.
const ROUNDER: f32 = 12_582_912.0;

/// `Σ coefficients[k]·z^k` for an even number of them; the even and the odd powers make two chains side by side.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, z: S::f32s, coefficients: [f32; N]) -> S::f32s {
    let square = simd.mul_f32s(z, z);
    let mut even = simd.splat_f32s(coefficients[N - 2]);
    let mut odd = simd.splat_f32s(coefficients[N - 1]);
    for index in 1..N / 2 {
        even = simd.add_f32s(simd.mul_f32s(even, square), simd.splat_f32s(coefficients[N - 2 - 2 * index]));
        odd = simd.add_f32s(simd.mul_f32s(odd, square), simd.splat_f32s(coefficients[N - 1 - 2 * index]));
    }
    simd.add_f32s(even, simd.mul_f32s(odd, z))
}

/// Integers below 2²³, plus `offset`, as f32, exact if the result is below 2²⁴.
#[inline(always)]
pub fn to_f32<S: Simd>(simd: S, integer: S::u32s, offset: i32) -> S::f32s {
    let counted = simd.transmute_f32s_u32s(simd.add_u32s(integer, simd.splat_u32s(COUNTER)));
    simd.sub_f32s(counted, simd.splat_f32s(f32::from_bits(COUNTER) - offset as f32))
}

/// The logarithm to base 2 of positive normal numbers, within 4·2⁻²⁴ of itself, also near 1; −127 for 0.
#[inline(always)]
pub fn log2<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let shift = simd.splat_u32s(MANTISSA_BITS);
    let bits = simd.transmute_u32s_f32s(x);
    let biased = simd.wrapping_dyn_shr_u32s(simd.add_u32s(bits, simd.splat_u32s(ROOT_HALF_TO_ONE)), shift);
    let mantissa = simd.sub_u32s(simd.add_u32s(bits, simd.splat_u32s(ONE)), simd.wrapping_dyn_shl_u32s(biased, shift));
    let exponent = to_f32(simd, biased, -127);
    // ln m = 2·artanh((m − 1)/(m + 1)), where |s| ≤ 0.172.
    let above = simd.sub_f32s(simd.transmute_f32s_u32s(mantissa), simd.splat_f32s(1.0));
    let s = simd.div_f32s(above, simd.add_f32s(above, simd.splat_f32s(2.0)));
    let z = simd.mul_f32s(s, s);
    let series = polynomial(simd, z, [1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0]);
    let artanh = simd.add_f32s(s, simd.mul_f32s(simd.mul_f32s(s, z), series));
    simd.add_f32s(exponent, simd.mul_f32s(simd.splat_f32s(2.0 * LOG2_E), artanh))
}

/// 2 to the power `x`, with `x` held in `[−126, 127]`; within `4·2⁻²⁴` of itself.
#[inline(always)]
pub fn exp2<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let x = simd.min_f32s(simd.max_f32s(x, simd.splat_f32s(-126.0)), simd.splat_f32s(127.0));
    let rounded = simd.add_f32s(x, simd.splat_f32s(ROUNDER));
    let fraction = simd.sub_f32s(x, simd.sub_f32s(rounded, simd.splat_f32s(ROUNDER)));
    let y = simd.mul_f32s(fraction, simd.splat_f32s(LN_2));
    let series =
        polynomial(simd, y, [1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0]);
    // The integer stands in the low bits of `rounded`; the shift drops the others.
    let biased = simd.add_u32s(simd.transmute_u32s_f32s(rounded), simd.splat_u32s(127));
    let power = simd.wrapping_dyn_shl_u32s(biased, simd.splat_u32s(MANTISSA_BITS));
    simd.mul_f32s(series, simd.transmute_f32s_u32s(power))
}

/// Sine and cosine of an angle in `[−π/4, π/4]`, within `3·2⁻²⁴`.
#[inline(always)]
pub fn sine_cosine<S: Simd>(simd: S, angle: S::f32s) -> (S::f32s, S::f32s) {
    let z = simd.mul_f32s(angle, angle);
    let sine = polynomial(simd, z, [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]);
    let cosine = polynomial(simd, z, [1.0, -1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0]);
    (simd.add_f32s(angle, simd.mul_f32s(simd.mul_f32s(angle, z), sine)), cosine)
}
