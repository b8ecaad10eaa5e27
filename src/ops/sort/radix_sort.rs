//! A stable sort of keys with a payload.

use super::exclusive_scan::scan;
use super::whole;
use crate::array::{DeviceVec, View};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Counts the digits of each run.
    pub KERNEL = "sort/radix_sort", [Read, Write], Params;
    /// Moves keys and payload to their places.
    pub KERNEL_SCATTER = "sort/radix_sort__scatter", [Read, Read, Read, Write, Write], Params;
}

params! {
    struct Params { count: u32, runs: u32, shift: u32 }
}

/// Keys that one lane takes.
const RUN: usize = 256;
/// Values of a digit of four bits.
const DIGITS: usize = 16;
/// Passes for keys of 32 bits.
const PASSES: u32 = 8;

/// The keys in ascending order, each with its payload; equal keys keep their order. The same on every device.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let mut stream = Device::Cpu.stream();
/// let keys = DeviceVec::from_slice(&[3_u32, 1, 3, 0], &Device::Cpu)?;
/// let payload = DeviceVec::from_slice(&[0_u32, 1, 2, 3], &Device::Cpu)?;
/// let (keys, payload) = ops::radix_sort(&mut stream, &keys, &payload)?;
/// assert_eq!(keys.to_vec(&mut stream)?, [0, 1, 3, 3]);
/// assert_eq!(payload.to_vec(&mut stream)?, [3, 1, 0, 2]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn radix_sort(
    stream: &mut Stream,
    keys: &DeviceVec<u32>,
    payload: &DeviceVec<u32>,
) -> Result<(DeviceVec<u32>, DeviceVec<u32>)> {
    keys.on(stream, "radix_sort")?;
    payload.on(stream, "radix_sort")?;
    if keys.len() != payload.len() {
        return Err(Error::shape("radix_sort", format!("a payload for each of {} keys", keys.len()), payload.len()));
    }
    if stream.gpu().is_none() {
        let (mut keys, mut payload) = (keys.values()?.to_vec(), payload.values()?.to_vec());
        crate::cpu::sort::radix_sort::radix_sort(&mut keys, &mut payload);
        return Ok((DeviceVec::from_host(keys), DeviceVec::from_host(payload)));
    }
    let count = keys.len();
    let sorted_keys = DeviceVec::<u32>::output(stream, count)?;
    let sorted_payload = DeviceVec::<u32>::output(stream, count)?;
    if let Some(recording) = stream.gpu()
        && count > 0
    {
        let from = [whole(recording, "a sort", keys)?, whole(recording, "a sort", payload)?];
        let key_target = sorted_keys.store()?.target(recording, 0..count, false)?;
        let payload_target = sorted_payload.store()?.target(recording, 0..count, false)?;
        passes(recording, from, count, [&key_target.view, &payload_target.view])?;
        sorted_keys.store()?.commit(recording, key_target)?;
        sorted_payload.store()?.commit(recording, payload_target)?;
    }
    Ok((sorted_keys, sorted_payload))
}

/// Eight passes, back and forth between the result and one pair of scratch buffers; the last one ends in the result.
fn passes(recording: &mut Recording, mut from: [View; 2], count: usize, out: [&View; 2]) -> Result<()> {
    let bytes = 4 * count as u64;
    let other = [recording.scratch(bytes, "keys being sorted")?, recording.scratch(bytes, "payload being sorted")?];
    let other = other.map(View::whole);
    let runs = count.div_ceil(RUN);
    let counts = View::whole(recording.scratch(4 * (DIGITS * runs) as u64, "counts of digits")?);
    let places = View::whole(recording.scratch(4 * (DIGITS * runs) as u64, "places of digits")?);
    for pass in 0..PASSES {
        let to = if pass % 2 == 1 { out } else { [&other[0], &other[1]] };
        let params = Params { count: count as u32, runs: runs as u32, shift: 4 * pass };
        let grid = Grid::covering(runs as u64, 64)?;
        let work = Work { operations: 4 * count as u64, bytes };
        recording.dispatch(&KERNEL, Dispatch::new(&params, &[from[0].buffer(), counts.buffer()], grid, work))?;
        scan(recording, &counts, DIGITS * runs, &places)?;
        let buffers = [&from[0], &from[1], &places, to[0], to[1]].map(View::buffer);
        let work = Work { operations: 8 * count as u64, bytes: 4 * bytes };
        recording.dispatch(&KERNEL_SCATTER, Dispatch::new(&params, &buffers, grid, work))?;
        from = to.map(|view| View::whole(view.buffer().clone()));
    }
    Ok(())
}
