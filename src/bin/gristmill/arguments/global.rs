//! Flags that every command takes, and the paths that commands write to.

use std::path::{Path, PathBuf};

use gristmill::cost::Cost;
use gristmill::placement::{Placed, Placement};
use gristmill::{Device, Error, Profile, Result};

use super::headings::RUNNING;
use crate::report::{CliError, CommandResult};

/// Flags that every command takes.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = RUNNING)]
pub struct GlobalArgs {
    /// Reads arguments from this TOML file, such as target = "digit" or set = { n_neighbors = 3 }; what is typed wins
    #[arg(long, global = true, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// cpu, gpu, auto (the one that is expected to be faster), or an index or part of a name from `gristmill devices`; overrides GRISTMILL_DEVICE
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
    /// Print help
    #[arg(long, short, global = true, action = clap::ArgAction::Help)]
    pub help: Option<bool>,
}

impl GlobalArgs {
    /// The device that the flag names, or `GRISTMILL_DEVICE`, or what the work will decide.
    pub fn placement(&self) -> Result<Placement> {
        let placement = match &self.device {
            Some(name) => Placement::named(name)?,
            None => Placement::from_variable()?,
        };
        if let Placement::On(placed) = &placement {
            self.count(&placed.device);
        }
        Ok(placement)
    }

    /// The device for work of this cost.
    pub fn place(&self, placement: &Placement, cost: Option<Cost>) -> Result<Placed> {
        let placed = placement.resolve(cost)?;
        self.count(&placed.device);
        Ok(placed)
    }

    /// Counts from now on, if that is asked for.
    pub fn count(&self, device: &Device) {
        if self.profile {
            device.profile(true);
        }
    }

    /// What was counted, if that is asked for.
    pub fn profile_of(&self, device: &Device) -> Option<Profile> {
        self.profile.then(|| device.profile_report())
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

/// Refuses an output that is one of the inputs, or another output: writing it would destroy what is there.
pub fn check_outputs<'a>(
    outputs: impl IntoIterator<Item = &'a Option<PathBuf>>,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> CommandResult {
    let mut taken: Vec<(PathBuf, &str)> = inputs.into_iter().map(|path| (place(path), "reads")).collect();
    for output in outputs.into_iter().flatten() {
        let own = place(output);
        if let Some((_, use_of)) = taken.iter().find(|(other, _)| *other == own) {
            let why = format!("{} is a file that this run {use_of} too: write to another", output.display());
            return Err(CliError::Usage(why));
        }
        taken.push((own, "writes"));
    }
    Ok(())
}

/// The path without links and dots; of a file that is not there yet, that of its folder.
fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(new).unwrap_or_else(|| path.to_path_buf())
}
