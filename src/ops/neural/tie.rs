//! Slopes of tied weights.

use super::holds;
use crate::array::DeviceVec;
use crate::cpu::neural::tie as twin;
pub use crate::cpu::neural::tie::TiedBlocks;
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// The gradient.
    pub KERNEL = "neural/tie", [Write], Params;
}

params! {
    struct Params { rows: u32, columns: u32, first: u32, stride: u32, turned_first: u32, turned_stride: u32 }
}

/// Gives each weight of two blocks, one of which is the other turned, the sum of both slopes: equal weights stay equal. Nothing
/// waits.
pub fn tie_slopes(stream: &mut Stream, gradient: &mut DeviceVec<f32>, blocks: TiedBlocks) -> Result<()> {
    let [stride, turned] = blocks.strides();
    let ends = [blocks.firsts[0] + blocks.rows * stride, blocks.firsts[1] + blocks.columns * turned];
    holds("tie_slopes", "a gradient", gradient, ends[0].max(ends[1]))?;
    if stream.gpu().is_none() {
        twin::tie(gradient.values_mut()?, blocks);
        return Ok(());
    }
    let view = gradient.view(stream)?;
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let params = Params {
        rows: blocks.rows as u32,
        columns: blocks.columns as u32,
        first: blocks.firsts[0] as u32,
        stride: stride as u32,
        turned_first: blocks.firsts[1] as u32,
        turned_stride: turned as u32,
    };
    let items = (blocks.rows * blocks.columns) as u64;
    let work = Work { operations: items, bytes: 16 * items };
    recording.dispatch(&KERNEL, Dispatch::new(&params, &[view.buffer()], Grid::covering(items, 256)?, work))
}
