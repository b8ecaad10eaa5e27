//! A counted buffer that knows which stream wrote it last.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::health::lock;
use super::memory::Reservation;
use crate::error::{Error, Result};

/// Device memory, counted against the budget until dropped.
#[derive(Debug)]
pub struct Buffer {
    pub(crate) raw: wgpu::Buffer,
    pub(crate) bytes: u64,
    pub(crate) _reservation: Reservation,
    writer: Mutex<Option<(Arc<Clock>, u64)>>,
    readers: Mutex<Vec<(Arc<Clock>, u64)>>,
}

/// How far a stream has submitted what it recorded.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) submitted: AtomicU64,
}

impl Buffer {
    pub(crate) fn new(raw: wgpu::Buffer, bytes: u64, reservation: Reservation) -> Buffer {
        Buffer { raw, bytes, _reservation: reservation, writer: Mutex::new(None), readers: Mutex::default() }
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

impl Clock {
    /// Whether the step is recorded and not yet submitted.
    fn is_behind(&self, step: u64) -> bool {
        self.submitted.load(Ordering::Acquire) < step
    }
}
