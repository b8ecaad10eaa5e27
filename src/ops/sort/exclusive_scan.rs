//! The sum of all values before each one.

use super::whole;
use crate::array::{DeviceVec, View};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Writes the sums, from where each run begins.
    pub KERNEL = "sort/exclusive_scan", [Read, Read, Write], Params;
    /// Sums each run.
    pub KERNEL_SUMS = "sort/exclusive_scan__sums", [Read, Write], SumsParams;
}

params! {
    struct Params { count: u32, runs: u32, has_base: u32 }
    struct SumsParams { count: u32, runs: u32 }
}

/// Values that one lane takes.
const RUN: usize = 64;

/// `out[i] = x[0] + … + x[i−1]`, modulo 2³²; `out[0] = 0`. The same on every device.
///
/// ```
/// use gristmill::{Device, DeviceVec, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = DeviceVec::from_slice(&[3_u32, 1, 4], &Device::Cpu)?;
/// assert_eq!(ops::exclusive_scan(&mut stream, &x)?.to_vec(&mut stream)?, [0, 3, 4]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn exclusive_scan(stream: &mut Stream, x: &DeviceVec<u32>) -> Result<DeviceVec<u32>> {
    x.on(stream, "exclusive_scan")?;
    if stream.gpu().is_none() {
        let mut out = vec![0; x.len()];
        crate::cpu::sort::exclusive_scan::exclusive_scan(x.values()?, &mut out);
        return Ok(DeviceVec::from_host(out));
    }
    let out = DeviceVec::<u32>::output(stream, x.len())?;
    if let Some(recording) = stream.gpu()
        && !x.is_empty()
    {
        let view = whole(recording, "a scan", x)?;
        let target = out.store()?.target(recording, 0..x.len(), false)?;
        scan(recording, &view, x.len(), &target.view)?;
        out.store()?.commit(recording, target)?;
    }
    Ok(out)
}

/// Scans `count` > 0 words of one buffer into another.
pub(in crate::ops) fn scan(recording: &mut Recording, x: &View, count: usize, out: &View) -> Result<()> {
    let runs = count.div_ceil(RUN);
    let grid = Grid::covering(runs as u64, 64)?;
    let work = Work { operations: count as u64, bytes: 8 * count as u64 };
    let base = if runs > 1 {
        let sums = View::whole(recording.scratch(4 * runs as u64, "sums of runs")?);
        let params = SumsParams { count: count as u32, runs: runs as u32 };
        let buffers = &[x.buffer(), sums.buffer()];
        recording.dispatch(&KERNEL_SUMS, Dispatch::new(&params, buffers, grid, work))?;
        let base = View::whole(recording.scratch(4 * runs as u64, "where runs begin")?);
        scan(recording, &sums, runs, &base)?;
        Some(base)
    } else {
        None
    };
    let params = Params { count: count as u32, runs: runs as u32, has_base: u32::from(base.is_some()) };
    // A single run begins at 0; the values stand in for what it does not read.
    let buffers = &[x.buffer(), base.as_ref().unwrap_or(x).buffer(), out.buffer()];
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work))
}
