//! A counted buffer that knows which stream wrote it last.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::bind_groups::BindGroups;
use super::health::lock;
use super::memory::{Pool, Reservation};
use crate::error::{Error, Result};

/// Device memory, counted against the budget until dropped. An array's goes to the pool then.
#[derive(Debug)]
pub struct Buffer {
    pub(crate) raw: wgpu::Buffer,
    /// What was asked for; it may lie in a larger buffer of wgpu's.
    pub(crate) bytes: u64,
    pub(crate) number: u64,
    storage: Option<Storage>,
    pool: Option<Arc<Pool>>,
    writer: Mutex<Option<(Arc<Clock>, u64)>>,
    readers: Mutex<Vec<(Arc<Clock>, u64)>>,
}

/// A buffer of wgpu with its share of the budget. When it goes, the bind groups that name it go with it.
#[derive(Debug)]
pub(crate) struct Storage {
    raw: wgpu::Buffer,
    number: u64,
    reservation: Reservation,
    bind_groups: Arc<BindGroups>,
}

static NUMBER: AtomicU64 = AtomicU64::new(1);

impl Storage {
    pub(crate) fn new(raw: wgpu::Buffer, reservation: Reservation, bind_groups: Arc<BindGroups>) -> Storage {
        Storage { raw, number: NUMBER.fetch_add(1, Ordering::Relaxed), reservation, bind_groups }
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.reservation.bytes()
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.bind_groups.forget(self.number);
    }
}

/// How far a stream has submitted what it recorded.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) submitted: AtomicU64,
}

impl Buffer {
    /// The first `bytes` of a buffer of wgpu, which goes to the pool at the end, if one is given.
    pub(crate) fn new(storage: Storage, bytes: u64, pool: Option<Arc<Pool>>) -> Buffer {
        let (raw, number) = (storage.raw.clone(), storage.number);
        let storage = Some(storage);
        Buffer { raw, bytes, number, storage, pool, writer: Mutex::new(None), readers: Mutex::default() }
    }

    /// What a kernel sees of it.
    pub(crate) fn binding(&self) -> wgpu::BindingResource<'_> {
        let size = wgpu::BufferSize::new(self.bytes);
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &self.raw, offset: 0, size })
    }

    /// Whether no recorded step has used it since it was made or came from the pool.
    pub(crate) fn is_unused(&self) -> bool {
        lock(&self.writer).is_none() && lock(&self.readers).is_empty()
    }

    /// Notes that step `step` of the stream behind `clock` writes this buffer.
    pub(crate) fn written_by(&self, clock: &Arc<Clock>, step: u64) {
        *lock(&self.writer) = Some((clock.clone(), step));
    }

    /// Notes that step `step` of the stream behind `clock` reads this buffer.
    pub(crate) fn read_by(&self, clock: &Arc<Clock>, step: u64) {
        let mut readers = lock(&self.readers);
        readers.retain(|(reader, at)| !Arc::ptr_eq(reader, clock) && reader.is_behind(*at));
        readers.push((clock.clone(), step));
    }

    /// Refuses a buffer whose last write is recorded on another stream and not submitted, because it would be read too
    /// early, and, for writing, one that such a stream has yet to read.
    pub(crate) fn ready_for(&self, clock: &Arc<Clock>, writing: bool) -> Result<()> {
        let recorded_elsewhere =
            |(other, step): &(Arc<Clock>, u64)| !Arc::ptr_eq(other, clock) && other.is_behind(*step);
        let unwritten = lock(&self.writer).as_ref().is_some_and(recorded_elsewhere);
        let unread = writing && lock(&self.readers).iter().any(recorded_elsewhere);
        if unwritten || unread {
            let why = "the array has work recorded on another stream; call flush() there first".to_string();
            return Err(Error::WrongDevice { op: "stream", why });
        }
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let (Some(pool), Some(storage)) = (&self.pool, self.storage.take()) {
            pool.put(storage);
        }
    }
}

impl Clock {
    /// Whether the step is recorded and not yet submitted.
    fn is_behind(&self, step: u64) -> bool {
        self.submitted.load(Ordering::Acquire) < step
    }
}
