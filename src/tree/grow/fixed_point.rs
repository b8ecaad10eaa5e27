//! Gradients and Hessians as integers.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::cpu::tree::histogram::{LIMIT, Sums, hessian_limit, pack};

/// Adding 1.5·2²³ leaves a small number rounded to the nearest integer, ties to even, in the low bits.
const ROUNDER: f32 = 12_582_912.0;
/// Rows packed together.
const BLOCK: usize = 1 << 14;
/// Scales stay finite for the smallest of gradients.
const LARGEST_SCALE: f64 = 1e37;

/// How the gradients and Hessians of one tree become integers: the largest of each becomes the largest integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FixedPoint {
    scales: [f32; 2],
}

impl FixedPoint {
    /// Integers for `rows` rows whose |gradients| and Hessians are at most these.
    pub fn new(largest_gradient: f32, largest_hessian: f32, rows: usize) -> FixedPoint {
        let scale = |limit: f64, largest: f32| match largest {
            largest if largest > 0.0 => (limit / f64::from(largest)).min(LARGEST_SCALE) as f32,
            _ => 1.0,
        };
        let hessian = scale(f64::from(hessian_limit(rows)), largest_hessian);
        FixedPoint { scales: [scale(f64::from(LIMIT), largest_gradient), hessian] }
    }

    /// What one unit of the gradients and one of the Hessians stand for.
    pub fn units(&self) -> [f64; 2] {
        self.scales.map(|scale| 1.0 / f64::from(scale))
    }

    /// The u64 of each row: gradient and Hessian rounded to the nearest integer, positive Hessians to 1 at least.
    pub fn pack(&self, gradients: &[f32], hessians: &[f32], packed: &mut [u64]) {
        let blocks = gradients.par_chunks(BLOCK).zip(hessians.par_chunks(BLOCK)).zip(packed.par_chunks_mut(BLOCK));
        blocks.for_each(|((gradients, hessians), packed)| {
            Arch::new().dispatch(Pack { scales: self.scales, gradients, hessians, packed });
        });
    }
}

struct Pack<'a> {
    scales: [f32; 2],
    gradients: &'a [f32],
    hessians: &'a [f32],
    packed: &'a mut [u64],
}

impl WithSimd for Pack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let integer = |value: f32| (value + ROUNDER).to_bits() as i32 - ROUNDER.to_bits() as i32;
        for ((gradient, hessian), packed) in self.gradients.iter().zip(self.hessians).zip(self.packed) {
            let units = integer(hessian * self.scales[1]).max(i32::from(*hessian > 0.0));
            *packed = pack(integer(gradient * self.scales[0]), units as u32);
        }
    }
}

/// The sums of the rows in `order`.
pub(crate) fn totals(packed: &[u64], order: &[u32]) -> Sums {
    let block =
        |rows: &[u32]| rows.iter().map(|row| Sums::of_row(packed[*row as usize])).fold(Sums::default(), Sums::plus);
    order.par_chunks(BLOCK).map(block).reduce(Sums::default, Sums::plus)
}
