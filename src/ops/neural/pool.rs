//! The largest or the mean of each channel in a window.

use super::{DropNumbers, holds};
use crate::array::DeviceVec;
pub use crate::cpu::neural::pool::Pooling;
use crate::cpu::neural::pool::{self as twin, pooled_stride};
use crate::cpu::neural::tail::Tail;
use crate::cpu::neural::windows::Windows;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Values or slopes, saved values, places of the largest, the result.
    pub KERNEL = "neural/pool", [Read, Read, Write, Write], Params;
}

params! {
    struct Params {
        images: u32, in_vec4s: u32, out_vec4s: u32, drop_scale: f32, drop_kept: f32, drop_threshold: u32,
        drop_step: u32, key_low: u32, key_high: u32,
    }
}

/// `out = tail(pooled images)`, (window rows)×(window columns)×channels an image. `winners`, as large as `out`, keeps where the
/// largest are. Padding counts neither for the largest nor for the mean.
pub fn pool_forward(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    (pooling, windows): (Pooling, Windows),
    images: usize,
    (out, winners): (&mut DeviceVec<f32>, &mut DeviceVec<f32>),
    tail: Tail,
) -> Result<()> {
    const OP: &str = "pool_forward";
    check(OP, windows)?;
    holds(OP, "images", x, images * windows.image_stride())?;
    holds(OP, "outputs", out, images * pooled_stride(&windows))?;
    holds(OP, "places", winners, images * pooled_stride(&windows))?;
    if stream.gpu().is_none() {
        let made = (out.values_mut()?, winners.values_mut()?);
        twin::forward(pooling, &windows, x.values()?, images, made, tail);
        return Ok(());
    }
    run(stream, (x, x), (pooling, windows), images, (out, winners), (tail, 0))
}

/// `out = tail'(slopes by the inputs)`, for the tail of the layer before and its values, `saved`.
pub fn pool_backward(
    stream: &mut Stream,
    (slope, winners): (&DeviceVec<f32>, &mut DeviceVec<f32>),
    (pooling, windows): (Pooling, Windows),
    images: usize,
    out: &mut DeviceVec<f32>,
    (tail, saved): (Tail, &DeviceVec<f32>),
) -> Result<()> {
    const OP: &str = "pool_backward";
    check(OP, windows)?;
    holds(OP, "slopes", slope, images * pooled_stride(&windows))?;
    holds(OP, "places", winners, images * pooled_stride(&windows))?;
    holds(OP, "images", saved, images * windows.image_stride())?;
    holds(OP, "slopes by images", out, images * windows.image_stride())?;
    if stream.gpu().is_none() {
        let slopes = (slope.values()?, winners.values()?);
        twin::backward(pooling, &windows, slopes, images, out.values_mut()?, (tail, saved.values()?));
        return Ok(());
    }
    run(stream, (slope, saved), (pooling, windows), images, (out, winners), (tail, 1))
}

fn check(op: &'static str, windows: Windows) -> Result<()> {
    match windows.fit() {
        true => Ok(()),
        false => Err(Error::shape(op, "windows that fit the image", format!("{windows:?}"))),
    }
}

fn run(
    stream: &mut Stream,
    (x, saved): (&DeviceVec<f32>, &DeviceVec<f32>),
    (pooling, windows): (Pooling, Windows),
    images: usize,
    (out, winners): (&mut DeviceVec<f32>, &mut DeviceVec<f32>),
    (tail, back): (Tail, u32),
) -> Result<()> {
    let views = [x.view(stream)?, saved.view(stream)?, winners.view(stream)?, out.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let drop = DropNumbers::new(tail);
    let vec4s = [windows.image_stride() / 4, pooled_stride(&windows) / 4];
    let params = Params {
        images: images as u32,
        in_vec4s: vec4s[0] as u32,
        out_vec4s: vec4s[1] as u32,
        drop_scale: drop.scale,
        drop_kept: drop.kept,
        drop_threshold: drop.threshold,
        drop_step: drop.step,
        key_low: drop.key[0],
        key_high: drop.key[1],
    };
    let overrides = [
        ("BACK", back),
        ("MEAN", pooling as u32),
        ("TAIL", tail.activation as u32),
        ("DROPOUT", drop.on),
        ("HEIGHT", windows.height as u32),
        ("WIDTH", windows.width as u32),
        ("CHANNELS", windows.channels as u32),
        ("WINDOW_HEIGHT", windows.size[0] as u32),
        ("WINDOW_WIDTH", windows.size[1] as u32),
        ("STEP", windows.step as u32),
        ("PADDING", windows.padding as u32),
        ("OUT_HEIGHT", windows.rows() as u32),
        ("OUT_WIDTH", windows.columns() as u32),
    ];
    let items = (images * vec4s[if back == 1 { 0 } else { 1 }]) as u64;
    let each = (windows.size[0] * windows.size[1]) as u64;
    let work = Work { operations: 8 * items * each, bytes: 16 * (images * (vec4s[0] + 2 * vec4s[1])) as u64 };
    let buffers = [0, 1, 2, 3].map(|at| views[at].buffer());
    let dispatch = Dispatch::new(&params, &buffers, Grid::covering(items, 64)?, work).overrides(&overrides);
    recording.dispatch(&KERNEL, dispatch)
}
