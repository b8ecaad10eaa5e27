//! Checks of a device that a user can run and send: does it do what the kernels rely on, and how fast is it?
//!
//! `gristmill doctor` prints them. [`Device::open`](crate::Device::open) runs [`examine`] when a hardware adapter is first opened with a driver, and
//! refuses one that fails.
//!
//! ```no_run
//! use gristmill::doctor;
//! use gristmill::prelude::*;
//! let device = Device::open_with("gpu", DeviceOptions::default().check(false))?;
//! for check in doctor::examine(&device)?.checks {
//!     println!("{}: {}, {}", check.name, if check.passed { "passed" } else { "FAILED" }, check.found);
//! }
//! # Ok::<(), gristmill::Error>(())
//! ```

mod elementary;
mod machine;
mod rates;
mod twins;

pub use rates::Speeds;

use rayon::prelude::*;
use serde::Serialize;

use crate::clock::Instant;
use crate::device::{Device, DeviceInfo};
use crate::error::Result;

/// What was found about a device.
#[derive(Debug, Clone, Serialize)]
pub struct Checkup {
    /// The device.
    pub device: DeviceInfo,
    /// Whether every check passed.
    pub passed: bool,
    /// The checks.
    pub checks: Vec<Check>,
    /// Seconds that they took.
    pub seconds: f64,
}

/// One check.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Whether the device does what the kernels rely on.
    pub passed: bool,
    /// What was found, in a few words.
    pub found: String,
}

/// What a check found: in a few words, whether it passed or not.
type Found = std::result::Result<String, String>;

/// A check by name: an error of the device is a failure too.
type Examination = (&'static str, fn(&Device) -> Result<Found>);

const EXAMINATIONS: &[Examination] = &[
    ("loops", machine::loops),
    ("atomics", machine::atomics),
    ("workgroup barriers", machine::workgroup_barriers),
    ("storage barriers", machine::storage_barriers),
    ("denormals", machine::denormals),
    ("elementary functions", elementary::functions),
    ("product", twins::product),
    ("nearest neighbours", twins::nearest_neighbours),
    ("histogram", twins::histogram),
];

/// Runs the checks side by side, because most of their time is that of compiling kernels. On the CPU they compare it
/// with itself.
pub fn examine(device: &Device) -> Result<Checkup> {
    let fail = match device {
        Device::Cpu => None,
        Device::Gpu(gpu) => gpu.options.fail_check,
    };
    let begun = Instant::now();
    let check = |&(name, run): &Examination| {
        let found = run(device).unwrap_or_else(|error| Err(error.to_string()));
        let found = if fail == Some(name) { Err("taken for failed".to_string()) } else { found };
        Check { name, passed: found.is_ok(), found: found.unwrap_or_else(|found| found) }
    };
    let checks: Vec<Check> = EXAMINATIONS.par_iter().map(check).collect();
    let passed = checks.iter().all(|check| check.passed);
    Ok(Checkup { device: device.info(), passed, checks, seconds: begun.elapsed().as_secs_f64() })
}

/// How fast the device is, as [`Placement::Auto`](crate::placement::Placement::Auto) sees it, in well under a second.
pub fn measure(device: &Device) -> Result<Speeds> {
    rates::measure(device)
}

/// A few reproducible numbers in −1 to 1.
fn numbers(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(next).collect()
}
