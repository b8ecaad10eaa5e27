//! What a run cost: per kernel, and in submits, uploads and read-backs.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::gpu::{Gpu, Purpose};
use super::health::lock;
use crate::error::{Error, Result};
use crate::kernel::Work;

/// The counts of one kernel.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct KernelProfile {
    /// How often it was dispatched.
    pub dispatches: u64,
    /// Its workgroups, all dispatches together.
    pub workgroups: u64,
    /// Seconds on the device, by timestamp queries; none when the device has no such clock.
    pub seconds: Option<f64>,
    /// Arithmetic operations it stood for.
    pub operations: u64,
    /// Bytes it had to read and write.
    pub bytes: u64,
}

/// The counts of a run, from [`Device::profile`](crate::Device::profile) on.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Profile {
    /// Batches of commands handed to the driver.
    pub submits: u64,
    /// Arrays copied to the device.
    pub uploads: u64,
    /// Bytes copied to the device.
    pub upload_bytes: u64,
    /// Matrices among the arrays copied to the device.
    pub matrix_uploads: u64,
    /// Results copied back.
    pub readbacks: u64,
    /// Bytes copied back.
    pub readback_bytes: u64,
    /// Matrices copied back.
    pub matrix_readbacks: u64,
    /// Buffers for arrays and temporary blocks that were made.
    pub new_buffers: u64,
    /// Such buffers that came from the pool.
    pub reused_buffers: u64,
    /// Bind groups that were made; one for each dispatch would be a waste.
    pub new_bind_groups: u64,
    /// Dispatches without the count of finished workgroups, which may overlap with others.
    pub uncounted_dispatches: u64,
    /// By kernel name.
    pub kernels: BTreeMap<String, KernelProfile>,
}

/// Counts while switched on. Timing waits for each submit, so a profiled run is slower than a plain one.
#[derive(Debug)]
pub(crate) struct Profiler {
    on: AtomicBool,
    has_clock: bool,
    counts: Mutex<Profile>,
}

/// One dispatch as the profile sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) kernel: &'static str,
    pub(crate) work: Work,
    pub(crate) workgroups: u64,
}

impl Profiler {
    pub(crate) fn new(has_clock: bool) -> Profiler {
        Profiler { on: AtomicBool::new(false), has_clock, counts: Mutex::default() }
    }

    pub(crate) fn switch(&self, on: bool) {
        *lock(&self.counts) = Profile::default();
        self.on.store(on, Ordering::Relaxed);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    pub(crate) fn is_timing(&self) -> bool {
        self.has_clock && self.is_on()
    }

    pub(crate) fn report(&self) -> Profile {
        lock(&self.counts).clone()
    }

    pub(crate) fn count_upload(&self, bytes: u64) {
        self.count(|counts| {
            counts.uploads += 1;
            counts.upload_bytes += bytes;
        });
    }

    pub(crate) fn count_readback(&self, bytes: u64) {
        self.count(|counts| {
            counts.readbacks += 1;
            counts.readback_bytes += bytes;
        });
    }

    /// Adds dispatches, with the seconds each took if they were timed.
    pub(crate) fn count_dispatches(&self, entries: &[Entry], seconds: Option<&[f64]>) {
        self.count(|counts| {
            for (at, entry) in entries.iter().enumerate() {
                let kernel = counts.kernels.entry(entry.kernel.to_string()).or_default();
                kernel.dispatches += 1;
                kernel.workgroups += entry.workgroups;
                kernel.operations += entry.work.operations;
                kernel.bytes += entry.work.bytes;
                if let Some(seconds) = seconds {
                    *kernel.seconds.get_or_insert(0.0) += seconds[at];
                }
            }
        });
    }

    /// Counts something, where that is asked for.
    pub(crate) fn count(&self, add: impl FnOnce(&mut Profile)) {
        if self.is_on() {
            add(&mut lock(&self.counts));
        }
    }
}

/// Begin and end of each dispatch of one submit, as the device's clock saw them.
#[derive(Debug)]
pub(crate) struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: super::buffer::Buffer,
    chunk: std::sync::Arc<super::buffer::Buffer>,
    dispatches: u32,
}

/// WebGPU allows 4096 queries in a set: two for each dispatch.
pub(crate) const TIMED_DISPATCHES: usize = 2048;

impl Timestamps {
    pub(crate) fn new(gpu: &Gpu, dispatches: usize) -> Result<Timestamps> {
        let dispatches = dispatches.min(TIMED_DISPATCHES) as u32;
        let bytes = 16 * dispatches as u64;
        let resolved = gpu.try_buffer(bytes, Purpose::Timestamps, u64::MAX, "timestamps")?;
        let no_room =
            || Error::Limit { what: "bytes for timestamps".to_string(), need: bytes, have: gpu.memory.budget() };
        let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("dispatch times"),
            ty: wgpu::QueryType::Timestamp,
            count: 2 * dispatches,
        });
        let chunk = gpu.staging.take_readback(gpu)?;
        Ok(Timestamps { queries, resolved: resolved.ok_or_else(no_room)?, chunk, dispatches })
    }

    /// Where dispatch `at` writes its two times.
    pub(crate) fn writes(&self, at: usize) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let at = at as u32;
        (at < self.dispatches).then(|| wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(2 * at),
            end_of_pass_write_index: Some(2 * at + 1),
        })
    }

    pub(crate) fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2 * self.dispatches, &self.resolved.raw, 0);
        let bytes = 16 * self.dispatches as u64;
        encoder.copy_buffer_to_buffer(&self.resolved.raw, 0, &self.chunk.raw, 0, bytes);
    }

    /// Waits for the submit and returns the seconds of each dispatch.
    pub(crate) fn read(self, gpu: &Gpu, submission: &wgpu::SubmissionIndex) -> Result<Vec<f64>> {
        let bytes = 16 * self.dispatches as u64;
        let words = super::readback::map(gpu, &self.chunk, bytes, submission, |words| words.to_vec())?;
        gpu.staging.return_readback(self.chunk);
        let period = gpu.queue.get_timestamp_period() as f64 * 1e-9;
        let ticks = |pair: &[u32]| pair[0] as u64 | (pair[1] as u64) << 32;
        let seconds = |times: &[u32]| ticks(&times[2..4]).saturating_sub(ticks(&times[0..2])) as f64 * period;
        Ok(words.chunks_exact(4).map(seconds).collect())
    }
}
