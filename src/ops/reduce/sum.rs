//! The sum of a vector.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::array::{BLOCK, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Access, Field, Grid, Kernel, Needs, Work};

/// The kernel.
pub const KERNEL: Kernel = Kernel {
    name: "reduce/sum",
    source: include_str!("../../../shaders/reduce/sum.wgsl"),
    buffers: &[Access::Read, Access::Write],
    params: &[
        Field { name: "count", offset: offset_of!(Params, count) },
        Field { name: "first", offset: offset_of!(Params, first) },
        Field { name: "blocks", offset: offset_of!(Params, blocks) },
        Field { name: "out_first", offset: offset_of!(Params, out_first) },
    ],
    params_size: size_of::<Params>(),
    needs: Needs::Floor,
};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    count: u32,
    first: u32,
    blocks: u32,
    out_first: u32,
}

/// Σx in f64: the device adds blocks of 4096 values in pairs, the host adds the blocks in their order.
///
/// The error is at most 12·ε·Σ|x|, ε = 2⁻²⁴, on a GPU, and 4096·2⁻⁵³·Σ|x| on the CPU; the bits are the same every run.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let x = DeviceVec::from_slice(&[0.5_f32; 1000], &Device::Cpu)?;
/// assert_eq!(ops::sum(&mut Device::Cpu.stream(), &x)?, 500.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sum(stream: &mut Stream, x: &DeviceVec<f32>) -> Result<f64> {
    x.on(stream, "sum")?;
    x.refuse_missing()?;
    let partial = DeviceVec::<f32>::output(stream, x.len().div_ceil(BLOCK))?;
    let Some(recording) = stream.gpu() else { return Ok(crate::cpu::reduce::sum::sum(x.values()?)) };
    let (from, to) = (x.store()?, partial.store()?);
    let gpu = recording.gpu.clone();
    let per_dispatch = RowStore::block_rows(&gpu, 1, 1, BLOCK).next_multiple_of(BLOCK);
    for range in blocks(x.len(), per_dispatch) {
        let view = from.view(recording, range.clone())?;
        let results = range.start / BLOCK..range.end.div_ceil(BLOCK);
        let target = to.target(recording, results.clone(), false)?;
        let params = Params {
            count: range.len() as u32,
            first: view.first_word(),
            blocks: results.len() as u32,
            out_first: target.view.first_word(),
        };
        recording.dispatch(
            &KERNEL,
            Dispatch {
                params: bytemuck::bytes_of(&params),
                buffers: &[view.buffer(), target.view.buffer()],
                grid: Grid::linear(results.len() as u64)?,
                overrides: &[],
                work: Work { operations: range.len() as u64, bytes: 4 * (range.len() + results.len()) as u64 },
            },
        )?;
        to.commit(recording, target)?;
    }
    Ok(partial.to_vec(stream)?.iter().map(|value| *value as f64).sum())
}
