//! Which device work goes to: one that was named, or the one that is expected to be faster.
//!
//! ```
//! use gristmill::estimator::{Estimator, FitShape};
//! use gristmill::placement::Placement;
//! use gristmill::prelude::*;
//! let iris = datasets::iris()?;
//! let kmeans = KMeans::new(3).n_init(10);
//! let placed = Placement::Auto.resolve(kmeans.cost(&FitShape::of(&iris.x)))?;
//! println!("on {}: {}", placed.device.info().name, placed.why);
//! let model = kmeans.fit(&iris.x.to(&placed.device)?)?;
//! # assert!(model.inertia() < 79.0);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod known;
mod open;

pub use open::or_cpu;

use known::{Known, KnownGpu};

use crate::cost::{Cost, CpuRates, Expected, GpuRates, measure_cpu, measure_gpu};
use crate::device::{AUTO, DEVICE_VARIABLE, Device, DeviceInfo, DeviceKind, wanted_by_variable};
use crate::doctor::{Checkup, Speeds};
use crate::error::Result;

/// Seconds of the CPU below which no GPU is opened: that alone takes longer.
const SHORT: f64 = 0.05;

/// Where work should run.
#[derive(Debug, Clone)]
pub enum Placement {
    /// Where each call is expected to take less time: its [`Cost`] against the rates of the CPU and of the best hardware
    /// GPU, which are measured once and kept in the user's cache folder.
    Auto,
    /// On this device.
    On(Placed),
}

/// A device, and why it was chosen.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The device.
    pub device: Device,
    /// Why there.
    pub why: String,
}

impl Placed {
    fn on_cpu(why: impl Into<String>) -> Placed {
        Placed { device: Device::Cpu, why: why.into() }
    }
}

impl Placement {
    /// On the device of this name, as [`Device::open`] takes it; `auto` leaves the choice to each call.
    pub fn named(name: &str) -> Result<Placement> {
        if name.eq_ignore_ascii_case(AUTO) {
            return Ok(Placement::Auto);
        }
        Ok(Placement::On(Placed { device: Device::open(name)?, why: "asked for by name".to_string() }))
    }

    /// What `GRISTMILL_DEVICE` says; [`Placement::Auto`] without it.
    pub fn from_variable() -> Result<Placement> {
        match wanted_by_variable() {
            None => Ok(Placement::Auto),
            Some(name) => {
                Ok(Placement::On(Placed { device: Device::open(&name)?, why: format!("{DEVICE_VARIABLE} names it") }))
            }
        }
    }

    /// The device that was named, or the CPU for the reason given: for work that has no cost to go by.
    pub fn or_cpu(&self, why: &str) -> Placed {
        match self {
            Placement::On(placed) => placed.clone(),
            Placement::Auto => Placed::on_cpu(why),
        }
    }

    /// The device for work of this cost; none for work that a GPU has no kernels for.
    pub fn resolve(&self, cost: Option<Cost>) -> Result<Placed> {
        if let Placement::On(placed) = self {
            return Ok(placed.clone());
        }
        let hardware = |info: &DeviceInfo| !matches!(info.kind, DeviceKind::Cpu | DeviceKind::Software);
        // The variable does not speak here: it would have been asked before.
        let best = Device::list().into_iter().filter(hardware).min_by_key(|info| info.kind);
        let (Some(gpu), Some(cost)) = (&best, cost) else {
            return Ok(Placed::on_cpu(if best.is_none() {
                "there is no hardware GPU"
            } else {
                "it has no GPU kernels"
            }));
        };
        let mut known = Known::read();
        let cpu_rates = cpu_rates(&mut known)?;
        let alone = cost.on(&cpu_rates, &NO_TIME).cpu;
        if alone < SHORT {
            return Ok(Placed::on_cpu(format!("too little work for a GPU: about {} on the CPU", show(alone))));
        }
        let device = or_cpu(Device::open(&gpu.index.to_string()))?;
        if let Device::Cpu = device {
            return Ok(Placed::on_cpu(format!("{} fails its checks: see gristmill doctor", gpu.name)));
        }
        let expected = cost.on(&cpu_rates, &gpu_rates(&mut known, &device)?);
        Ok(decide(expected, device))
    }
}

/// The GPU if it wins, else the CPU, with both times.
fn decide(expected: Expected, gpu: Device) -> Placed {
    let name = gpu.info().name;
    let why = format!("expected: {} on the CPU, {} on {name}", show(expected.cpu), show(expected.gpu));
    Placed { device: if expected.gpu_wins() { gpu } else { Device::Cpu }, why }
}

/// A GPU that takes no time.
const NO_TIME: GpuRates = GpuRates {
    tile_gflops: f64::INFINITY,
    stream_gb_s: f64::INFINITY,
    upload_gb_s: f64::INFINITY,
    sync_us: 0.0,
    compile_ms: 0.0,
};

fn cpu_key() -> String {
    format!("{} {}", std::env::consts::ARCH, DeviceInfo::cpu().driver)
}

fn cpu_rates(known: &mut Known) -> Result<CpuRates> {
    let key = cpu_key();
    if let Some(rates) = known.cpu.get(&key) {
        return Ok(*rates);
    }
    let rates = measure_cpu()?;
    *known = Known::update(|known| {
        known.cpu.insert(key, rates);
    });
    Ok(rates)
}

/// The rates of an opened device: kept ones, or measured now.
fn gpu_rates(known: &mut Known, device: &Device) -> Result<GpuRates> {
    let key = known::key(&device.info());
    if let Some(rates) = known.gpu.get(&key).and_then(|gpu| gpu.rates) {
        return Ok(rates);
    }
    let rates = measure_gpu(device)?;
    *known = Known::update(|known| known.gpu.entry(key).or_default().rates = Some(rates));
    Ok(rates)
}

/// Keeps what was found about a device for later choices, in place of what an earlier run found.
pub fn remember(checkup: &Checkup, speeds: &Speeds) {
    let failed = checkup.checks.iter().filter(|check| !check.passed).map(|check| check.name.to_string()).collect();
    Known::update(|known| {
        known.cpu.insert(cpu_key(), speeds.cpu);
        if speeds.gpu.is_some() {
            known.gpu.insert(known::key(&checkup.device), KnownGpu { rates: speeds.gpu, failed: Some(failed) });
        }
    });
}

fn show(seconds: f64) -> String {
    match seconds {
        ..0.001 => format!("{:.0} µs", 1e6 * seconds),
        ..1.0 => format!("{:.0} ms", 1e3 * seconds),
        _ => format!("{seconds:.1} s"),
    }
}
