//! Data on its way between host and device, through the pieces of the staging ring.

use std::sync::Arc;

use super::buffer::Buffer;
use super::readback::Pending;
use super::stream::Recording;
use crate::error::{Error, Result};

/// Words that are gathered on the host before they go into a mapped piece, which can only be written whole.
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
            let piece = self.piece()?;
            let at = self.piece_filled;
            let count = ((self.gpu.staging.piece_bytes - at) / 4).min(words - done);
            let lost =
                |error: wgpu::MapRangeError| self.gpu.health.poison(Error::DeviceLost { why: error.to_string() });
            let mut view = piece.raw.slice(at..at + 4 * count).get_mapped_range_mut().map_err(lost)?;
            for begin in (0..count).step_by(UPLOAD_WORDS as usize) {
                let part = &mut scratch[..UPLOAD_WORDS.min(count - begin) as usize];
                fill(done + begin, part);
                let range = 4 * begin as usize..4 * (begin as usize + part.len());
                view.slice(range).copy_from_slice(bytemuck::cast_slice(part));
            }
            drop(view);
            self.piece_filled = (at + 4 * count).next_multiple_of(16);
            self.copy((&piece, at), (to, 4 * (first + done)), 4 * count)?;
            done += count;
        }
        self.gpu.profiler.count_upload(4 * words);
        Ok(())
    }

    /// The staging piece being filled, or another one.
    fn piece(&mut self) -> Result<Arc<Buffer>> {
        if let Some(piece) = self.pieces.last()
            && self.piece_filled + 16 <= self.gpu.staging.piece_bytes
        {
            return Ok(piece.clone());
        }
        if self.pieces.len() >= 2 {
            self.flush()?;
        }
        let mut taken = self.gpu.staging.take_upload(&self.gpu)?;
        if taken.is_none() {
            self.flush()?;
            self.gpu.traffic.drain(&self.gpu)?;
            taken = self.gpu.staging.take_upload(&self.gpu)?;
        }
        let piece = taken.ok_or_else(|| self.no_room("an upload", self.gpu.staging.piece_bytes))?;
        self.pieces.push(piece.clone());
        self.piece_filled = 0;
        Ok(piece)
    }

    /// Copies `words` from `from` (starting at word `first`) to the host, in pieces, to `sink` in order.
    pub(crate) fn read(
        &mut self,
        from: &Arc<Buffer>,
        first: u64,
        words: u64,
        sink: &mut dyn FnMut(&[u32]),
    ) -> Result<()> {
        let piece_words = self.gpu.staging.piece_bytes / 4;
        let mut pending: Option<Pending> = None;
        let mut done = 0;
        while done < words {
            let count = piece_words.min(words - done);
            let piece = self.readback_piece()?;
            self.copy((from, 4 * (first + done)), (&piece, 0), 4 * count)?;
            let (submitted, proof) = self.submit(Some((&piece, count as usize)))?;
            let next = Pending { piece, words: count as usize, submitted, proof };
            // The device fills this piece while the host takes the one before.
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
        let piece = self.readback_piece()?;
        let (submitted, proof) = self.submit(Some((&piece, 0)))?;
        self.finish(Pending { piece, words: 0, submitted, proof }, &mut |_| ())
    }

    /// A piece to copy results into; when the budget is used up it waits for earlier work to give its memory back.
    fn readback_piece(&mut self) -> Result<Arc<Buffer>> {
        match self.gpu.staging.take_readback(&self.gpu) {
            Err(Error::Limit { .. }) => {
                self.flush()?;
                self.gpu.traffic.drain(&self.gpu)?;
                self.gpu.staging.take_readback(&self.gpu)
            }
            taken => taken,
        }
    }

    /// Takes a finished piece. After an error the status words are not used again: they may hold a reported fault.
    fn finish(&mut self, pending: Pending, sink: &mut dyn FnMut(&[u32])) -> Result<()> {
        pending.finish(&self.gpu, sink).inspect_err(|_| self.drop_kit())
    }
}
