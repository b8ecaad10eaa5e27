//! The one door to the queue: at most three submits in flight, and what they use kept alive until they are over.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use super::buffer::Buffer;
use super::gpu::Gpu;
use super::health::lock;
use crate::clock::Instant;
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
    /// When a submit was last seen to end.
    ended: Option<Instant>,
}

#[derive(Debug)]
struct InFlight {
    number: u64,
    index: wgpu::SubmissionIndex,
    operations: u64,
    begun: Instant,
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
    /// Writes `params` to the start of `arena`, then submits `commands`, which do so many operations; `used` lives until
    /// they are over.
    pub(crate) fn submit(
        &self,
        gpu: &Gpu,
        (commands, operations): (wgpu::CommandBuffer, u64),
        (arena, params): (&Buffer, &[u8]),
        used: Vec<Arc<Buffer>>,
    ) -> Result<Submitted> {
        let mut state = lock(&self.state);
        while state.in_flight.len() >= IN_FLIGHT {
            state.end_oldest(gpu)?;
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
        let begun = Instant::now();
        state.in_flight.push_back(InFlight { number, index: index.clone(), operations, begun, _used: used });
        gpu.profiler.count(|counts| counts.submits += 1);
        gpu.health.check()?;
        Ok(Submitted { number, index })
    }

    /// Waits until everything submitted is over and its memory is free again.
    pub(crate) fn drain(&self, gpu: &Gpu) -> Result<()> {
        let mut state = lock(&self.state);
        while !state.in_flight.is_empty() {
            state.end_oldest(gpu)?;
        }
        Ok(())
    }

    /// The submits in flight before this one, oldest first. Each that ends is a sign of progress.
    pub(crate) fn before(&self, submitted: &Submitted) -> Vec<wgpu::SubmissionIndex> {
        let state = lock(&self.state);
        state.in_flight.iter().take_while(|one| one.number < submitted.number).map(|one| one.index.clone()).collect()
    }

    /// A submit was just seen to end, so the next one begins.
    pub(crate) fn ended_now(&self) {
        lock(&self.state).ended = Some(Instant::now());
    }

    /// Forgets a submit that is known to be over, and all before it; `waited` if its end was waited for just now.
    pub(crate) fn retire(&self, gpu: &Gpu, submitted: &Submitted, waited: bool) {
        let mut state = lock(&self.state);
        while state.in_flight.front().is_some_and(|oldest| oldest.number <= submitted.number) {
            let Some(over) = state.in_flight.pop_front() else { break };
            if waited && over.number == submitted.number {
                state.time(gpu, &over);
            }
        }
    }
}

impl State {
    fn end_oldest(&mut self, gpu: &Gpu) -> Result<()> {
        let Some(oldest) = self.in_flight.pop_front() else { return Ok(()) };
        if gpu.wait(&oldest.index, "earlier work")? {
            self.time(gpu, &oldest);
        }
        Ok(())
    }

    /// Tells the device's pace what a submit took that ended just now: from its begin, or from the end of the one before.
    fn time(&mut self, gpu: &Gpu, over: &InFlight) {
        let now = Instant::now();
        let begun = self.ended.map_or(over.begun, |ended| ended.max(over.begun));
        gpu.pace.observe(over.operations, now - begun);
        self.ended = Some(now);
    }
}
