//! Results on their way to the host, each chunk with the proof that the kernels before it ran.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::buffer::Buffer;
use super::gpu::{Gpu, NOTICEABLE, UNWRITTEN};
use super::staging::PROOF_BYTES;
use super::submit::Submitted;
use crate::clock::Instant;
use crate::error::{Error, Result};

/// What the status words must hold when a chunk is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proof {
    /// Workgroups the stream has dispatched since its status word was zero, modulo 2³².
    pub(crate) groups: u32,
    /// What the seal of this submit wrote.
    pub(crate) nonce: u32,
}

/// A chunk that is being filled.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) chunk: Arc<Buffer>,
    pub(crate) words: usize,
    pub(crate) submitted: Submitted,
    pub(crate) proof: Proof,
}

impl Pending {
    /// Waits, checks the proof, hands the words over, and gives the chunk back.
    pub(crate) fn finish(self, gpu: &Gpu, sink: &mut dyn FnMut(&[u32])) -> Result<()> {
        // One timeout for each submit, so that it counts from the last that came to its end.
        for earlier in gpu.submits.before(&self.submitted) {
            if gpu.wait(&earlier, "earlier work")? {
                gpu.submits.ended_now();
            }
        }
        let begun = Instant::now();
        let proof_at = proof_offset(self.words) as usize / 4;
        let bytes = proof_offset(self.words) + PROOF_BYTES;
        let mut waited = false;
        let checked = map(gpu, &self.chunk, bytes, &self.submitted.index, |words| {
            waited = begun.elapsed() > NOTICEABLE;
            let data = &words[..self.words];
            self.proof.check(&words[proof_at..])?;
            if gpu.options.mark_outputs && data.contains(&UNWRITTEN) {
                let why = "part of an array was never written by the kernels that should have".to_string();
                return Err(Error::UnverifiedResult { why });
            }
            sink(data);
            Ok(())
        })?;
        checked.map_err(|error| match error {
            Error::UnverifiedResult { .. } => gpu.health.poison(error),
            // Bad input is the caller's to mend; the device is as good as before.
            other => other,
        })?;
        gpu.submits.retire(gpu, &self.submitted, waited);
        gpu.staging.return_readback(self.chunk);
        gpu.profiler.count_readback(4 * self.words as u64);
        Ok(())
    }
}

impl Proof {
    fn check(self, status: &[u32]) -> Result<()> {
        let [groups, nonce, fault] = [status[0], status[1], status[2]];
        if nonce != self.nonce {
            return Err(Error::UnverifiedResult {
                why: "the submit that should have produced it did not run".to_string(),
            });
        }
        if groups != self.groups {
            let missing = self.groups.wrapping_sub(groups);
            return Err(Error::UnverifiedResult { why: format!("{missing} workgroups did not run to their end") });
        }
        // `report_fault` of shaders/lib/status.wgsl: an index out of range.
        if fault != 0 { Err(Error::bad_index(fault)) } else { Ok(()) }
    }
}

/// Where the status words stand in a chunk with that many words of data.
pub(crate) fn proof_offset(words: usize) -> u64 {
    (4 * words as u64).next_multiple_of(PROOF_BYTES)
}

/// Maps the first `bytes` of a read-back chunk, shows them as words, and unmaps it.
pub(crate) fn map<T>(
    gpu: &Gpu,
    chunk: &Buffer,
    bytes: u64,
    submission: &wgpu::SubmissionIndex,
    show: impl FnOnce(&[u32]) -> T,
) -> Result<T> {
    let answer = Arc::new(AtomicU8::new(0));
    let called = answer.clone();
    chunk.raw.map_async(wgpu::MapMode::Read, 0..bytes, move |mapped| {
        called.store(if mapped.is_ok() { 1 } else { 2 }, Ordering::Release);
    });
    gpu.wait_for_callback(submission, "a read-back", || answer.load(Ordering::Acquire) != 0)?;
    let refused = |why: &str| gpu.health.poison(Error::DeviceLost { why: why.to_string() });
    if answer.load(Ordering::Acquire) == 2 {
        return Err(refused("a read-back could not be mapped"));
    }
    let shown = {
        let view = chunk.raw.slice(0..bytes).get_mapped_range().map_err(|error| refused(&error.to_string()))?;
        let words = bytemuck::try_cast_slice(&view).map_err(|_| refused("a read-back was mapped out of line"))?;
        show(words)
    };
    chunk.raw.unmap();
    Ok(shown)
}
