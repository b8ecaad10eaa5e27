//! The smallest value of a vector.

use crate::array::{BLOCK, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "reduce/minimum", [Read, Write, Write], Params;
}

params! {
    struct Params { count: u32, first: u32, groups: u32, out_first: u32 }
}

/// Values of one workgroup, and its results.
const PER_GROUP: usize = 4 * BLOCK;
const LANES: usize = 64;

/// The smallest value and its lowest index; none for an empty vector. Exact: the same on every device.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let x = DeviceVec::from_slice(&[2.0_f32, -1.0, 5.0, -1.0], &Device::Cpu)?;
/// assert_eq!(ops::minimum(&mut Device::Cpu.stream(), &x)?, Some((-1.0, 1)));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn minimum(stream: &mut Stream, x: &DeviceVec<f32>) -> Result<Option<(f32, usize)>> {
    x.complete_on(stream, "minimum")?;
    if x.is_empty() {
        return Ok(None);
    }
    if stream.gpu().is_none() {
        return Ok(crate::cpu::reduce::minimum::minimum(x.values()?));
    }
    let mut best: Option<(f32, usize)> = None;
    // A dispatch at a time, because its indices count from its own first value.
    let per_dispatch = match stream.gpu() {
        Some(recording) => RowStore::block_rows(&recording.gpu, 1, 1, PER_GROUP).next_multiple_of(PER_GROUP),
        None => PER_GROUP,
    };
    for range in blocks(x.len(), per_dispatch) {
        let groups = range.len().div_ceil(PER_GROUP);
        let value = DeviceVec::<f32>::output(stream, groups * LANES)?;
        let index = DeviceVec::<u32>::output(stream, groups * LANES)?;
        if let Some(recording) = stream.gpu() {
            let view = x.store()?.view(recording, range.clone())?;
            let value_target = value.store()?.target(recording, 0..groups * LANES, false)?;
            let index_target = index.store()?.target(recording, 0..groups * LANES, false)?;
            let params =
                Params { count: range.len() as u32, first: view.first_word(), groups: groups as u32, out_first: 0 };
            let grid = Grid::linear(groups as u64)?;
            let work = Work { operations: range.len() as u64, bytes: 4 * range.len() as u64 };
            let buffers = &[view.buffer(), value_target.view.buffer(), index_target.view.buffer()];
            recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work))?;
            value.store()?.commit(recording, value_target)?;
            index.store()?.commit(recording, index_target)?;
        }
        let found = value.to_vec(stream)?.into_iter().zip(index.to_vec(stream)?);
        for (value, at) in found.map(|(value, at)| (value, range.start + at as usize)) {
            if best.is_none_or(|(least, first)| value < least || (value == least && at < first)) {
                best = Some((value, at));
            }
        }
    }
    Ok(best)
}
