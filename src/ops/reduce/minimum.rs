//! The smallest value of a vector.

use std::cmp::Ordering;

use crate::array::{BLOCK, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "reduce/minimum", [Read, Write, Write], Params;
    /// The smallest of all runs.
    pub KERNEL_MERGE = "reduce/minimum__merge", [Read, Read, Write, Write], MergeParams;
}

params! {
    struct Params { count: u32, first: u32, groups: u32, value_first: u32, index_first: u32, base: u32 }
    struct MergeParams { runs: u32, value_first: u32, index_first: u32 }
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
    let (values, indices) = runs(stream, x)?;
    let found = values.to_vec(stream)?.into_iter().zip(indices.to_vec(stream)?);
    let least = found.min_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1)));
    Ok(least.map(|(value, at)| (value, at as usize)))
}

/// [`minimum`] into `value` and `index`, vectors of one value that stay on the device, with nothing read back. An empty
/// vector has no minimum and is an error.
pub fn minimum_into(
    stream: &mut Stream,
    x: &DeviceVec<f32>,
    value: &mut DeviceVec<f32>,
    index: &mut DeviceVec<u32>,
) -> Result<()> {
    x.complete_on(stream, "minimum_into")?;
    value.on(stream, "minimum_into")?;
    index.on(stream, "minimum_into")?;
    if x.is_empty() || value.len() != 1 || index.len() != 1 {
        let given = format!("{} values, results of {} and {}", x.len(), value.len(), index.len());
        return Err(Error::shape("minimum_into", "some values and two results of one".to_string(), given));
    }
    if stream.gpu().is_none() {
        let Some((least, at)) = crate::cpu::reduce::minimum::minimum(x.values()?) else { return Ok(()) };
        value.values_mut()?[0] = least;
        index.values_mut()?[0] = at as u32;
        return Ok(());
    }
    let (values, indices) = runs(stream, x)?;
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let from = [values.store()?.view(recording, 0..values.len())?, indices.store()?.view(recording, 0..values.len())?];
    let value_target = value.store()?.target(recording, 0..1, false)?;
    let index_target = index.store()?.target(recording, 0..1, false)?;
    let params = MergeParams {
        runs: values.len() as u32,
        value_first: value_target.view.first_word(),
        index_first: index_target.view.first_word(),
    };
    let work = Work { operations: 4 * values.len() as u64, bytes: 8 * values.len() as u64 };
    let buffers = &[from[0].buffer(), from[1].buffer(), value_target.view.buffer(), index_target.view.buffer()];
    recording.dispatch(&KERNEL_MERGE, Dispatch::new(&params, buffers, Grid::linear(1)?, work))?;
    value.store()?.commit(recording, value_target)?;
    index.store()?.commit(recording, index_target)
}

/// The smallest value of each run and its index.
fn runs(stream: &mut Stream, x: &DeviceVec<f32>) -> Result<(DeviceVec<f32>, DeviceVec<u32>)> {
    let count = x.len().div_ceil(PER_GROUP) * LANES;
    let (values, indices) = (DeviceVec::output(stream, count)?, DeviceVec::output(stream, count)?);
    let Some(recording) = stream.gpu() else { return Ok((values, indices)) };
    let per_dispatch = RowStore::block_rows(&recording.gpu, 1, 1, PER_GROUP).next_multiple_of(PER_GROUP);
    for range in blocks(x.len(), per_dispatch) {
        let groups = range.start / PER_GROUP..range.end.div_ceil(PER_GROUP);
        let results = groups.start * LANES..groups.end * LANES;
        let view = x.store()?.view(recording, range.clone())?;
        let value_target = values.store()?.target(recording, results.clone(), false)?;
        let index_target = indices.store()?.target(recording, results, false)?;
        let params = Params {
            count: range.len() as u32,
            first: view.first_word(),
            groups: groups.len() as u32,
            value_first: value_target.view.first_word(),
            index_first: index_target.view.first_word(),
            base: range.start as u32,
        };
        let grid = Grid::linear(groups.len() as u64)?;
        let work = Work { operations: range.len() as u64, bytes: 4 * range.len() as u64 };
        let buffers = &[view.buffer(), value_target.view.buffer(), index_target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work))?;
        values.store()?.commit(recording, value_target)?;
        indices.store()?.commit(recording, index_target)?;
    }
    Ok((values, indices))
}
