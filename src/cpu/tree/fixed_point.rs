//! Gradients and Hessians as integers, and their sums.
//!
//! A row is one u64 of three fields: its gradient (27 bits, two's complement), its Hessian (26) and a one (11). Adding
//! it to a cell adds all three at once.

use rayon::prelude::*;

use super::fixed_exp::power_of_two;
use crate::cpu::vectorised;

/// The largest |gradient| and the largest Hessian of a row in fixed point.
pub const LIMIT: i32 = (1 << 15) - 1;
/// The most rows that a histogram can hold.
pub const MAX_ROWS: usize = (1 << COUNT_BITS) - 1;

/// Fields of a row's u64, from the lowest bit: count, Hessian, gradient.
const ROW_COUNT_BITS: u32 = 11;
const ROW_HESSIAN_BITS: u32 = 26;
const GRADIENT_SHIFT: u32 = ROW_COUNT_BITS + ROW_HESSIAN_BITS;
const GRADIENT_SIGN: i64 = 1 << (63 - GRADIENT_SHIFT);
/// Bits of the count in a wide sum; the Hessian stands above.
const COUNT_BITS: u32 = 26;
/// Adding 1.5·2²³ leaves a small number rounded to the nearest integer, ties to even, in the low bits.
const ROUNDER: f32 = 12_582_912.0;
/// Rows packed together.
const BLOCK: usize = 1 << 14;
/// Bits of the largest gradient and Hessian in the sums of leaves.
pub const FINE_BITS: i32 = 30;
/// The largest power of two that gradients are multiplied by: it stays finite for the smallest of them.
pub const LARGEST_EXPONENT: i32 = 125;

/// The largest Hessian a row may have among `rows` rows, so that their sum fits its field.
pub fn hessian_limit(rows: usize) -> u32 {
    let most = ((1_u64 << (64 - COUNT_BITS)) - 1) / rows.max(1) as u64;
    most.min(LIMIT as u64) as u32
}

/// A row's u64: |gradient| and hessian are at most [`LIMIT`].
#[inline(always)]
pub fn pack(gradient: i32, hessian: u32) -> u64 {
    ((i64::from(gradient) as u64) << GRADIENT_SHIFT).wrapping_add(u64::from(hessian) << ROW_COUNT_BITS | 1)
}

/// The gradient in a cell or a row.
#[inline(always)]
pub(super) fn gradient_of(cell: u64) -> i64 {
    ((cell >> GRADIENT_SHIFT) as i64 ^ GRADIENT_SIGN) - GRADIENT_SIGN
}

/// The Hessian and count of a cell or a row, as a wide sum has them.
#[inline(always)]
pub(super) fn weight_of(cell: u64) -> u64 {
    const COUNT: u64 = (1 << ROW_COUNT_BITS) - 1;
    const HESSIAN: u64 = ((1 << ROW_HESSIAN_BITS) - 1) << ROW_COUNT_BITS;
    (cell & HESSIAN) << (COUNT_BITS - ROW_COUNT_BITS) | cell & COUNT
}

/// What the rows of a cell, or of a node, add up to in fixed point.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GradientSums {
    /// Σ of the gradients.
    pub gradient: i64,
    /// Σ of the Hessians.
    pub hessian: u64,
    /// Number of rows.
    pub count: u64,
}

impl GradientSums {
    /// The sums of one row.
    pub fn of_row(packed: u64) -> GradientSums {
        GradientSums::wide(gradient_of(packed), weight_of(packed))
    }

    /// The sums of a cell: its gradient, and its Hessian above its count of 26 bits.
    #[inline(always)]
    pub fn wide(gradient: i64, weight: u64) -> GradientSums {
        GradientSums { gradient, hessian: weight >> COUNT_BITS, count: weight & ((1 << COUNT_BITS) - 1) }
    }

    /// The Hessian above the count, as in [`GradientSums::wide`].
    #[inline(always)]
    pub fn weight(self) -> u64 {
        self.hessian << COUNT_BITS | self.count
    }

    /// Both together.
    #[inline(always)]
    pub fn plus(self, other: GradientSums) -> GradientSums {
        GradientSums {
            gradient: self.gradient + other.gradient,
            hessian: self.hessian + other.hessian,
            count: self.count + other.count,
        }
    }

    /// What remains without `other`, which is a part of it.
    #[inline(always)]
    pub fn minus(self, other: GradientSums) -> GradientSums {
        GradientSums {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            count: self.count - other.count,
        }
    }
}

/// How the gradients and Hessians of one tree become integers: by powers of two, which are exact, so that the largest of
/// each has fifteen bits where splits are searched and thirty in the sums of leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedPoint {
    /// Powers of two that gradients and Hessians are multiplied by, for splits.
    exponents: [i32; 2],
    /// The same for the sums of leaves.
    fine: [i32; 2],
    /// The largest integer of each.
    limits: [i32; 2],
}

impl FixedPoint {
    /// Integers for `rows` rows whose |gradients| and Hessians are at most these.
    pub fn new(largest_gradient: f32, largest_hessian: f32, rows: usize) -> FixedPoint {
        let limits = [LIMIT, hessian_limit(rows) as i32];
        let bits = limits.map(|limit| (limit + 1).ilog2() as i32);
        let exponent = |bits: i32, largest: f32| match largest.to_bits() >> 23 {
            _ if largest == 0.0 => 0,
            biased => (bits - 1 - (biased as i32 - 127)).min(LARGEST_EXPONENT - FINE_BITS + bits),
        };
        FixedPoint {
            exponents: [exponent(bits[0], largest_gradient), exponent(bits[1], largest_hessian)],
            fine: [exponent(FINE_BITS, largest_gradient), exponent(FINE_BITS, largest_hessian)],
            limits,
        }
    }

    /// What one unit of the gradients and one of the Hessians stand for.
    pub fn units(&self) -> [f64; 2] {
        self.exponents.map(|exponent| f64::powi(2.0, -exponent))
    }

    /// The same in the sums of leaves.
    pub fn fine_units(&self) -> [f64; 2] {
        self.fine.map(|exponent| f64::powi(2.0, -exponent))
    }

    /// What a row's gradient and Hessian are multiplied by before they are cut to integers and added up in leaves.
    pub fn fine_scales(&self) -> [f32; 2] {
        self.fine.map(power_of_two)
    }

    /// The u64 of each row: gradient and Hessian rounded to the nearest integer, positive Hessians to 1 at least.
    pub fn pack(&self, gradients: &[f32], hessians: &[f32], packed: &mut [u64]) {
        let blocks = gradients.par_chunks(BLOCK).zip(hessians.par_chunks(BLOCK)).zip(packed.par_chunks_mut(BLOCK));
        blocks.for_each(|((gradients, hessians), packed)| {
            vectorised!(pack_block(self, gradients, hessians, packed));
        });
    }
}

#[inline(always)]
fn pack_block(fixed: &FixedPoint, gradients: &[f32], hessians: &[f32], packed: &mut [u64]) {
    let scales = fixed.exponents.map(power_of_two);
    let [most_gradient, most_hessian] = fixed.limits;
    let integer = |value: f32| (value + ROUNDER).to_bits() as i32 - ROUNDER.to_bits() as i32;
    for ((gradient, hessian), packed) in gradients.iter().zip(hessians).zip(packed) {
        let units = integer(hessian * scales[1]).max(i32::from(*hessian > 0.0)).min(most_hessian);
        *packed = pack(integer(gradient * scales[0]).clamp(-most_gradient, most_gradient), units as u32);
    }
}

/// The sums of the rows in `order`.
pub fn totals(packed: &[u64], order: &[u32]) -> GradientSums {
    let block = |rows: &[u32]| {
        rows.iter()
            .map(|row| GradientSums::of_row(packed[*row as usize]))
            .fold(GradientSums::default(), GradientSums::plus)
    };
    order.par_chunks(BLOCK).map(block).reduce(GradientSums::default, GradientSums::plus)
}
