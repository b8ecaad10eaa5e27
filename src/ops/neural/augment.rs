//! Images flipped and shifted at random.

use super::holds;
use crate::array::DeviceVec;
use crate::cpu::neural::augment as twin;
pub use crate::cpu::neural::augment::Augmentation;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Images, images.
    pub KERNEL = "neural/augment", [Read, Write], Params;
}

params! {
    struct Params {
        images: u32, height: u32, width: u32, channels: u32, vec4s: u32, flip: u32, shift: u32, step: u32, key_low: u32,
        key_high: u32,
    }
}

/// Copies images, each flipped and shifted as its random numbers say. Nothing waits.
pub fn augment(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    images: usize,
    how: Augmentation,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    if how.height == 0 || how.width == 0 || how.channels == 0 || how.shift >= how.height.max(how.width) {
        let expected = "images with pixels, and shifts shorter than their sides";
        return Err(Error::shape("augment", expected, format!("{how:?}")));
    }
    let stride = how.stride();
    holds("augment", "images", x, images * stride)?;
    holds("augment", "outputs", out, images * stride)?;
    if stream.gpu().is_none() {
        twin::augment(x.values()?, images, how, out.values_mut()?);
        return Ok(());
    }
    let views = [x.view(stream)?, out.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let params = Params {
        images: images as u32,
        height: how.height as u32,
        width: how.width as u32,
        channels: how.channels as u32,
        vec4s: (stride / 4) as u32,
        flip: u32::from(how.flip),
        shift: how.shift as u32,
        step: how.step,
        key_low: how.key as u32,
        key_high: (how.key >> 32) as u32,
    };
    let items = (images * stride / 4) as u64;
    let work = Work { operations: 100 * items, bytes: 32 * items };
    let buffers = [views[0].buffer(), views[1].buffer()];
    recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, Grid::covering(items, 64)?, work))
}
