//! Sizes of gradients and weights, in pieces of a flat vector.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Numbers of a piece at most.
pub const PIECE: usize = 4096;

/// For each piece `[first, end)`: Σ gradient², Σ weight², Σ |weight|, and 0.
pub fn norms(parameters: &[f32], gradient: &[f32], pieces: &[[u32; 2]], out: &mut [[f32; 4]]) {
    out.par_iter_mut().zip(pieces).with_min_len(8).for_each(|(out, [first, end])| {
        let range = *first as usize..*end as usize;
        *out = vectorised!(piece(&parameters[range.clone()], &gradient[range.clone()]));
    });
}

/// Sums in sixteen lanes, so that they vectorise in one order.
#[inline(always)]
fn piece(weights: &[f32], slopes: &[f32]) -> [f32; 4] {
    const LANES: usize = 16;
    let mut sums = [[0.0_f32; LANES]; 3];
    let (weight_rows, weight_rest) = weights.as_chunks::<LANES>();
    let (slope_rows, slope_rest) = slopes.as_chunks::<LANES>();
    for (weights, slopes) in weight_rows.iter().zip(slope_rows) {
        for lane in 0..LANES {
            sums[0][lane] += slopes[lane] * slopes[lane];
            sums[1][lane] += weights[lane] * weights[lane];
            sums[2][lane] += weights[lane].abs();
        }
    }
    for (lane, (weight, slope)) in weight_rest.iter().zip(slope_rest).enumerate() {
        sums[0][lane] += slope * slope;
        sums[1][lane] += weight * weight;
        sums[2][lane] += weight.abs();
    }
    let total = |of: usize| sums[of].iter().sum::<f32>();
    [total(0), total(1), total(2), 0.0]
}
