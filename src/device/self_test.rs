//! The kernels by which a driver is checked, and the check that every adapter must pass when it is opened: it must count
//! past 65,536. Mesa 22 stops its loops there, and says nothing.

use std::sync::Arc;

use super::dispatch::Dispatch;
use super::gpu::{Gpu, Purpose};
use super::stream::Stream;
use super::{Device, DeviceInfo, INSTALL_ADVICE};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

pub const LANES: u32 = 64;
pub const TURNS: u32 = 70_001;

kernels! {
    pub(crate) SELF_TEST = "lib/engine/self_test", [Write], Params;
    pub(crate) MACHINE_CHECK = "lib/engine/machine_check", [Write, Write, Write], MachineParams;
    pub(crate) ELEMENTARY_CHECK = "lib/engine/elementary_check", [Read, Write], ElementaryParams;
}

params! {
    struct Params { turns: u32 }

    pub(crate) struct MachineParams { groups: u32, turns: u32, tiny: f32 }

    pub(crate) struct ElementaryParams { count: u32 }
}

/// Runs a loop of 70,001 turns and refuses a driver that leaves it early.
pub(crate) fn run(gpu: &Arc<Gpu>) -> Result<()> {
    let mut stream = Stream::new(&Device::Gpu(gpu.clone()));
    judge(&count(&mut stream)?, &gpu.info)
}

/// Whether the counts are those of a loop that ran to its end.
pub fn judge(found: &[u32], info: &DeviceInfo) -> Result<()> {
    if found.len() == LANES as usize && found.iter().zip(0..).all(|(&state, lane)| state == turned(lane, TURNS)) {
        return Ok(());
    }
    Err(Error::NoDevice {
        wanted: info.name.clone(),
        why: format!(
            "its driver ({}) leaves a loop of {TURNS} turns early, so its results would be wrong",
            info.driver
        ),
        found: vec![info.summary()],
        advice: INSTALL_ADVICE.to_string(),
    })
}

fn count(stream: &mut Stream) -> Result<Vec<u32>> {
    let Some(recording) = stream.gpu() else { return Ok(vec![]) };
    let have = recording.gpu.memory.budget();
    let made = recording.gpu.try_buffer(4 * LANES as u64, Purpose::Array, u64::MAX, "the self-test")?;
    let no_room = || Error::Limit { what: "bytes of memory budget".to_string(), need: 4 * LANES as u64, have };
    let output = Arc::new(made.ok_or_else(no_room)?);
    let params = Params { turns: TURNS };
    let grid = Grid::linear(1)?;
    let work = Work { operations: 4 * TURNS as u64 * LANES as u64, bytes: 4 * LANES as u64 };
    recording.dispatch(&SELF_TEST, Dispatch::new(&params, &[&output], grid, work))?;
    let mut found = vec![];
    recording.read(&output, 0, LANES as u64, &mut |words| found.extend_from_slice(words))?;
    Ok(found)
}

/// The linear congruence that the shader turns.
pub fn turned(lane: u32, turns: u32) -> u32 {
    (0..turns).fold(lane, |state, _| state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}
