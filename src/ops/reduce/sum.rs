//! The sum of a vector.

use crate::array::{BLOCK, DeviceVec, RowStore, blocks};
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "reduce/sum", [Read, Write], Params;
}

params! {
    struct Params { count: u32, first: u32, blocks: u32, out_first: u32 }
}

/// Blocks of one workgroup, as in the shader.
const BLOCKS_PER_GROUP: u64 = 8;

/// Results of one block: one a lane.
const PER_BLOCK: usize = 64;

/// Σx in f64: the device adds 64 values at a time in pairs, twice or more, and the host adds what is left in order.
///
/// On a GPU the error is at most 6·ε·Σ|x| a pass, ε = 2⁻²⁴: one pass up to 262,144 values, two up to 16 million. On the
/// CPU, which adds in f64, it is far less. The bits are the same every run.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let x = DeviceVec::from_slice(&[0.5_f32; 1000], &Device::Cpu)?;
/// assert_eq!(ops::sum(&mut Device::Cpu.stream(), &x)?, 500.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sum(stream: &mut Stream, x: &DeviceVec<f32>) -> Result<f64> {
    x.complete_on(stream, "sum")?;
    if stream.gpu().is_none() {
        return Ok(crate::cpu::reduce::sum::sum(x.values()?));
    }
    let mut partial = pass(stream, x)?;
    while partial.len() > BLOCK {
        partial = pass(stream, &partial)?;
    }
    Ok(partial.to_vec(stream)?.iter().map(|value| *value as f64).sum())
}

/// [`sum`] in f32 into `out`, a vector of one value that stays on the device, with nothing read back. On a GPU the error is
/// at most 14·ε·Σ|x| for each power of 4096 in n.
pub fn sum_into(stream: &mut Stream, x: &DeviceVec<f32>, out: &mut DeviceVec<f32>) -> Result<()> {
    x.complete_on(stream, "sum_into")?;
    crate::ops::linalg::dot::sum_passes(stream, "sum_into", x, None, out)
}

/// 64 sums for each block of 4096 values.
fn pass(stream: &mut Stream, x: &DeviceVec<f32>) -> Result<DeviceVec<f32>> {
    let out = DeviceVec::output(stream, x.len().div_ceil(BLOCK) * PER_BLOCK)?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let (from, to) = (x.store()?, out.store()?);
    let per_dispatch = RowStore::block_rows(&recording.gpu, 1, 1, BLOCK).next_multiple_of(BLOCK);
    for range in blocks(x.len(), per_dispatch) {
        let view = from.view(recording, range.clone())?;
        let results = PER_BLOCK * (range.start / BLOCK)..PER_BLOCK * range.end.div_ceil(BLOCK);
        let target = to.target(recording, results.clone(), false)?;
        // The whole blocks, then the shorter one at the end, if there is one.
        let whole = range.len() / BLOCK;
        for (first, count, guarded) in [(0, whole * BLOCK, 0), (whole, range.len() % BLOCK, 1)] {
            let params = Params {
                count: count as u32,
                first: view.first_word() / 4 + (first * BLOCK / 4) as u32,
                blocks: count.div_ceil(BLOCK) as u32,
                out_first: target.view.first_word() + (first * PER_BLOCK) as u32,
            };
            let grid = Grid::covering(params.blocks as u64, BLOCKS_PER_GROUP)?;
            let work = Work { operations: count as u64, bytes: 4 * count as u64 };
            let buffers = &[view.buffer(), target.view.buffer()];
            recording
                .dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("GUARDED", guarded)]))?;
        }
        to.commit(recording, target)?;
    }
    Ok(out)
}
