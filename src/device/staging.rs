//! The staging ring: mapped pieces of at most 16 MiB through which all data moves, reused for good.
//!
//! One large copy is four times slower than pieces on a software driver, and a fresh mapped buffer for each copy costs
//! a page fault for every 4 KiB.

use std::sync::{Arc, Mutex};

use super::buffer::Buffer;
use super::gpu::{Gpu, Purpose};
use super::health::lock;
use crate::error::{Error, Result};

/// Bytes kept behind the data of a read-back piece for the status words that prove it.
pub(crate) const PROOF_BYTES: u64 = 16;

/// Pieces of each direction that are kept when nobody uses them.
const KEPT: usize = 3;

/// Free pieces of one device.
#[derive(Debug)]
pub(crate) struct Staging {
    /// Data bytes of one piece.
    pub(crate) piece_bytes: u64,
    uploads: Arc<Mutex<Vec<Arc<Buffer>>>>,
    readbacks: Mutex<Vec<Arc<Buffer>>>,
}

impl Staging {
    pub(crate) fn new(budget: u64) -> Staging {
        let piece_bytes = (budget / 16).clamp(4096, 16 << 20) & !255;
        Staging { piece_bytes, uploads: Arc::default(), readbacks: Mutex::default() }
    }

    /// A mapped piece to write into; none when the budget has no room for another now.
    pub(crate) fn take_upload(&self, gpu: &Gpu) -> Result<Option<Arc<Buffer>>> {
        if let Some(piece) = lock(&self.uploads).pop() {
            return Ok(Some(piece));
        }
        let made = gpu.try_buffer(self.piece_bytes, Purpose::Upload, u64::MAX, "an upload piece")?;
        Ok(made.map(Arc::new))
    }

    /// Maps a submitted piece again; it is free when the device has read it.
    pub(crate) fn return_upload(&self, piece: Arc<Buffer>) {
        let free = self.uploads.clone();
        let returning = piece.clone();
        piece.raw.map_async(wgpu::MapMode::Write, .., move |mapped| {
            let mut free = lock(&free);
            if mapped.is_ok() && free.len() < KEPT {
                free.push(returning);
            }
        });
    }

    /// A piece to copy results into.
    pub(crate) fn take_readback(&self, gpu: &Gpu) -> Result<Arc<Buffer>> {
        if let Some(piece) = lock(&self.readbacks).pop() {
            return Ok(piece);
        }
        let bytes = self.piece_bytes + PROOF_BYTES;
        let made = gpu.try_buffer(bytes, Purpose::Readback, u64::MAX, "a read-back piece")?;
        let no_room = || Error::Limit {
            what: "bytes of the memory budget for a read-back".to_string(),
            need: gpu.memory.used() + bytes,
            have: gpu.memory.budget(),
        };
        made.map(Arc::new).ok_or_else(no_room)
    }

    /// Gives an unmapped piece back.
    pub(crate) fn return_readback(&self, piece: Arc<Buffer>) {
        let mut free = lock(&self.readbacks);
        if free.len() < KEPT {
            free.push(piece);
        }
    }
}
