//! What is known of devices from earlier runs: rates and failed checks, in a file of the user's cache folder.
//!
//! A file that is missing, unreadable, of another version or cannot be written is no error: things are measured anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cost::{CpuRates, GpuRates};
use crate::device::DeviceInfo;
use crate::model_file::write_atomically;

/// Rates and checks by device.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Known {
    /// The version of the crate that wrote it: another one may run other kernels.
    version: String,
    pub(super) cpu: BTreeMap<String, CpuRates>,
    pub(super) gpu: BTreeMap<String, KnownGpu>,
}

/// What is known of one adapter with one driver.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct KnownGpu {
    pub(super) rates: Option<GpuRates>,
    /// The checks that failed; nothing before they have run.
    pub(super) failed: Option<Vec<String>>,
}

/// The key of an adapter: a new driver is another device.
pub(super) fn key(info: &DeviceInfo) -> String {
    format!("{} / {} / {}", info.backend, info.name, info.driver)
}

impl Known {
    /// What the file says, or nothing.
    pub(super) fn read() -> Known {
        path().and_then(|path| read_file(&path)).unwrap_or_default()
    }

    /// Changes the file, as far as it can be written.
    pub(super) fn update(change: impl FnOnce(&mut Known)) -> Known {
        let mut known = Known::read();
        change(&mut known);
        known.version = env!("CARGO_PKG_VERSION").to_string();
        if let Some(path) = path() {
            known.write(&path);
        }
        known
    }

    fn write(&self, path: &Path) {
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = folder.map_err(|error| error.to_string()).and_then(|()| {
            let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
            write_atomically(path, text.as_bytes()).map_err(|error| error.to_string())
        });
        if let Err(why) = written {
            log::debug!("what was measured is not kept: {why}");
        }
    }
}

fn read_file(path: &Path) -> Option<Known> {
    let known: Known = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (known.version == env!("CARGO_PKG_VERSION")).then_some(known)
}

/// `gristmill/devices.json` in the cache folder of the system's convention.
fn path() -> Option<PathBuf> {
    let folder = |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = |rest: &str| folder("HOME").map(|home| home.join(rest));
    let system = if cfg!(target_os = "macos") {
        home("Library/Caches")
    } else if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else {
        home(".cache")
    };
    Some(folder("XDG_CACHE_HOME").or(system)?.join("gristmill").join("devices.json"))
}
