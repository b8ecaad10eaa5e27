//! An opened GPU: the wgpu device with its limits, health, memory budget, pipelines and submits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::bind_groups::BindGroups;
use super::buffer::{Buffer, Storage};
use super::health::{Health, Refusal, guarded, lock, watch};
use super::info::{DeviceInfo, DeviceKind};
use super::memory::{Memory, Pool, Reservation, budget, size_class};
use super::options::{DeviceOptions, Limits};
use super::pace::Pace;
use super::pipeline::Pipelines;
use super::profile::Profiler;
use super::staging::Staging;
use super::stream::StreamBuffers;
use super::submit::SubmitQueue;
use crate::clock::Instant;
use crate::error::{Error, Result};
use crate::kernel::Kernel;

/// A bit pattern (a NaN) that no kernel writes: see [`DeviceOptions::mark_outputs`].
pub(crate) const UNWRITTEN: u32 = 0x7fc0_dead;

/// The largest binding we make: indices of 4-byte words then fit 29 bits and byte addresses 31.
const LARGEST_BINDING: u64 = (1 << 31) - 4096;

/// How often a finished submission is asked again for a callback that did not come, about two seconds in all.
const IDLE_POLLS: u64 = 250;

/// How long the host looks for the end of a submit before it sleeps.
const SPIN: Duration = Duration::from_micros(100);

/// A wait that took longer ended with the submit; a shorter one may have found it over already.
pub(crate) const NOTICEABLE: Duration = Duration::from_micros(200);

/// One recording in so many counts the workgroups of every dispatch.
const COUNTED_EVERY: u64 = 64;

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Rows of an array or of a temporary block.
    Array,
    /// The status word of a stream.
    Status,
    /// The parameters of recorded dispatches.
    Params,
    /// A chunk of the staging ring, host to device.
    Upload,
    /// A chunk of the staging ring, device to host.
    Readback,
    /// Resolved timestamps.
    Timestamps,
}

impl Purpose {
    fn usage(self) -> wgpu::BufferUsages {
        use wgpu::BufferUsages as Usage;
        match self {
            Purpose::Array => Usage::STORAGE | Usage::UNIFORM | Usage::INDIRECT | Usage::COPY_SRC | Usage::COPY_DST,
            Purpose::Status => Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
            Purpose::Params => Usage::UNIFORM | Usage::COPY_DST,
            Purpose::Upload => Usage::MAP_WRITE | Usage::COPY_SRC,
            Purpose::Readback => Usage::MAP_READ | Usage::COPY_DST,
            Purpose::Timestamps => Usage::QUERY_RESOLVE | Usage::COPY_SRC,
        }
    }
}

/// An opened GPU. Shared by every array and stream on it.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) info: DeviceInfo,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    pub(crate) health: Arc<Health>,
    pub(crate) memory: Arc<Memory>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) pipelines: Arc<Pipelines>,
    pub(crate) bind_groups: Arc<BindGroups>,
    pub(crate) staging: Staging,
    pub(crate) submits: SubmitQueue,
    pub(crate) pace: Pace,
    pub(crate) profiler: Profiler,
    pub(crate) options: DeviceOptions,
    /// Whether the host writes arrays in place, instead of through staging chunks.
    pub(crate) maps_arrays: bool,
    stream_buffers: Mutex<Vec<StreamBuffers>>,
    recordings: AtomicU64,
}

/// What devices on one driver share.
struct Driver {
    device: wgpu::Device,
    queue: wgpu::Queue,
    limits: wgpu::Limits,
    health: Arc<Health>,
    pipelines: Arc<Pipelines>,
}

/// Where the device has the host's memory, an array can be written in place. DX12 has no such buffers to write from both
/// sides.
fn maps_arrays(info: &DeviceInfo, features: wgpu::Features) -> bool {
    matches!(info.kind, DeviceKind::Integrated | DeviceKind::Software)
        && matches!(info.backend.as_str(), "vulkan" | "metal")
        && features.contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
}

impl Gpu {
    pub(crate) fn open(adapter: &wgpu::Adapter, index: usize, options: DeviceOptions) -> Result<Arc<Gpu>> {
        let info = DeviceInfo::of(adapter, index);
        let limits = match options.limits {
            Limits::Adapter => adapter.limits(),
            Limits::WebGpuMinimum => wgpu::Limits::defaults(),
        };
        let maps_arrays = maps_arrays(&info, adapter.features()) && options.map_arrays;
        let mut features = wgpu::Features::TIMESTAMP_QUERY & adapter.features();
        features.set(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS, maps_arrays);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gristmill"),
            required_features: features,
            required_limits: limits.clone(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| Error::NoDevice {
                wanted: info.name.clone(),
                why: error.to_string(),
                found: vec![info.summary()],
                advice: "Update its driver, or use the CPU with GRISTMILL_DEVICE=cpu".to_string(),
            })?;
        let health = Arc::new(Health::default());
        watch(&device, &health);
        let driver = Driver { device, queue, limits, health, pipelines: Arc::default() };
        Ok(Gpu::on(driver, info, maps_arrays, options))
    }

    /// Another device on the same driver with options of its own: its memory, chunks, counts and profile. What either has
    /// compiled is there for both, and what goes wrong for one goes wrong for both. Limits are those of the first.
    pub(crate) fn beside(&self, options: DeviceOptions) -> Arc<Gpu> {
        let driver = Driver {
            device: self.device.clone(),
            queue: self.queue.clone(),
            limits: self.limits.clone(),
            health: self.health.clone(),
            pipelines: self.pipelines.clone(),
        };
        Gpu::on(driver, self.info.clone(), self.maps_arrays && options.map_arrays, options)
    }

    fn on(driver: Driver, info: DeviceInfo, maps_arrays: bool, options: DeviceOptions) -> Arc<Gpu> {
        let Driver { device, queue, limits, health, pipelines } = driver;
        let budget = options.memory_budget.unwrap_or_else(|| budget::of(&device, &info));
        let info = DeviceInfo { memory_budget: Some(budget), ..info };
        Arc::new(Gpu {
            profiler: Profiler::new(device.features().contains(wgpu::Features::TIMESTAMP_QUERY)),
            staging: Staging::new(budget),
            memory: Memory::new(budget),
            pool: Arc::new(Pool::new(budget)),
            pipelines,
            bind_groups: Arc::default(),
            submits: SubmitQueue::default(),
            pace: Pace::default(),
            stream_buffers: Mutex::default(),
            recordings: AtomicU64::new(0),
            info,
            device,
            queue,
            limits,
            health,
            options,
            maps_arrays,
        })
    }

    /// Bytes that one kernel may see of one array.
    pub(crate) fn binding_bytes(&self) -> u64 {
        let limit = self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size).min(LARGEST_BINDING);
        limit & !255
    }

    /// What one array may keep on the device; above it the rows stay on the host.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.memory.budget() / 4
    }

    /// What one temporary block may take.
    pub(crate) fn scratch_bytes(&self) -> u64 {
        (self.memory.budget() / 16).min(self.binding_bytes())
    }

    /// Operations in one dispatch that keep it at some 30 ms, as far as is known of the device.
    pub(crate) fn operations_per_dispatch(&self) -> u64 {
        self.pace.operations()
    }

    /// A buffer within `ceiling` bytes of total use; `Ok(None)` when the budget has no room for it now.
    pub(crate) fn try_buffer(&self, bytes: u64, purpose: Purpose, ceiling: u64, what: &str) -> Result<Option<Buffer>> {
        self.health.check()?;
        // wgpu has no empty bindings.
        let bytes = bytes.next_multiple_of(16).max(16);
        let have = if purpose == Purpose::Array { self.binding_bytes() } else { self.limits.max_buffer_size };
        if bytes > have {
            return Err(Error::Limit { what: format!("bytes of {what}"), need: bytes, have });
        }
        let pool = (purpose == Purpose::Array).then(|| self.pool.clone());
        if pool.is_some()
            && self.memory.used() <= ceiling
            && let Some(storage) = self.pool.take(bytes)
        {
            let buffer = Buffer::new(storage, bytes, pool);
            self.mark(&buffer)?;
            self.profiler.count(|counts| counts.reused_buffers += 1);
            return Ok(Some(buffer));
        }
        let class = if pool.is_some() { size_class(bytes).min(have) } else { bytes };
        let reservation = loop {
            if let Some(some) = self.memory.reserve(class, ceiling).or_else(|| self.memory.reserve(bytes, ceiling)) {
                break some;
            }
            if !self.pool.drop_largest() {
                return Ok(None);
            }
        };
        let storage = match self.create(purpose, reservation, what) {
            // The driver has less than the budget says: what lies idle goes first.
            Err((Error::OutOfMemory { .. }, reservation)) if self.pool.bytes() > 0 => {
                while self.pool.drop_largest() {}
                self.submits.drain(self)?;
                self.create(purpose, reservation, what)
            }
            made => made,
        };
        self.profiler.count(|counts| counts.new_buffers += u64::from(pool.is_some()));
        Ok(Some(Buffer::new(storage.map_err(|(error, _)| error)?, bytes, pool)))
    }

    fn create(
        &self,
        purpose: Purpose,
        reservation: Reservation,
        what: &str,
    ) -> std::result::Result<Storage, (Error, Reservation)> {
        let bytes = reservation.bytes();
        let marked = purpose == Purpose::Array && self.options.mark_outputs;
        let mapped = purpose == Purpose::Array && self.maps_arrays;
        let own_usage = if mapped { wgpu::BufferUsages::MAP_WRITE } else { wgpu::BufferUsages::empty() };
        if self.options.driver_memory.is_some_and(|most| self.memory.used() > most) {
            return Err((Error::OutOfMemory { what: format!("{bytes} bytes of {what}") }, reservation));
        }
        let made = guarded(&self.device, || {
            let raw = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(what),
                size: bytes,
                usage: purpose.usage() | own_usage,
                mapped_at_creation: marked || purpose == Purpose::Upload,
            });
            if marked {
                if let Ok(mut view) = raw.slice(..).get_mapped_range_mut() {
                    view.copy_from_slice(&UNWRITTEN.to_ne_bytes().repeat(bytes as usize / 4));
                }
                raw.unmap();
            }
            raw
        });
        match made {
            Ok(raw) => Ok(Storage::new(raw, reservation, self.bind_groups.clone())),
            Err(Refusal::OutOfMemory) => {
                Err((Error::OutOfMemory { what: format!("{bytes} bytes of {what}") }, reservation))
            }
            Err(Refusal::Invalid(why)) => Err((self.health.poison(Error::DeviceLost { why }), reservation)),
        }
    }

    /// Marks a buffer from the pool as a new one would be. No recorded or submitted work uses it any more.
    fn mark(&self, buffer: &Buffer) -> Result<()> {
        if !self.options.mark_outputs {
            return Ok(());
        }
        let words = buffer.bytes / 4;
        if self.maps_arrays {
            return self.write_mapped(buffer, 0, words, &|_, part| part.fill(UNWRITTEN));
        }
        self.queue.write_buffer(&buffer.raw, 0, &UNWRITTEN.to_ne_bytes().repeat(words as usize));
        Ok(())
    }

    /// Begins to compile what an algorithm will need after its first read-back, side by side with what it does until then.
    pub(crate) fn warm(&self, kernels: &[&Kernel]) -> Result<()> {
        kernels.iter().try_for_each(|kernel| self.pipelines.get(&self.device, kernel, &[], true).map(|_| ()))
    }

    /// Whether the next recording counts the workgroups of all its dispatches: every 64th does, to go on watching.
    pub(crate) fn is_counting(&self) -> bool {
        self.options.mark_outputs || self.recordings.fetch_add(1, Ordering::Relaxed).is_multiple_of(COUNTED_EVERY)
    }

    /// Parameter and status buffers for a stream: those of an earlier stream, or new ones.
    pub(crate) fn take_stream_buffers(&self) -> Result<StreamBuffers> {
        if let Some(buffers) = lock(&self.stream_buffers).pop() {
            return Ok(buffers);
        }
        let engine = |bytes: u64, purpose: Purpose, what: &str| {
            let made = self.try_buffer(bytes, purpose, u64::MAX, what)?;
            let have = self.memory.budget();
            made.ok_or_else(|| Error::Limit {
                what: format!("bytes of the memory budget for {what}"),
                need: bytes,
                have,
            })
        };
        let arena_bytes = (self.memory.budget() / 32).clamp(4096, 256 << 10);
        Ok(StreamBuffers::new(
            engine(arena_bytes, Purpose::Params, "parameters")?,
            engine(16, Purpose::Status, "the status word")?,
        ))
    }

    /// Keeps the buffers of a stream that is gone for the next one.
    pub(crate) fn return_stream_buffers(&self, buffers: StreamBuffers) {
        lock(&self.stream_buffers).push(buffers);
    }

    /// Waits for a submission; true when it was not over already. Fails when the device is lost or silent for longer than
    /// the timeout.
    pub(crate) fn wait(&self, submission: &wgpu::SubmissionIndex, what: &str) -> Result<bool> {
        self.health.check()?;
        let begun = Instant::now();
        if !self.poll(submission)? {
            let seconds = self.timeout().as_secs();
            return Err(self.health.poison(Error::Timeout { what: what.to_string(), seconds }));
        }
        self.health.check()?;
        Ok(begun.elapsed() > NOTICEABLE)
    }

    fn timeout(&self) -> Duration {
        self.options.timeout.unwrap_or(Duration::from_secs(60))
    }

    /// Waits for a submission and then for a callback that comes with it: at once or, after a loss, never.
    pub(crate) fn wait_for_callback(
        &self,
        submission: &wgpu::SubmissionIndex,
        what: &str,
        called: impl Fn() -> bool,
    ) -> Result<()> {
        // A wait puts the thread to sleep, and waking it takes longer than short work does.
        let begun = Instant::now();
        while !called() && begun.elapsed() < SPIN {
            self.look()?;
        }
        if !called() {
            self.wait(submission, what)?;
        }
        self.poll_until(what, called)
    }

    /// Polls for a callback that is due: at once or, after a loss, never.
    pub(crate) fn poll_until(&self, what: &str, called: impl Fn() -> bool) -> Result<()> {
        for idle in 0..IDLE_POLLS {
            if called() {
                return self.health.check();
            }
            std::thread::sleep(Duration::from_millis(idle.saturating_sub(1).min(10)));
            self.look()?;
        }
        Err(self.health.poison(Error::DeviceLost { why: format!("no callback for {what}") }))
    }

    /// Lets wgpu see what is over, without waiting.
    fn look(&self) -> Result<()> {
        match catch_unwind(AssertUnwindSafe(|| self.device.poll(wgpu::PollType::Poll))) {
            Ok(Ok(_)) => self.health.check(),
            Ok(Err(error)) => Err(self.health.poison(Error::DeviceLost { why: error.to_string() })),
            Err(_) => Err(self.health.poison(Error::DeviceLost { why: "the driver failed while waiting".to_string() })),
        }
    }

    /// Waits for a submission, as long as the timeout allows; true when it is over. A poll after loss may panic inside
    /// wgpu, and so may one that times out while another thread polls: hence one long wait instead of many short ones.
    fn poll(&self, submission: &wgpu::SubmissionIndex) -> Result<bool> {
        let wait = wgpu::PollType::Wait { submission_index: Some(submission.clone()), timeout: Some(self.timeout()) };
        match catch_unwind(AssertUnwindSafe(|| self.device.poll(wait))) {
            Ok(Ok(_)) => Ok(true),
            Ok(Err(wgpu::PollError::Timeout)) => Ok(false),
            Ok(Err(error)) => Err(self.health.poison(Error::DeviceLost { why: error.to_string() })),
            Err(_) => Err(self.health.poison(Error::DeviceLost { why: "the driver failed while waiting".to_string() })),
        }
    }
}
