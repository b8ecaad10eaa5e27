//! How a device is opened.

use std::time::Duration;

use crate::settings::settings;

/// Which limits a GPU is opened with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limits {
    /// All that the adapter has.
    #[default]
    Adapter,
    /// WebGPU's guaranteed minimum and the portable kernels only, as the weakest machine would run.
    WebGpuMinimum,
}

settings! {
    /// Settings for [`Device::open_with`](crate::Device::open_with).
    ///
    /// ```
    /// use gristmill::{DeviceOptions, Limits};
    /// let options = DeviceOptions::default().limits(Limits::WebGpuMinimum).memory_budget(64 << 20);
    /// ```
    #[derive(Debug, Clone)]
    pub struct DeviceOptions {
        /// The limits to run with.
        limits: Limits = Limits::Adapter;
        /// The most bytes that all buffers of the device may take together. What does not fit stays on the host and is
        /// streamed through in blocks, with the same results. Below 1 MiB nothing useful fits.
        memory_budget: Option<u64> = None;
        /// Splits every matrix into buffers of at most this many rows, and every vector into as many blocks of 4096,
        /// instead of as many as one binding takes. Results do not depend on it; tests show that with 1, 2, 7, 64 and
        /// 1000.
        chunk_rows: Option<usize> = None;
        /// How long to wait for the device before giving it up: 60 s if none.
        timeout: Option<Duration> = None;
        /// Fills every new array with a bit pattern that no kernel writes, and refuses a read-back that still holds it.
        /// Costs a write of each array, and integers that happen to equal the pattern, 0x7fc0dead, are refused too: for
        /// tests and for finding a faulty driver.
        mark_outputs: bool = false;
        /// How often a kernel runs with its workgroups counted before it runs without: the count shows that each group came
        /// to its end, and lets no two dispatches overlap. Every 64th submit counts all the same, and with `mark_outputs`
        /// each does. That the submit itself ran is checked in any case.
        count_dispatches: u64 = 256;
        /// On adapters that share the host's memory (integrated and software ones), lets the host write arrays in place
        /// instead of copying them over.
        map_arrays: bool = true;
        /// Refuses new buffers once so many bytes are in use: a driver with less memory than the budget says, for testing
        /// what a program makes of it.
        driver_memory: Option<u64> = None;
        /// Whether the device must pass the checks of `gristmill doctor` when it is opened; none: hardware adapters must,
        /// once for each version of their driver.
        check: Option<bool> = None;
        /// Takes the check of this name for failed, for testing what a program makes of it.
        fail_check: Option<&'static str> = None;
        /// Destroys the device just before its submit of this number (from 1): a driver reset at a chosen moment, for
        /// testing what a program makes of it.
        destroy_at_submit: Option<u64> = None;
    }
}
