//! The staging ring: mapped chunks of at most 16 MiB through which all data moves, reused for good.
//!
//! One large copy is four times slower than chunks on a software driver, and a fresh mapped buffer for each copy costs
//! a page fault for every 4 KiB.

use std::sync::{Arc, Mutex};

use super::buffer::Buffer;
use super::gpu::{Gpu, Purpose};
use super::health::lock;
use crate::error::{Error, Result};

/// Bytes kept behind the data of a read-back chunk for the status words that prove it.
pub(crate) const PROOF_BYTES: u64 = 16;

/// Pieces of each direction that are kept when nobody uses them.
const KEPT: usize = 3;

/// Free chunks of one device.
#[derive(Debug)]
pub(crate) struct Staging {
    /// Data bytes of one chunk.
    pub(crate) chunk_bytes: u64,
    uploads: Arc<Mutex<Vec<Arc<Buffer>>>>,
    readbacks: Mutex<Vec<Arc<Buffer>>>,
}

impl Staging {
    pub(crate) fn new(budget: u64) -> Staging {
        let chunk_bytes = (budget / 16).clamp(4096, 16 << 20) & !255;
        Staging { chunk_bytes, uploads: Arc::default(), readbacks: Mutex::default() }
    }

    /// A mapped chunk to write into; none when the budget has no room for another now.
    pub(crate) fn take_upload(&self, gpu: &Gpu) -> Result<Option<Arc<Buffer>>> {
        if let Some(chunk) = lock(&self.uploads).pop() {
            return Ok(Some(chunk));
        }
        let made = gpu.try_buffer(self.chunk_bytes, Purpose::Upload, u64::MAX, "an upload chunk")?;
        Ok(made.map(Arc::new))
    }

    /// Maps a submitted chunk again; it is free when the device has read it.
    pub(crate) fn return_upload(&self, chunk: Arc<Buffer>) {
        let free = self.uploads.clone();
        let returning = chunk.clone();
        chunk.raw.map_async(wgpu::MapMode::Write, .., move |mapped| {
            let mut free = lock(&free);
            if mapped.is_ok() && free.len() < KEPT {
                free.push(returning);
            }
        });
    }

    /// A chunk to copy results into.
    pub(crate) fn take_readback(&self, gpu: &Gpu) -> Result<Arc<Buffer>> {
        if let Some(chunk) = lock(&self.readbacks).pop() {
            return Ok(chunk);
        }
        let bytes = self.chunk_bytes + PROOF_BYTES;
        let made = gpu.try_buffer(bytes, Purpose::Readback, u64::MAX, "a read-back chunk")?;
        let no_room = || Error::Limit {
            what: "bytes of the memory budget for a read-back".to_string(),
            need: gpu.memory.used() + bytes,
            have: gpu.memory.budget(),
        };
        made.map(Arc::new).ok_or_else(no_room)
    }

    /// Gives an unmapped chunk back.
    pub(crate) fn return_readback(&self, chunk: Arc<Buffer>) {
        let mut free = lock(&self.readbacks);
        if free.len() < KEPT {
            free.push(chunk);
        }
    }
}
