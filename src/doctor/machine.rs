//! Loops, atomics, barriers and denormals, against integers that are worked out here.

use super::Found;
use crate::array::DeviceVec;
use crate::device::self_test::{self, MACHINE_CHECK, MachineParams};
use crate::device::{Device, Dispatch};
use crate::error::Result;
use crate::kernel::{Grid, Work};

const LANES: u32 = 64;
const GROUPS: u32 = 64;
const TURNS: u32 = 67;
/// The smallest normal number.
const TINY: f32 = f32::MIN_POSITIVE;

pub(super) fn loops(device: &Device) -> Result<Found> {
    Ok(match device {
        Device::Cpu => Ok("no driver".to_string()),
        Device::Gpu(gpu) => self_test::run(gpu)
            .map(|()| format!("{} turns", self_test::TURNS))
            .map_err(|_| format!("left before {} turns", self_test::TURNS)),
    })
}

/// What the kernel writes: four counts, then the words of both exchanges and of a denormal.
struct Written {
    counts: Vec<u32>,
    results: Vec<u32>,
}

fn run(device: &Device) -> Result<Option<Written>> {
    if let Device::Cpu = device {
        return Ok(None);
    }
    let mut stream = device.stream();
    let words = (GROUPS * LANES) as usize;
    let counts = DeviceVec::from_slice(&[0_u32; 4], device)?;
    let exchanged = DeviceVec::<u32>::unwritten(&mut stream, words)?;
    let results = DeviceVec::<u32>::unwritten(&mut stream, 2 * words + 1)?;
    let (one, two) = (counts.view(&mut stream)?, exchanged.view(&mut stream)?);
    let three = results.view(&mut stream)?;
    let params = MachineParams { groups: GROUPS, turns: TURNS, tiny: TINY };
    let buffers = [one.buffer(), two.buffer(), three.buffer()];
    let work = Work { operations: u64::from(GROUPS * LANES * TURNS) * 16, bytes: 0 };
    stream.dispatch(&MACHINE_CHECK, Dispatch::new(&params, &buffers, Grid::linear(u64::from(GROUPS))?, work))?;
    Ok(Some(Written { counts: counts.to_vec(&mut stream)?, results: results.to_vec(&mut stream)? }))
}

/// Compares what was written with what should be; the CPU has nothing to show.
fn compare(device: &Device, what: &str, compared: impl FnOnce(&Written) -> bool) -> Result<Found> {
    Ok(match run(device)? {
        None => Ok("no driver".to_string()),
        Some(written) if compared(&written) => Ok(what.to_string()),
        Some(_) => Err(format!("wrong: {what}")),
    })
}

pub(super) fn atomics(device: &Device) -> Result<Found> {
    let all = || 0..GROUPS * LANES;
    let wanted = [
        all().fold(0, u32::wrapping_add),
        all().map(|own| !(own ^ 0x5a)).max().unwrap_or(0),
        all().map(|own| own ^ 0x5a).max().unwrap_or(0),
        all().fold(0, |folded, own| folded ^ own.wrapping_mul(0x9e37_79b9)),
    ];
    compare(device, "sum, min, max and xor of 4096 lanes", |written| written.counts == wanted)
}

/// Each lane's word has wandered on by a lane in every turn, and the turns were added to it.
fn wandered(factor: u32) -> Vec<u32> {
    let added = (0..TURNS).fold(0, u32::wrapping_add);
    let start = |own: u32| own - own % LANES + (own % LANES + TURNS) % LANES;
    (0..GROUPS * LANES).map(|own| start(own).wrapping_mul(factor).wrapping_add(added)).collect()
}

pub(super) fn workgroup_barriers(device: &Device) -> Result<Found> {
    let words = (GROUPS * LANES) as usize;
    compare(device, "67 exchanges in workgroup memory", |written| written.results[..words] == wandered(0x9e37_79b9))
}

pub(super) fn storage_barriers(device: &Device) -> Result<Found> {
    let words = (GROUPS * LANES) as usize;
    let all = words..2 * words;
    compare(device, "67 exchanges in storage memory", |written| written.results[all] == wandered(0x85eb_ca6b))
}

/// Both are allowed: the kernels compare integers where it would matter.
pub(super) fn denormals(device: &Device) -> Result<Found> {
    Ok(match run(device)?.and_then(|written| written.results.last().copied()) {
        None => Ok("kept".to_string()),
        Some(0 | 0x8000_0000) => Ok("flushed to zero, which is allowed".to_string()),
        Some(bits) if bits == (0.5 * TINY).to_bits() => Ok("kept".to_string()),
        Some(bits) => Err(format!("half of 2⁻¹²⁶ has the bits {bits:#010x}")),
    })
}
