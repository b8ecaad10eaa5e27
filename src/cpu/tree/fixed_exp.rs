//! Powers of e, probabilities and reciprocals in integers alone: the same bits in Rust and in `shaders/lib/fixed_exp.wgsl`,
//! whatever a compiler fuses, reorders or flushes to zero. Within 2⁻²³ of themselves.

/// log₂ e in units of 2⁻³¹.
const LOG2_E: u32 = 3_098_164_009;
/// Exponents stay between −80 and 126: what is made of a power is a normal number of f32.
const LIMITS: [u32; 2] = [126 << 24, 80 << 24];
/// 2ᶠ for 0 ≤ f < 1 in units of 2⁻³⁰, from the Chebyshev series of degree 6: within 6·10⁻⁹.
const POWERS: [u32; 7] = [1 << 30, 744_260_848, 257_945_537, 59_571_654, 10_398_739, 1_330_132, 234_908];
/// 48/17 in units of 2⁻³⁰ and 32/17 in units of 2⁻³¹: the line nearest to 1/d for d from ½ to 1.
const LINE: [u32; 2] = [3_031_741_621, 4_042_322_160];

/// The upper word of a product.
#[inline(always)]
pub fn multiply_high(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// e to the power of a number as `mantissa·2^(exponent − 30)`, the mantissa from 2³⁰ to 2³¹.
#[inline(always)]
pub fn exp(bits: u32) -> (u32, i32) {
    let (biased, mantissa) = (bits >> 23 & 255, bits << 8 | 1 << 31);
    // |x|·log₂ e in units of 2⁻²⁴.
    let product = multiply_high(mantissa, LOG2_E);
    let size = if biased > 133 { u32::MAX } else { product >> (133 - biased.min(133)).min(31) };
    let size = if biased < 103 { 0 } else { size };
    let power = if bits >> 31 == 1 { -(size.min(LIMITS[1]) as i32) } else { size.min(LIMITS[0]) as i32 };
    let fraction = (power as u32) << 8;
    let mut series = POWERS[6];
    for coefficient in POWERS[..6].iter().rev() {
        series = coefficient + multiply_high(series, fraction);
    }
    (series, power >> 24)
}

/// 1/d in units of 2⁻³⁰, for a d from ½ to 1 in units of 2⁻³¹: three of Newton's steps from a line.
#[inline(always)]
pub fn reciprocal(d: u32) -> u32 {
    let mut y = LINE[0] - multiply_high(LINE[1], d);
    for _ in 0..3 {
        let rest = (1 << 30) - multiply_high(d, y);
        y = multiply_high(y, rest << 2) << 1;
    }
    y
}

/// `value·2^exponent` as f32, for a value below 2³¹ + 2⁶; rounded to units of 2⁷.
#[inline(always)]
pub fn to_f32(value: u32, exponent: i32) -> f32 {
    ((value + 64) >> 7) as i32 as f32 * power_of_two(exponent + 7)
}

/// 2 to the power of an integer from −126 to 127.
#[inline(always)]
pub fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// The probabilities 1/(1 + e^−score) and 1 − that, and their product.
#[inline(always)]
pub fn probabilities(score: f32) -> [f32; 3] {
    let (mantissa, exponent) = exp(score.to_bits() | 1 << 31);
    let sum = (1 << 30) + (mantissa >> (-exponent).min(31));
    let large = reciprocal(sum);
    // e/(1 + e) in units of 2^(exponent − 29), then times 1/(1 + e).
    let small = multiply_high(mantissa, large);
    let product = multiply_high(small << 2, large);
    let (small, large, product) = (to_f32(small, exponent - 29), to_f32(large, -31), to_f32(product, exponent - 30));
    if score.to_bits() >> 31 == 1 { [small, large, product] } else { [large, small, product] }
}
