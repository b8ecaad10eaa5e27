//! The k smallest of many keys, without sorting the rest.

use std::sync::Arc;

use crate::array::{BLOCK, DeviceVec, RowStore, blocks};
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Kernel, Work, kernels, params};

kernels! {
    /// Counts a digit of the keys in the running.
    pub KERNEL = "sort/select_smallest", [Read, Read, Write], Params;
    /// Finds the digit of the k-th.
    pub KERNEL_DIGIT = "sort/select_smallest__digit", [Write], Params;
    /// Collects what is selected.
    pub KERNEL_GATHER = "sort/select_smallest__gather", [Read, Read, Write, Write], Params;
    /// Brings it into order.
    pub KERNEL_SORT = "sort/select_smallest__sort", [Read, Read, Write], Params;
}

params! {
    struct Params { count: u32, keys_first: u32, mask_first: u32, base: u32, shift: u32, of_index: u32 }
}

/// The most that can be selected: what one workgroup sorts in its 16 KiB.
pub const MOST: usize = 2048;

/// Words of the state of a selection: eight, and a count for each digit.
const STATE_WORDS: usize = 8 + 256;

/// Keys of a workgroup.
const PER_GROUP: u64 = 4096;

/// The indices of the k smallest keys (k ≤ 2048), smallest first and equal ones by index, among those whose mask is not
/// zero; where fewer are eligible, `u32::MAX` takes the places that are left. Nothing is read back, and the result is the
/// same on every device: keys are compared as integers that order as the numbers do.
///
/// Up to eight passes over the keys, with n/4096 workgroups each.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let mut stream = Device::Cpu.stream();
/// let keys = DeviceVec::from_slice(&[3.0_f32, -1.0, 2.0, -1.0], &Device::Cpu)?;
/// let mask = DeviceVec::from_slice(&[1_u32, 1, 1, 0], &Device::Cpu)?;
/// assert_eq!(ops::select_smallest(&mut stream, &keys, None, 3)?.to_vec(&mut stream)?, [1, 3, 2]);
/// assert_eq!(ops::select_smallest(&mut stream, &keys, Some(&mask), 2)?.to_vec(&mut stream)?, [1, 2]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn select_smallest(
    stream: &mut Stream,
    keys: &DeviceVec<f32>,
    mask: Option<&DeviceVec<u32>>,
    k: usize,
) -> Result<DeviceVec<u32>> {
    keys.complete_on(stream, "select_smallest")?;
    if let Some(mask) = mask {
        mask.on(stream, "select_smallest")?;
        if mask.len() != keys.len() {
            return Err(Error::shape("select_smallest", format!("a mask of {} values", keys.len()), mask.len()));
        }
    }
    if k > MOST {
        return Err(Error::Limit { what: "keys to select".to_string(), need: k as u64, have: MOST as u64 });
    }
    if stream.gpu().is_none() {
        let mask = mask.map(DeviceVec::values).transpose()?;
        let selected = crate::cpu::sort::select_smallest::select_smallest(keys.values()?, mask, k);
        return Ok(DeviceVec::from_host(selected));
    }
    let out = DeviceVec::<u32>::output(stream, k)?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    if k == 0 {
        return Ok(out);
    }
    let state = recording.scratch(4 * STATE_WORDS as u64, "the state of a selection")?;
    recording.upload(&state, 0, STATE_WORDS as u64, &|first, part| {
        part.fill(0);
        // The rank that is looked for.
        if let Some(rank) = 2_usize.checked_sub(first as usize) {
            part[rank] = k as u32;
        }
    })?;
    let search = Search { keys, mask, state: &state };
    let index_shifts = [24, 16, 8, 0].into_iter().filter(|shift| keys.len().saturating_sub(1) >> shift > 0);
    let of_keys = [24, 16, 8, 0].map(|shift| (shift, 0));
    for (shift, of_index) in of_keys.into_iter().chain(index_shifts.map(|shift| (shift, 1))) {
        search.pass(recording, &KERNEL, (shift, of_index), None)?;
        let params = Params { count: 0, keys_first: 0, mask_first: 0, base: 0, shift, of_index };
        let work = Work { operations: 4096, bytes: 2048 };
        recording.dispatch(&KERNEL_DIGIT, Dispatch::new(&params, &[&state], Grid::linear(1)?, work))?;
    }
    let selected = recording.scratch(8 * k as u64, "selected keys")?;
    search.pass(recording, &KERNEL_GATHER, (0, 0), Some(&selected))?;
    let target = out.store()?.target(recording, 0..k, false)?;
    let first = target.view.first_word();
    let params = Params { count: k as u32, keys_first: first, mask_first: 0, base: 0, shift: 0, of_index: 0 };
    let size = k.next_power_of_two() as u32;
    let work = Work { operations: 66 * u64::from(size), bytes: 12 * k as u64 };
    let buffers = &[&state, &selected, target.view.buffer()];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(1)?, work);
    recording.dispatch(&KERNEL_SORT, dispatch.overrides(&[("SIZE", size)]))?;
    out.store()?.commit(recording, target)?;
    Ok(out)
}

struct Search<'a> {
    keys: &'a DeviceVec<f32>,
    mask: Option<&'a DeviceVec<u32>>,
    state: &'a Arc<Buffer>,
}

impl Search<'_> {
    /// One pass over all keys, in blocks.
    fn pass(
        &self,
        recording: &mut Recording,
        kernel: &Kernel,
        (shift, of_index): (u32, u32),
        selected: Option<&Arc<Buffer>>,
    ) -> Result<()> {
        let per_block = RowStore::block_rows(&recording.gpu, 2, 8, BLOCK);
        for range in blocks(self.keys.len(), per_block) {
            let keys = self.keys.store()?.view(recording, range.clone())?;
            let mask = self.mask.map(|mask| mask.store()?.view(recording, range.clone())).transpose()?;
            let params = Params {
                count: range.len() as u32,
                keys_first: keys.first_word(),
                mask_first: mask.as_ref().map_or(0, |mask| mask.first_word()),
                base: range.start as u32,
                shift,
                of_index,
            };
            let bytes = 4 * range.len() as u64 * if mask.is_some() { 2 } else { 1 };
            let work = Work { operations: 8 * range.len() as u64, bytes };
            let mut buffers = vec![keys.buffer(), mask.as_ref().unwrap_or(&keys).buffer(), self.state];
            buffers.extend(selected);
            let dispatch = Dispatch::new(&params, &buffers, Grid::covering(range.len() as u64, PER_GROUP)?, work);
            recording.dispatch(kernel, dispatch.overrides(&[("MASKED", u32::from(mask.is_some()))]))?;
        }
        Ok(())
    }
}
