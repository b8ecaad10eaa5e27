//! Exponential, hyperbolic tangent and arc cosine in f32, without branches, so that loops over them vectorise.
//!
//! The series themselves, cut where the next term is below a rounding; `shaders/lib/kernel_program.wgsl` takes the same
//! steps.

use std::f32::consts::{FRAC_1_PI, FRAC_PI_2, LOG2_E, PI};

/// ln 2 in two parts: multiples of the first up to 2¹⁰ are exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -0.000_212_194_44;
/// Adding and taking away 1.5·2²³ rounds a small number to the nearest integer.
const ROUNDER: f32 = 12_582_912.0;

/// eˣ, held within 2⁻¹²⁶ and 2¹²⁷; within 4·2⁻²⁴ of itself. Below −87.3 it is 0.
#[inline(always)]
pub(super) fn exponential(x: f32) -> f32 {
    let held = x.clamp(-87.33, 88.02);
    let rounded = held * LOG2_E + ROUNDER;
    let whole = rounded - ROUNDER;
    let y = (held - whole * LN_2_HIGH) - whole * LN_2_LOW;
    let high = 1.0 / 24.0 + y * (1.0 / 120.0 + y * (1.0 / 720.0 + y * (1.0 / 5040.0)));
    let fraction = 1.0 + y * (1.0 + y * (0.5 + y * (1.0 / 6.0 + y * high)));
    // The integer stands in the low bits of `rounded`; the shift drops the others.
    let power = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    if x < -87.33 { 0.0 } else { fraction * power }
}

/// By Lambert's continued fraction near 0, where 1 − 2/(e²ˣ + 1) loses digits.
#[inline(always)]
pub(super) fn hyperbolic_tangent(x: f32) -> f32 {
    let size = x.abs();
    let z = size.min(1.0) * size.min(1.0);
    let near = x / (1.0 + z / (3.0 + z / (5.0 + z / (7.0 + z / (9.0 + z / 11.0)))));
    let far = 1.0 - 2.0 / (exponential(2.0 * size.min(20.0)) + 1.0);
    if size < 1.0 { near } else { far.copysign(x) }
}

/// The angle whose cosine is `x`, for −1 ≤ x ≤ 1, within 3e-7: √(1−|x|) times a polynomial (Hastings' form).
#[inline(always)]
fn arc_cosine(x: f32) -> f32 {
    let size = x.abs();
    let low = 0.088_978_99
        + size
            * (-0.050_174_305
                + size * (0.030_891_88 + size * (-0.017_088_126 + size * (0.006_670_09 - size * 0.001_262_491_1))));
    let angle = (1.0 - size).max(0.0).sqrt() * (FRAC_PI_2 + size * (-0.214_598_8 + size * low));
    if x < 0.0 { PI - angle } else { angle }
}

/// The tangent kernel Θ of an infinitely wide relu network of `layers` hidden layers, for unit rows of correlation `x`:
/// with κ₀ = (π − θ)/π and κ₁ = (sin θ + (π − θ)·cos θ)/π, θ = arccos ρ, each layer makes Θ ← Θ·κ₀(ρ) + κ₁(ρ) and
/// ρ ← κ₁(ρ), from Θ = ρ.
#[inline(always)]
pub(super) fn tangent_kernel(x: f32, layers: u32) -> f32 {
    let (mut rho, mut theta) = (x, x);
    for _ in 0..layers {
        let rest = PI - arc_cosine(rho);
        let next = ((1.0 - rho * rho).max(0.0).sqrt() + rest * rho) * FRAC_1_PI;
        theta = theta * rest * FRAC_1_PI + next;
        rho = next.min(1.0);
    }
    theta
}
