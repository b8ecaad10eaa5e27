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
}

/// How far a stream has submitted what it recorded.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    pub(crate) submitted: AtomicU64,
}

impl Buffer {
    pub(crate) fn new(raw: wgpu::Buffer, bytes: u64, reservation: Reservation) -> Buffer {
        Buffer { raw, bytes, _reservation: reservation, writer: Mutex::new(None) }
    }

    /// Notes that step `step` of the stream behind `clock` writes this buffer.
    pub(crate) fn written_by(&self, clock: &Arc<Clock>, step: u64) {
        *lock(&self.writer) = Some((clock.clone(), step));
    }

    /// Refuses a buffer whose last write is recorded on another stream and not submitted: it would be read too early.
    pub(crate) fn ready_for(&self, clock: &Arc<Clock>) -> Result<()> {
        match &*lock(&self.writer) {
            Some((writer, step)) if !Arc::ptr_eq(writer, clock) && writer.submitted.load(Ordering::Acquire) < *step => {
                Err(Error::Elsewhere {
                    op: "stream",
                    why: "the array has work recorded on another stream; call flush() there first".to_string(),
                })
            }
            _ => Ok(()),
        }
    }
}
