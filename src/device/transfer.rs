//! Data on its way between host and device, through the chunks of the staging ring.

use std::sync::Arc;

use super::buffer::Buffer;
use super::readback::Pending;
use super::stream::Recording;
use crate::error::{Error, Result};

/// Words that are gathered on the host before they go into a mapped chunk, which can only be written whole.
const UPLOAD_WORDS: u64 = 1 << 16;

impl Recording {
    /// Records the upload of `words` to `to`, starting at its word `first`. `fill` is called for consecutive ranges
    /// of the words and writes each into the slice it is given.
    pub(crate) fn upload(
        &mut self,
        to: &Arc<Buffer>,
        first: u64,
        words: u64,
        fill: &mut dyn FnMut(u64, &mut [u32]),
    ) -> Result<()> {
        let mut scratch = vec![0_u32; words.min(UPLOAD_WORDS) as usize];
        let mut done = 0;
        while done < words {
            let chunk = self.upload_chunk()?;
            let at = self.chunk_filled;
            let count = ((self.gpu.staging.chunk_bytes - at) / 4).min(words - done);
            let lost =
                |error: wgpu::MapRangeError| self.gpu.health.poison(Error::DeviceLost { why: error.to_string() });
            let mut view = chunk.raw.slice(at..at + 4 * count).get_mapped_range_mut().map_err(lost)?;
            for begin in (0..count).step_by(UPLOAD_WORDS as usize) {
                let part = &mut scratch[..UPLOAD_WORDS.min(count - begin) as usize];
                fill(done + begin, part);
                let range = 4 * begin as usize..4 * (begin as usize + part.len());
                view.slice(range).copy_from_slice(bytemuck::cast_slice(part));
            }
            drop(view);
            self.chunk_filled = (at + 4 * count).next_multiple_of(16);
            self.copy((&chunk, at), (to, 4 * (first + done)), 4 * count)?;
            done += count;
        }
        self.gpu.profiler.count_upload(4 * words);
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
            let chunk = self.readback_chunk()?;
            self.copy((from, 4 * (first + done)), (&chunk, 0), 4 * count)?;
            let (submitted, proof) = self.submit(Some((&chunk, count as usize)))?;
            let next = Pending { chunk, words: count as usize, submitted, proof };
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
    fn finish(&mut self, pending: Pending, sink: &mut dyn FnMut(&[u32])) -> Result<()> {
        pending.finish(&self.gpu, sink).inspect_err(|_| self.drop_stream_buffers())
    }
}
