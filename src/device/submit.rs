//! The one door to the queue: at most three submits in flight, and what they use kept alive until they are over.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use super::buffer::Buffer;
use super::gpu::Gpu;
use super::health::lock;
use crate::error::{Error, Result};

/// Submits in flight before the next one waits.
const IN_FLIGHT: usize = 3;

/// The submits of one device, in order.
#[derive(Debug, Default)]
pub(crate) struct SubmitQueue {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    submitted: u64,
    in_flight: VecDeque<InFlight>,
}

#[derive(Debug)]
struct InFlight {
    number: u64,
    index: wgpu::SubmissionIndex,
    /// Memory counts as used until the device is done with it.
    _used: Vec<Arc<Buffer>>,
}

/// A submit that was handed over.
#[derive(Debug, Clone)]
pub(crate) struct Submitted {
    number: u64,
    pub(crate) index: wgpu::SubmissionIndex,
}

impl SubmitQueue {
    /// Writes `params` to the start of `arena`, then submits `commands`; `used` lives until they are over.
    pub(crate) fn submit(
        &self,
        gpu: &Gpu,
        commands: wgpu::CommandBuffer,
        (arena, params): (&Buffer, &[u8]),
        used: Vec<Arc<Buffer>>,
    ) -> Result<Submitted> {
        let mut state = lock(&self.state);
        while state.in_flight.len() >= IN_FLIGHT {
            let Some(oldest) = state.in_flight.pop_front() else { break };
            gpu.wait(&oldest.index, "earlier work")?;
        }
        let number = state.submitted + 1;
        if gpu.options.destroy_at_submit == Some(number) {
            gpu.device.destroy();
        }
        let handed_over = catch_unwind(AssertUnwindSafe(|| {
            gpu.queue.write_buffer(&arena.raw, 0, params);
            gpu.queue.submit([commands])
        }));
        let index = handed_over.map_err(|_| {
            gpu.health.poison(Error::DeviceLost { why: "the driver failed while taking work".to_string() })
        })?;
        state.submitted = number;
        state.in_flight.push_back(InFlight { number, index: index.clone(), _used: used });
        gpu.profiler.count(|counts| counts.submits += 1);
        gpu.health.check()?;
        Ok(Submitted { number, index })
    }

    /// Waits until everything submitted is over and its memory is free again.
    pub(crate) fn drain(&self, gpu: &Gpu) -> Result<()> {
        let mut state = lock(&self.state);
        while let Some(oldest) = state.in_flight.pop_front() {
            gpu.wait(&oldest.index, "earlier work")?;
        }
        Ok(())
    }

    /// The submits in flight before this one, oldest first. Each that ends is a sign of progress.
    pub(crate) fn before(&self, submitted: &Submitted) -> Vec<wgpu::SubmissionIndex> {
        let state = lock(&self.state);
        state.in_flight.iter().take_while(|one| one.number < submitted.number).map(|one| one.index.clone()).collect()
    }

    /// Forgets a submit that is known to be over, and all before it.
    pub(crate) fn retire(&self, submitted: &Submitted) {
        let mut state = lock(&self.state);
        while state.in_flight.front().is_some_and(|oldest| oldest.number <= submitted.number) {
            state.in_flight.pop_front();
        }
    }
}
