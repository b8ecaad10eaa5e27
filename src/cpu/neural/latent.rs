//! The latent layer of a variational autoencoder: values drawn by their means and variances, the way back, the divergence.

use crate::cpu::random::philox::Philox;
use crate::cpu::tile::with_buffer;

/// Logarithms of variances count as within ± this, so that no step overflows: columns may be far from the unit scale.
pub const MOST_SPREAD: f32 = 20.0;
/// The random numbers of values.
const STREAM: u32 = 0x4e44_0010;

/// Rows and latent columns; the inputs have twice as many columns, means first, then logarithms of variances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatentShape {
    /// Rows of the batch.
    pub rows: usize,
    /// Latent columns, k.
    pub columns: usize,
}

impl LatentShape {
    /// From a row of values to the next.
    pub fn stride(&self) -> usize {
        self.columns.next_multiple_of(4)
    }

    /// From a row of inputs to the next.
    pub fn input_stride(&self) -> usize {
        (2 * self.columns).next_multiple_of(4)
    }
}

fn held(spread: f32) -> f32 {
    spread.clamp(-MOST_SPREAD, MOST_SPREAD)
}

/// Calls `run` with (place of a mean, place of its logarithm of variance, place of the value, normal).
fn each(shape: LatentShape, random: Option<(u64, u32)>, mut run: impl FnMut([usize; 3], f32)) {
    let stride = shape.stride();
    with_buffer(stride, |normals| {
        normals.fill(0.0);
        for row in 0..shape.rows {
            if let Some((key, step)) = random {
                let first = (u64::from(step) << 34) + (row * stride) as u64;
                Philox::new(key, STREAM).fill_normals(first, normals);
            }
            for (column, normal) in normals[..shape.columns].iter().enumerate() {
                let mean = row * shape.input_stride() + column;
                run([mean, mean + shape.columns, row * stride + column], *normal);
            }
        }
    });
}

/// Values: mean + e^(½·log variance)·normal, or the means without `random`.
pub fn forward(inputs: &[f32], shape: LatentShape, random: Option<(u64, u32)>, out: &mut [f32]) {
    each(shape, random, |[mean, spread, value], normal| {
        out[value] = inputs[mean] + (0.5 * held(inputs[spread])).exp() * normal;
    });
}

/// Slopes by the inputs: those through the values, and `scale` times those of the divergence.
pub fn backward(
    (inputs, slopes): (&[f32], &[f32]),
    shape: LatentShape,
    (scale, random): (f32, (u64, u32)),
    out: &mut [f32],
) {
    each(shape, Some(random), |[mean, spread, value], normal| {
        let deviation = (0.5 * held(inputs[spread])).exp();
        out[mean] = slopes[value] + scale * inputs[mean];
        out[spread] = 0.5 * slopes[value] * deviation * normal + scale * 0.5 * (deviation * deviation - 1.0);
    });
}

/// Adds the divergence from the standard normal, ½Σ(mean² + variance − 1 − log variance), of each `together` rows to a pair of sums.
pub fn divergence(inputs: &[f32], shape: LatentShape, together: usize, sums: &mut [[f32; 2]]) {
    each(shape, None, |[mean, spread, value], _| {
        let (mean, spread) = (inputs[mean], inputs[spread]);
        let row = value / shape.stride();
        sums[row / together][0] += 0.5 * (mean * mean + held(spread).exp() - 1.0 - spread);
    });
}
