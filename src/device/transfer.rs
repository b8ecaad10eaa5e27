//! Data on its way between host and device, through the chunks of the staging ring.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::buffer::Buffer;
use super::gpu::Gpu;
use super::readback::Pending;
use super::stream::Recording;
use crate::error::{Error, Result};

/// Writes the words from the given one on into a slice. Called on several threads, for parts in any order.
pub(crate) type Fill<'a> = &'a (dyn Fn(u64, &mut [u32]) + Sync);

/// Words that are gathered on the host before they go into mapped memory, which can only be written whole.
const PART_WORDS: u64 = 1 << 16;

/// Fewer words than these are not worth mapping an array for.
const MAPPED_WORDS: u64 = 1 << 12;

impl Recording {
    /// Records the upload of `words` to `to`, starting at its word `first`; `fill` writes each part of them.
    pub(crate) fn upload(&mut self, to: &Arc<Buffer>, first: u64, words: u64, fill: Fill) -> Result<()> {
        self.gpu.profiler.count_upload(4 * words);
        if self.gpu.maps_arrays && words >= MAPPED_WORDS && first.is_multiple_of(2) && to.is_unused() {
            return self.gpu.write_mapped(to, first, words, fill);
        }
        let mut done = 0;
        while done < words {
            let chunk = self.upload_chunk()?;
            let at = self.chunk_filled;
            let count = ((self.gpu.staging.chunk_bytes - at) / 4).min(words - done);
            self.gpu.fill_mapped(&chunk, at, count, &|begin, part| fill(done + begin, part))?;
            self.chunk_filled = (at + 4 * count).next_multiple_of(16);
            self.copy((&chunk, at), (to, 4 * (first + done)), 4 * count)?;
            done += count;
        }
        Ok(())
    }

    /// The staging chunk being filled, or another one.
    fn upload_chunk(&mut self) -> Result<Arc<Buffer>> {
        if let Some(chunk) = self.staging_chunks.last()
            && self.chunk_filled + 16 <= self.gpu.staging.chunk_bytes
        {
            return Ok(chunk.clone());
        }
        if self.staging_chunks.len() >= 2 {
            self.flush()?;
        }
        let mut taken = self.gpu.staging.take_upload(&self.gpu)?;
        if taken.is_none() {
            self.flush()?;
            self.gpu.submits.drain(&self.gpu)?;
            taken = self.gpu.staging.take_upload(&self.gpu)?;
        }
        let chunk = taken.ok_or_else(|| self.no_room("an upload", self.gpu.staging.chunk_bytes))?;
        self.staging_chunks.push(chunk.clone());
        self.chunk_filled = 0;
        Ok(chunk)
    }

    /// Copies `words` from `from` (starting at word `first`) to the host, in chunks, to `sink` in order.
    pub(crate) fn read(
        &mut self,
        from: &Arc<Buffer>,
        first: u64,
        words: u64,
        sink: &mut dyn FnMut(&[u32]),
    ) -> Result<()> {
        let chunk_words = self.gpu.staging.chunk_bytes / 4;
        let mut pending: Option<Pending> = None;
        let mut done = 0;
        while done < words {
            let count = chunk_words.min(words - done);
            let next = self.begin_read(from, first + done, count)?;
            // The device fills this chunk while the host takes the one before.
            if let Some(before) = pending.replace(next) {
                self.finish(before, sink)?;
            }
            done += count;
        }
        match pending {
            Some(last) => self.finish(last, sink),
            None => Ok(()),
        }
    }

    /// Submits what is recorded and a copy of `words`, at most those of a staging chunk, without waiting for them.
    pub(crate) fn begin_read(&mut self, from: &Arc<Buffer>, first: u64, words: u64) -> Result<Pending> {
        let chunk = self.readback_chunk()?;
        self.copy((from, 4 * first), (&chunk, 0), 4 * words)?;
        let (submitted, proof) = self.submit(Some((&chunk, words as usize)))?;
        Ok(Pending { chunk, words: words as usize, submitted, proof })
    }

    /// Waits until everything recorded is done, and proves it.
    pub(crate) fn prove(&mut self) -> Result<()> {
        let chunk = self.readback_chunk()?;
        let (submitted, proof) = self.submit(Some((&chunk, 0)))?;
        self.finish(Pending { chunk, words: 0, submitted, proof }, &mut |_| ())
    }

    /// A chunk to copy results into; when the budget is used up it waits for earlier work to give its memory back.
    fn readback_chunk(&mut self) -> Result<Arc<Buffer>> {
        match self.gpu.staging.take_readback(&self.gpu) {
            Err(Error::Limit { .. }) => {
                self.flush()?;
                self.gpu.submits.drain(&self.gpu)?;
                self.gpu.staging.take_readback(&self.gpu)
            }
            taken => taken,
        }
    }

    /// Takes a finished chunk. After an error the status words are not used again: they may hold a reported fault.
    pub(crate) fn finish(&mut self, pending: Pending, sink: &mut dyn FnMut(&[u32])) -> Result<()> {
        pending.finish(&self.gpu, sink).inspect_err(|_| self.drop_stream_buffers())
    }
}

impl Gpu {
    /// Maps an array that nothing has used yet, which takes effect at once, and writes into it.
    pub(crate) fn write_mapped(&self, to: &Buffer, first: u64, words: u64, fill: Fill) -> Result<()> {
        let answer = Arc::new(AtomicU8::new(0));
        let called = answer.clone();
        let range = 4 * first..4 * (first + words);
        to.raw.map_async(wgpu::MapMode::Write, range, move |mapped| {
            called.store(if mapped.is_ok() { 1 } else { 2 }, Ordering::Release);
        });
        self.poll_until("an array to write", || answer.load(Ordering::Acquire) != 0)?;
        if answer.load(Ordering::Acquire) == 2 {
            let why = "an array could not be mapped".to_string();
            return Err(self.health.poison(Error::DeviceLost { why }));
        }
        self.fill_mapped(to, 4 * first, words, fill)?;
        to.raw.unmap();
        Ok(())
    }

    /// Fills mapped memory from byte `at` on, on all threads where it is much.
    fn fill_mapped(&self, buffer: &Buffer, at: u64, words: u64, fill: Fill) -> Result<()> {
        let part = |scratch: &mut Vec<u32>, begin: u64| {
            let count = PART_WORDS.min(words - begin);
            scratch.resize(count as usize, 0);
            fill(begin, scratch);
            let range = at + 4 * begin..at + 4 * (begin + count);
            let mut view = buffer.raw.slice(range).get_mapped_range_mut()?;
            view.copy_from_slice(bytemuck::cast_slice(scratch));
            Ok(())
        };
        let parts = words.div_ceil(PART_WORDS);
        let filled = if parts > 2 {
            let parts = (0..parts).into_par_iter().map(|number| number * PART_WORDS);
            parts.try_for_each_init(Vec::new, part)
        } else {
            (0..parts).try_for_each(|number| part(&mut vec![], number * PART_WORDS))
        };
        filled.map_err(|error: wgpu::MapRangeError| self.health.poison(Error::DeviceLost { why: error.to_string() }))
    }
}
