//! The product of two vectors.

use crate::array::{BLOCK, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// x, y, a sum for each block.
    pub KERNEL = "linalg/dot", [Read, Read, Write], Params;
}

params! {
    struct Params { count: u32, blocks: u32, x_first: u32, y_first: u32, out_first: u32 }
}

/// Σx·y in f64 for two vectors of one length. On a GPU blocks of 4096 are added in f32, and again until 4096 sums or fewer
/// are left for the host: the error is at most 14·ε·Σ|x·y| a pass, ε = 2⁻²⁴. The CPU adds in f64.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = DeviceVec::from_slice(&[1.0_f32, 2.0, 3.0], &Device::Cpu)?;
/// assert_eq!(ops::dot(&mut stream, &x, &x)?, 14.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn dot(stream: &mut Stream, x: &DeviceVec<f32>, y: &DeviceVec<f32>) -> Result<f64> {
    check(stream, x, y)?;
    if stream.gpu().is_none() {
        return Ok(crate::cpu::linalg::dot::dot(x.values()?, y.values()?));
    }
    let mut partial = pass(stream, x, Some(y))?;
    while partial.len() > BLOCK {
        partial = pass(stream, &partial, None)?;
    }
    Ok(partial.to_vec(stream)?.iter().map(|value| *value as f64).sum())
}

/// [`dot`] in f32 into `out`, a vector of one value, with nothing read back: the passes go on until one sum is left.
pub fn dot_into(stream: &mut Stream, x: &DeviceVec<f32>, y: &DeviceVec<f32>, out: &mut DeviceVec<f32>) -> Result<()> {
    check(stream, x, y)?;
    sum_passes(stream, "dot_into", x, Some(y), out)
}

/// Σx·y, or Σx, into a vector of one value.
pub(crate) fn sum_passes(
    stream: &mut Stream,
    op: &'static str,
    x: &DeviceVec<f32>,
    y: Option<&DeviceVec<f32>>,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    out.on(stream, op)?;
    if out.len() != 1 {
        return Err(Error::shape(op, "a vector of one value for the result".to_string(), out.len()));
    }
    if stream.gpu().is_none() {
        let sum = match y {
            Some(y) => crate::cpu::linalg::dot::dot(x.values()?, y.values()?),
            None => crate::cpu::reduce::sum::sum(x.values()?),
        };
        out.values_mut()?[0] = sum as f32;
        return Ok(());
    }
    if x.is_empty() {
        return out.write(stream, 0, &[0.0]);
    }
    let mut partial = pass(stream, x, y)?;
    while partial.len() > 1 {
        partial = pass(stream, &partial, None)?;
    }
    out.copy_from(stream, &partial)
}

/// A sum for each block of 4096.
fn pass(stream: &mut Stream, x: &DeviceVec<f32>, y: Option<&DeviceVec<f32>>) -> Result<DeviceVec<f32>> {
    let out = DeviceVec::output(stream, x.len().div_ceil(BLOCK))?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let to = out.store()?;
    let per_dispatch = RowStore::block_rows(&recording.gpu, 2, 2, BLOCK).next_multiple_of(BLOCK);
    for range in blocks(x.len(), per_dispatch) {
        let x_view = x.store()?.view(recording, range.clone())?;
        let y_view = y.map(|y| y.store()?.view(recording, range.clone())).transpose()?;
        let results = range.start / BLOCK..range.end.div_ceil(BLOCK);
        let target = to.target(recording, results.clone(), false)?;
        let params = Params {
            count: range.len() as u32,
            blocks: results.len() as u32,
            x_first: x_view.first_word() / 4,
            y_first: y_view.as_ref().map_or(0, |view| view.first_word() / 4),
            out_first: target.view.first_word(),
        };
        let count = range.len() as u64;
        let work = Work { operations: 2 * count, bytes: 4 * count * if y.is_some() { 2 } else { 1 } };
        let buffers = &[x_view.buffer(), y_view.as_ref().unwrap_or(&x_view).buffer(), target.view.buffer()];
        let dispatch = Dispatch::new(&params, buffers, Grid::linear(results.len() as u64)?, work);
        recording.dispatch(&KERNEL, dispatch.overrides(&[("PAIRED", u32::from(y.is_some()))]))?;
        to.commit(recording, target)?;
    }
    Ok(out)
}

fn check(stream: &Stream, x: &DeviceVec<f32>, y: &DeviceVec<f32>) -> Result<()> {
    x.complete_on(stream, "dot")?;
    y.complete_on(stream, "dot")?;
    if x.len() != y.len() {
        return Err(Error::shape("dot", format!("a vector of {}", x.len()), y.len()));
    }
    Ok(())
}
