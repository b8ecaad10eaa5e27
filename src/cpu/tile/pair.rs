//! Squared distances of chosen pairs of rows, to the bits that [`product`](super::product) gives them.

use pulp::bytemuck::cast_slice;
use pulp::{Simd, WithSimd};

use super::step::{Accumulate, SquaredDifference};
use super::{DEPTH_BLOCK, DEPTH_SPAN};
use crate::cpu::simd::arch;

/// Pairs summed side by side: a multiply-add takes four cycles or more, and a sum is one long chain of them.
const PAIRS: usize = 4;

/// `out[i] = Σ (a[i] − b[i])²` over pairs of rows of equal length, found by their number: `pair(i)` for `i < out.len()`.
///
/// On this thread. Costs three steps a number, whatever the width of a vector: for rows that share no panel.
pub fn pair_distances<'a>(pair: impl Fn(usize) -> (&'a [f32], &'a [f32]), out: &mut [f32]) {
    arch().dispatch(PairDistances { pair, out });
}

struct PairDistances<'o, P> {
    pair: P,
    out: &'o mut [f32],
}

impl<'a, P: Fn(usize) -> (&'a [f32], &'a [f32])> WithSimd for PairDistances<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let last = self.out.len().saturating_sub(1);
        for (index, out) in self.out.chunks_mut(PAIRS).enumerate() {
            let pairs: [_; PAIRS] = std::array::from_fn(|lane| (self.pair)((index * PAIRS + lane).min(last)));
            let sums = if pairs[0].0.len() <= DEPTH_SPAN { span(simd, pairs) } else { spans(simd, pairs) };
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}

/// More than one span: f32 inside a span, f64 from span to span, as everywhere in the tile core.
#[inline(always)]
fn spans<S: Simd>(simd: S, pairs: [(&[f32], &[f32]); PAIRS]) -> [f32; PAIRS] {
    let depth = pairs[0].0.len();
    let mut sums = [0.0_f64; PAIRS];
    for first in (0..depth).step_by(DEPTH_SPAN) {
        let end = depth.min(first + DEPTH_SPAN);
        let part = span(simd, pairs.map(|(a, b)| (&a[first..end], &b[first..end])));
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += f64::from(part));
    }
    sums.map(|sum| sum as f32)
}

/// At most one span of depth, in blocks. All lanes of a vector do the same: the tile's own multiply-add is wanted.
#[inline(always)]
fn span<S: Simd>(simd: S, pairs: [(&[f32], &[f32]); PAIRS]) -> [f32; PAIRS] {
    let depth = pairs[0].0.len();
    let mut total = [simd.splat_f32s(0.0); PAIRS];
    for first in (0..depth).step_by(DEPTH_BLOCK) {
        let end = depth.min(first + DEPTH_BLOCK);
        let mut sums = [simd.splat_f32s(0.0); PAIRS];
        let [(a0, b0), (a1, b1), (a2, b2), (a3, b3)] = pairs.map(|(a, b)| (&a[first..end], &b[first..end]));
        // Zipped slices need no bounds checks.
        let columns = a0.iter().zip(b0).zip(a1.iter().zip(b1)).zip(a2.iter().zip(b2).zip(a3.iter().zip(b3)));
        for ((first, second), (third, fourth)) in columns {
            for (sum, (&a, &b)) in sums.iter_mut().zip([first, second, third, fourth]) {
                *sum = SquaredDifference.accumulate(simd, *sum, simd.splat_f32s(a), simd.splat_f32s(b));
            }
        }
        for (total, sum) in total.iter_mut().zip(sums) {
            *total = simd.add_f32s(*total, sum);
        }
    }
    total.map(|total| cast_slice::<S::f32s, f32>(&[total])[0])
}
