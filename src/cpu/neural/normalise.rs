//! Layer and batch normalisation: scale·(x − mean)/deviation + shift.

use rayon::prelude::*;

use super::tail::Tail;

/// Which numbers share a mean and a deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Together {
    /// The channels of one place of one row: layer normalisation.
    Channels,
    /// One channel at all places of all rows of the batch: batch normalisation.
    Rows,
}

/// Rows of `places`×`channels` numbers, and parameters inside a flat vector: scales, shifts, and for [`Together::Rows`] the running
/// means and variances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormaliseShape {
    /// What shares a mean.
    pub together: Together,
    /// Where the parameters begin, a multiple of 4.
    pub first: usize,
    /// Pixels or steps of a row.
    pub places: usize,
    /// Numbers of a place.
    pub channels: usize,
    /// Added to variances.
    pub epsilon: f32,
}

impl NormaliseShape {
    /// From a row to the next.
    pub fn stride(&self) -> usize {
        (self.places * self.channels).next_multiple_of(4)
    }

    /// From a block of parameters to the next.
    pub fn block(&self) -> usize {
        self.channels.next_multiple_of(4)
    }

    /// Numbers of all parameters.
    pub fn parameters(&self) -> usize {
        self.block() * if self.together == Together::Rows { 4 } else { 2 }
    }

    /// Means with deviations of so many rows.
    pub fn sets(&self, rows: usize) -> usize {
        match self.together {
            Together::Channels => rows * self.places,
            Together::Rows => self.channels,
        }
    }

    /// A block of the layer's parameters: 0 scales, 1 shifts, 2 running means, 3 running variances.
    fn of<'a>(&self, parameters: &'a [f32], block: usize) -> &'a [f32] {
        &parameters[self.first + block * self.block()..][..self.channels]
    }
}

/// Mean and 1/deviation of each set of numbers.
pub fn statistics(x: &[f32], rows: usize, shape: NormaliseShape, out: &mut [[f32; 2]]) {
    let pair = |mean: f64, variance: f64| [mean as f32, (1.0 / (variance + f64::from(shape.epsilon)).sqrt()) as f32];
    match shape.together {
        Together::Channels => {
            for_places(x, rows, shape, out, |place, out| {
                let mean = place.iter().map(|value| f64::from(*value)).sum::<f64>() / place.len() as f64;
                let square = |value: &f32| (f64::from(*value) - mean).powi(2);
                *out = pair(mean, place.iter().map(square).sum::<f64>() / place.len() as f64);
            });
        }
        Together::Rows => {
            let count = (rows * shape.places).max(1) as f64;
            let means = channel_sums(x, rows, shape, |_, _, value| [f64::from(value), 0.0]);
            let squares = channel_sums(x, rows, shape, |_, channel, value| {
                [(f64::from(value) - means[channel][0] / count).powi(2), 0.0]
            });
            for ((out, mean), square) in out.iter_mut().zip(&means).zip(&squares) {
                *out = pair(mean[0] / count, square[0] / count);
            }
        }
    }
}

/// Mean and 1/deviation as the running statistics have them.
pub fn running(parameters: &[f32], shape: NormaliseShape, out: &mut [[f32; 2]]) {
    let pairs = shape.of(parameters, 2).iter().zip(shape.of(parameters, 3));
    for (out, (mean, variance)) in out.iter_mut().zip(pairs) {
        *out = [*mean, 1.0 / (variance + shape.epsilon).sqrt()];
    }
}

/// Moves the running statistics by `share` towards those of the batch.
pub fn follow(parameters: &mut [f32], statistics: &[[f32; 2]], shape: NormaliseShape, share: f32) {
    let own = &mut parameters[shape.first + 2 * shape.block()..][..2 * shape.block()];
    let (means, variances) = own.split_at_mut(shape.block());
    for ((mean, variance), [batch_mean, inverse]) in means.iter_mut().zip(variances).zip(statistics) {
        *mean += share * (batch_mean - *mean);
        *variance += share * ((1.0 / (inverse * inverse) - shape.epsilon) - *variance);
    }
}

/// `out = tail(scale·(x − mean)/deviation + shift)`.
pub fn forward(
    x: &[f32],
    (parameters, statistics): (&[f32], &[[f32; 2]]),
    rows: usize,
    shape: NormaliseShape,
    out: &mut [f32],
    tail: Tail,
) {
    let (stride, numbers) = (shape.stride(), shape.places * shape.channels);
    let (scales, shifts) = (shape.of(parameters, 0), shape.of(parameters, 1));
    out[..rows * stride].par_chunks_mut(stride).enumerate().for_each(|(row, out)| {
        let places =
            out[..numbers].chunks_exact_mut(shape.channels).zip(x[row * stride..].chunks_exact(shape.channels));
        for (place, (out, x)) in places.enumerate() {
            for (channel, (out, x)) in out.iter_mut().zip(x).enumerate() {
                let [mean, inverse] = statistics[set(shape, row, place, channel)];
                *out = scales[channel] * ((x - mean) * inverse) + shifts[channel];
            }
        }
        tail.forward(out, numbers, stride, row, None);
    });
}

/// The slopes by scales, Σ slope·normalised, and by shifts, Σ slope, written into `gradient` where the parameters are.
pub fn parameter_slope(
    (x, slope): (&[f32], &[f32]),
    statistics: &[[f32; 2]],
    rows: usize,
    shape: NormaliseShape,
    gradient: &mut [f32],
) {
    let sums = channel_sums(slope, rows, shape, |(row, place), channel, slope| {
        let [mean, inverse] = statistics[set(shape, row, place, channel)];
        let x = x[row * shape.stride() + place * shape.channels + channel];
        [f64::from(slope) * f64::from((x - mean) * inverse), f64::from(slope)]
    });
    let own = &mut gradient[shape.first..shape.first + shape.parameters()];
    own.fill(0.0);
    for (channel, [scale, shift]) in sums.into_iter().enumerate() {
        (own[channel], own[shape.block() + channel]) = (scale as f32, shift as f32);
    }
}

/// For each set the means of slope·scale·normalised and of slope·scale: what the slopes by inputs are freed of.
pub fn set_sums(
    (x, slope): (&[f32], &[f32]),
    (parameters, statistics): (&[f32], &[[f32; 2]]),
    rows: usize,
    shape: NormaliseShape,
    gradient: &[f32],
    out: &mut [[f32; 2]],
) {
    let scales = shape.of(parameters, 0);
    match shape.together {
        Together::Rows => {
            let count = (rows * shape.places).max(1) as f32;
            let sums = shape.of(gradient, 0).iter().zip(shape.of(gradient, 1)).zip(scales);
            for (out, ((normalised, plain), scale)) in out.iter_mut().zip(sums) {
                *out = [scale * normalised / count, scale * plain / count];
            }
        }
        Together::Channels => {
            out[..rows * shape.places].par_iter_mut().enumerate().for_each(|(at, out)| {
                let start = at / shape.places * shape.stride() + at % shape.places * shape.channels;
                let [mean, inverse] = statistics[at];
                let mut sums = [0.0; 2];
                for (channel, scale) in scales.iter().enumerate() {
                    let weighted = f64::from(slope[start + channel] * scale);
                    sums[0] += weighted * f64::from((x[start + channel] - mean) * inverse);
                    sums[1] += weighted;
                }
                *out = sums.map(|sum| (sum / shape.channels as f64) as f32);
            });
        }
    }
}

/// `out = tail'(slopes by the inputs)`, for the tail of the layer before, whose values are `x`.
pub fn input_slope(
    (x, slope): (&[f32], &[f32]),
    (parameters, statistics, sums): (&[f32], &[[f32; 2]], &[[f32; 2]]),
    rows: usize,
    shape: NormaliseShape,
    out: &mut [f32],
    tail: Tail,
) {
    let (stride, scales) = (shape.stride(), shape.of(parameters, 0));
    out[..rows * stride].par_chunks_mut(stride).enumerate().for_each(|(row, out)| {
        let own = row * stride..(row + 1) * stride;
        let (x, slope) = (&x[own.clone()], &slope[own]);
        for (at, out) in out.iter_mut().take(shape.places * shape.channels).enumerate() {
            let channel = at % shape.channels;
            let set = set(shape, row, at / shape.channels, channel);
            let [mean, inverse] = statistics[set];
            let normalised = (x[at] - mean) * inverse;
            *out = inverse * (scales[channel] * slope[at] - sums[set][1] - normalised * sums[set][0]);
        }
        tail.backward(out, x, stride, row);
    });
}

/// Which mean and deviation a number has.
#[inline(always)]
fn set(shape: NormaliseShape, row: usize, place: usize, channel: usize) -> usize {
    match shape.together {
        Together::Channels => row * shape.places + place,
        Together::Rows => channel,
    }
}

/// Runs over the places of all rows, each with its own output.
fn for_places(
    x: &[f32],
    rows: usize,
    shape: NormaliseShape,
    out: &mut [[f32; 2]],
    run: impl Fn(&[f32], &mut [f32; 2]) + Sync,
) {
    out[..rows * shape.places].par_chunks_mut(shape.places).enumerate().for_each(|(row, out)| {
        let places = x[row * shape.stride()..].chunks_exact(shape.channels);
        out.iter_mut().zip(places).for_each(|(out, place)| run(place, out));
    });
}

/// Sums by channel over all places of all rows: rows in eight groups, whose sums are added in their order.
fn channel_sums(
    values: &[f32],
    rows: usize,
    shape: NormaliseShape,
    of: impl Fn((usize, usize), usize, f32) -> [f64; 2] + Sync,
) -> Vec<[f64; 2]> {
    let per_group = rows.div_ceil(8).max(1);
    let groups: Vec<Vec<[f64; 2]>> = (0..rows.div_ceil(per_group))
        .into_par_iter()
        .map(|group| {
            let mut sums = vec![[0.0; 2]; shape.channels];
            for row in group * per_group..rows.min((group + 1) * per_group) {
                let places = values[row * shape.stride()..].chunks_exact(shape.channels).take(shape.places);
                for (place, values) in places.enumerate() {
                    for (channel, (sum, value)) in sums.iter_mut().zip(values).enumerate() {
                        let [first, second] = of((row, place), channel, *value);
                        *sum = [sum[0] + first, sum[1] + second];
                    }
                }
            }
            sums
        })
        .collect();
    let mut total = vec![[0.0; 2]; shape.channels];
    for group in groups {
        total.iter_mut().zip(group).for_each(|(total, sum)| *total = [total[0] + sum[0], total[1] + sum[1]]);
    }
    total
}
