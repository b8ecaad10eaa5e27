//! How a device is opened.

use std::time::Duration;

/// Which limits a GPU is opened with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limits {
    /// All that the adapter has.
    #[default]
    Adapter,
    /// WebGPU's guaranteed minimum and the portable kernels only, as the weakest machine would run.
    WebGpuMinimum,
}

/// Settings for [`Device::open_with`](crate::Device::open_with).
///
/// ```
/// use gristmill::{DeviceOptions, Limits};
/// let options = DeviceOptions::default().limits(Limits::WebGpuMinimum).memory_budget(64 << 20);
/// ```
#[derive(Debug, Clone, Default)]
pub struct DeviceOptions {
    pub(crate) limits: Limits,
    pub(crate) memory_budget: Option<u64>,
    pub(crate) chunk_rows: Option<usize>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) mark_outputs: bool,
    pub(crate) destroy_at_submit: Option<u64>,
}

impl DeviceOptions {
    /// The limits to run with.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The most bytes that all buffers of the device may take together. What does not fit stays on the host and is
    /// streamed through in blocks, with the same results. Below 1 MiB nothing useful fits.
    pub fn memory_budget(mut self, bytes: u64) -> Self {
        self.memory_budget = Some(bytes);
        self
    }

    /// Splits every matrix into buffers of at most this many rows, and every vector into as many blocks of 4096, instead
    /// of as many as one binding takes. Results do not depend on it; tests show that with 1, 2, 7, 64 and 1000.
    pub fn chunk_rows(mut self, rows: usize) -> Self {
        self.chunk_rows = Some(rows.max(1));
        self
    }

    /// How long to wait for the device before giving it up. The default is 60 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Fills every new array with a bit pattern that no kernel writes, and refuses a read-back that still holds it.
    /// Costs a write of each array, and integers that happen to equal the pattern, 0x7fc0dead, are refused too: for tests
    /// and for finding a faulty driver.
    pub fn mark_outputs(mut self, on: bool) -> Self {
        self.mark_outputs = on;
        self
    }

    /// Destroys the device just before its submit number `submit` (from 1): a driver reset at a chosen moment, for
    /// testing what a program makes of it.
    pub fn destroy_at_submit(mut self, submit: u64) -> Self {
        self.destroy_at_submit = Some(submit);
        self
    }
}
