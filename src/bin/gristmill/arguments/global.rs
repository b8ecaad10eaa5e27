//! Flags that every command takes, and the paths that commands write to.

use std::path::Path;

use gristmill::{Device, Error, Result};

/// Flags that every command takes.
#[derive(clap::Args, Clone)]
pub struct GlobalArgs {
    /// cpu, gpu, or an index or part of a name from `gristmill devices`; overrides GRISTMILL_DEVICE
    #[arg(long, global = true)]
    pub device: Option<String>,
    /// Seed of the split and of the model; 0 by default
    #[arg(long, global = true)]
    pub seed: Option<u64>,
    /// Threads on the CPU; all cores by default
    #[arg(long, global = true)]
    pub threads: Option<usize>,
    /// Print one JSON object
    #[arg(long, global = true)]
    pub json: bool,
    /// Report dispatches, GPU times, bytes moved, submits and read-backs
    #[arg(long, global = true)]
    pub profile: bool,
    /// No progress bar, no notes
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

impl GlobalArgs {
    /// The device that the flag names, or `GRISTMILL_DEVICE`, or the best there is; counting if that is asked for.
    pub fn open_device(&self) -> Result<Device> {
        let device = match &self.device {
            Some(name) => Device::open(name)?,
            None => Device::auto()?,
        };
        if self.profile {
            device.profile(true);
        }
        Ok(device)
    }
}

/// Refuses a path whose folder is not there before the work is done.
pub fn check_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            let why = format!("cannot be written: {} is not a folder", folder.display());
            Err(Error::Io { path: path.display().to_string(), why })
        }
        _ => Ok(()),
    }
}
