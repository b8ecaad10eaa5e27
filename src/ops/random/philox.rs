//! Bits, uniforms, integers and normals from Philox4x32-10.

use crate::array::{BLOCK, DeviceVec, RowStore, Word, blocks, zeroed};
use crate::cpu::random::philox::{Philox, rejected_below};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// The kernel; `KIND` says what becomes of the bits.
    pub KERNEL = "random/philox", [Write], Params;
}

params! {
    struct Params {
        count: u32, counters: u32, first_low: u32, first_high: u32, skipped: u32, stream: u32, key_low: u32,
        key_high: u32, bound: u32, rejected_below: u32, out_first: u32,
    }
}

/// Which numbers: the seed, what they are for, and the first of them.
///
/// Numbers of different seeds or streams have nothing to do with each other; number `first + i` is the same in every
/// call that asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// The seed.
    pub seed: u64,
    /// What the numbers are for.
    pub stream: u32,
    /// The first number.
    pub first: u64,
}

impl Draw {
    /// From number 0 on.
    pub fn new(seed: u64, stream: u32) -> Draw {
        Draw { seed, stream, first: 0 }
    }

    fn philox(self) -> Philox {
        Philox::new(self.seed, self.stream)
    }
}

/// `count` numbers of 32 random bits, the same bits on every device.
///
/// ```
/// use gristmill::{Device, ops};
/// use gristmill::ops::random::philox::Draw;
/// let mut stream = Device::Cpu.stream();
/// let numbers = ops::random_bits(&mut stream, Draw::new(42, 0), 5)?.to_vec(&mut stream)?;
/// let later = ops::random_bits(&mut stream, Draw { first: 3, ..Draw::new(42, 0) }, 2)?.to_vec(&mut stream)?;
/// assert_eq!(numbers[3..], later);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn random_bits(stream: &mut Stream, draw: Draw, count: usize) -> Result<DeviceVec<u32>> {
    fill(stream, draw, count, 0, 0, |out| draw.philox().fill_numbers(draw.first, out))
}

/// `count` multiples of 2⁻²⁴ in [0, 1), the same bits on every device.
pub fn random_uniforms(stream: &mut Stream, draw: Draw, count: usize) -> Result<DeviceVec<f32>> {
    fill(stream, draw, count, 1, 0, |out| draw.philox().fill_uniforms(draw.first, out))
}

/// `count` integers in 0..bound, all equally likely, the same on every device.
pub fn random_integers(stream: &mut Stream, draw: Draw, count: usize, bound: u32) -> Result<DeviceVec<u32>> {
    if bound == 0 {
        return Err(Error::param("bound", "at least 1", "0"));
    }
    fill(stream, draw, count, 2, bound, |out| draw.philox().fill_below(draw.first, bound, out))
}

/// `count` numbers of the standard normal distribution, within 1e-5 of Box and Muller's formula on every device.
pub fn random_normals(stream: &mut Stream, draw: Draw, count: usize) -> Result<DeviceVec<f32>> {
    fill(stream, draw, count, 3, 0, |out| draw.philox().fill_normals(draw.first, out))
}

fn fill<T: Word>(
    stream: &mut Stream,
    draw: Draw,
    count: usize,
    kind: u32,
    bound: u32,
    twin: impl FnOnce(&mut [T]),
) -> Result<DeviceVec<T>> {
    if stream.gpu().is_none() {
        let mut out = zeroed(count)?;
        twin(&mut out);
        return Ok(DeviceVec::from_host(out));
    }
    let out = DeviceVec::<T>::output(stream, count)?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let to = out.store()?;
    let per_dispatch = RowStore::block_rows(&recording.gpu, 1, 60, BLOCK).next_multiple_of(BLOCK);
    for range in blocks(count, per_dispatch) {
        let target = to.target(recording, range.clone(), false)?;
        let first = draw.first.wrapping_add(range.start as u64);
        let skipped = first % 4;
        let counters = (skipped + range.len() as u64).div_ceil(4);
        let params = Params {
            count: range.len() as u32,
            counters: counters as u32,
            first_low: (first / 4) as u32,
            first_high: ((first / 4) >> 32) as u32,
            skipped: skipped as u32,
            stream: draw.stream,
            key_low: draw.seed as u32,
            key_high: (draw.seed >> 32) as u32,
            bound,
            rejected_below: rejected_below(bound),
            out_first: target.view.first_word(),
        };
        let grid = Grid::covering(counters, 64)?;
        let work = Work { operations: 60 * range.len() as u64, bytes: 4 * range.len() as u64 };
        let buffers = &[target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("KIND", kind)]))?;
        to.commit(recording, target)?;
    }
    Ok(out)
}
