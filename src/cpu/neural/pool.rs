//! Pooling: the largest or the mean of each channel in a window.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::tail::Tail;
use super::windows::Windows;

/// What becomes of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u32)]
pub enum Pooling {
    /// The largest.
    Max,
    /// The mean of its pixels inside the image.
    Mean,
}

/// From a pooled image to the next.
pub fn pooled_stride(windows: &Windows) -> usize {
    (windows.count() * windows.channels).next_multiple_of(4)
}

/// Pools each image; `winners` gets where in its window each largest pixel is, the first of equal ones.
pub fn forward(
    pooling: Pooling,
    windows: &Windows,
    x: &[f32],
    images: usize,
    (out, winners): (&mut [f32], &mut [f32]),
    tail: Tail,
) {
    let (stride, out_stride, channels) = (windows.image_stride(), pooled_stride(windows), windows.channels);
    let outputs = out[..images * out_stride].par_chunks_mut(out_stride);
    let parts = outputs.zip(winners[..images * out_stride].par_chunks_mut(out_stride)).enumerate();
    parts.for_each(|(image, (out, winners))| {
        let x = &x[image * stride..][..stride];
        let pixels = out.chunks_exact_mut(channels).zip(winners.chunks_exact_mut(channels)).take(windows.count());
        for (at, (out, winners)) in pixels.enumerate() {
            match pooling {
                Pooling::Max => largest(windows, x, at, out, winners),
                Pooling::Mean => mean(windows, x, at, out),
            }
        }
        tail.forward(out, windows.count() * channels, out_stride, image, None);
    });
}

fn largest(windows: &Windows, x: &[f32], at: usize, out: &mut [f32], winners: &mut [f32]) {
    out.fill(f32::NEG_INFINITY);
    windows.visit(at, |inside, from, numbers| {
        for (pixel, values) in x[from..from + numbers].chunks_exact(windows.channels).enumerate() {
            let place = (inside / windows.channels + pixel) as f32;
            for ((out, winner), value) in out.iter_mut().zip(winners.iter_mut()).zip(values) {
                let larger = *value > *out;
                *out = if larger { *value } else { *out };
                *winner = if larger { place } else { *winner };
            }
        }
    });
}

fn mean(windows: &Windows, x: &[f32], at: usize, out: &mut [f32]) {
    out.fill(0.0);
    let mut pixels = 0;
    windows.visit(at, |_, from, numbers| {
        pixels += numbers / windows.channels;
        for values in x[from..from + numbers].chunks_exact(windows.channels) {
            out.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    });
    let share = 1.0 / pixels as f32;
    out.iter_mut().for_each(|sum| *sum *= share);
}

/// `out = tail'(slopes by the inputs)`, for the tail and the values of the layer before.
pub fn backward(
    pooling: Pooling,
    windows: &Windows,
    (slope, winners): (&[f32], &[f32]),
    images: usize,
    out: &mut [f32],
    (tail, saved): (Tail, &[f32]),
) {
    let (stride, from_stride, channels) = (windows.image_stride(), pooled_stride(windows), windows.channels);
    out[..images * stride].par_chunks_mut(stride).enumerate().for_each(|(image, out)| {
        out.fill(0.0);
        let own = image * from_stride..(image + 1) * from_stride;
        let pixels = slope[own.clone()].chunks_exact(channels).zip(winners[own].chunks_exact(channels));
        for (at, (slopes, winners)) in pixels.take(windows.count()).enumerate() {
            let mut pixels = 0;
            windows.visit(at, |_, _, numbers| pixels += numbers / channels);
            let share = 1.0 / pixels as f32;
            windows.visit(at, |inside, to, numbers| {
                for (pixel, out) in out[to..to + numbers].chunks_exact_mut(channels).enumerate() {
                    let place = (inside / channels + pixel) as f32;
                    for ((out, slope), winner) in out.iter_mut().zip(slopes).zip(winners) {
                        *out += match pooling {
                            Pooling::Max => f32::from(u8::from(*winner == place)) * slope,
                            Pooling::Mean => share * slope,
                        };
                    }
                }
            });
        }
        tail.backward(out, &saved[image * stride..][..stride], stride, image);
    });
}
