//! Opening a device, with the checks that a hardware adapter must pass.

use super::known::{self, Known};
use crate::device::{AUTO, Device, DeviceInfo, DeviceKind, DeviceOptions, wanted_by_variable};
use crate::doctor;
use crate::error::{Error, Result};

impl Device {
    /// Opens `cpu`, `auto` ([`Device::auto`]), `gpu` (the best adapter, a software one if there is no other), an index of [`Device::list`], or
    /// the adapter whose name contains `wanted`, in any case.
    ///
    /// A hardware adapter that is opened for the first time with its driver must pass the checks of
    /// [`doctor`], some 50 ms; the result is remembered in the user's cache folder.
    pub fn open(wanted: &str) -> Result<Device> {
        if wanted.eq_ignore_ascii_case(AUTO) {
            return Device::auto();
        }
        Device::open_with(wanted, DeviceOptions::default())
    }

    /// [`Device::open`] with settings.
    pub fn open_with(wanted: &str, options: DeviceOptions) -> Result<Device> {
        let device = Device::open_unchecked(wanted, options.clone())?;
        let info = device.info();
        let hardware = !matches!(info.kind, DeviceKind::Cpu | DeviceKind::Software);
        let failed = match options.check {
            Some(true) => examine(&device)?,
            None if hardware => examine_once(&device)?,
            Some(false) | None => vec![],
        };
        if failed.is_empty() { Ok(device) } else { Err(refusal(&info, &failed)) }
    }

    /// What `GRISTMILL_DEVICE` says; without it a hardware GPU if there is one that passes its checks, else the CPU.
    ///
    /// It knows nothing of the work: [`Placement::Auto`](super::Placement::Auto) chooses by what a call is expected to
    /// take, as the command line does.
    pub fn auto() -> Result<Device> {
        match wanted_by_variable() {
            Some(wanted) => Device::open(&wanted),
            None => match Device::list().into_iter().find(|device| device.default) {
                Some(info) if info.kind != DeviceKind::Cpu => or_cpu(Device::open(&info.index.to_string())),
                _ => Ok(Device::Cpu),
            },
        }
    }
}

/// The CPU, with a warning in the log, instead of a device that cannot be used; other errors stay.
pub fn or_cpu(opened: Result<Device>) -> Result<Device> {
    opened.or_else(|error| match error {
        Error::NoDevice { .. } => {
            log::warn!("the CPU does the work: {error}");
            Ok(Device::Cpu)
        }
        other => Err(other),
    })
}

/// The names of the checks that fail.
fn examine(device: &Device) -> Result<Vec<String>> {
    let failed = doctor::examine(device)?.checks.into_iter().filter(|check| !check.passed);
    Ok(failed.map(|check| check.name.to_string()).collect())
}

/// The same as an earlier run found it with this driver; checked now if there was none.
fn examine_once(device: &Device) -> Result<Vec<String>> {
    let key = known::key(&device.info());
    if let Some(failed) = Known::read().gpu.remove(&key).and_then(|gpu| gpu.failed) {
        return Ok(failed);
    }
    let failed = examine(device)?;
    Known::update(|known| known.gpu.entry(key).or_default().failed = Some(failed.clone()));
    Ok(failed)
}

fn refusal(info: &DeviceInfo, failed: &[String]) -> Error {
    Error::NoDevice {
        wanted: info.name.clone(),
        why: format!(
            "it fails checks with its driver ({}), so its results would be wrong: {}",
            info.driver,
            failed.join(", ")
        ),
        found: vec![info.summary()],
        advice: "Update its driver; `gristmill doctor` shows the details. GRISTMILL_DEVICE=cpu uses the CPU"
            .to_string(),
    }
}
