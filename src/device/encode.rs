//! From recorded steps to one submit: passes, the seal, the proof, and timestamps when profiling.

use std::sync::Arc;

use super::buffer::Buffer;
use super::dispatch::{Groups, Step};
use super::gpu::Gpu;
use super::pipeline::Pipeline;
use super::profile::{Entry, Timestamps};
use super::staging::PROOF_BYTES;
use super::stream::StreamBuffers;
use super::submit::Submitted;
use crate::error::Result;
use crate::kernel::{kernels, params};

kernels! {
    /// Writes a number that only this submit knows, after all its other dispatches.
    pub(crate) SEAL = "lib/engine/seal", [], SealParams;
}

params! {
    pub(crate) struct SealParams { nonce: u32 }
}

/// Encodes and submits; `proof` is where the status words go behind the data of a read-back.
pub(crate) fn submit(
    gpu: &Gpu,
    steps: &[Step],
    buffers: &StreamBuffers,
    params: &[u8],
    proof: Option<(&Arc<Buffer>, u64)>,
    used: Vec<Arc<Buffer>>,
) -> Result<Submitted> {
    // What is still being compiled is waited for here.
    for pipeline in steps.iter().filter_map(pipeline_of) {
        pipeline.raw(&gpu.device)?;
    }
    let entries: Vec<Entry> = steps.iter().filter_map(entry_of).collect();
    let timestamps = if gpu.profiler.is_timing() { Timestamps::new(gpu, entries.len()).ok() } else { None };
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("gristmill") });
    match &timestamps {
        Some(timestamps) => encode_timed(gpu, &mut encoder, steps, timestamps)?,
        None => encode(gpu, &mut encoder, steps)?,
    }
    let operations = entries.iter().map(|entry| entry.work.cost()).sum();
    if let Some((chunk, offset)) = proof {
        encoder.copy_buffer_to_buffer(&buffers.status.raw, 0, &chunk.raw, offset, PROOF_BYTES);
    }
    let submitted = gpu.submits.submit(gpu, (encoder.finish(), operations), (&buffers.arena, params), used)?;
    let seconds = match timestamps {
        Some(timestamps) => Some(timestamps.read(gpu, &submitted.index)?),
        None => None,
    };
    if gpu.profiler.is_on() {
        // The seal, always last, is the engine's own.
        let timed = seconds.as_ref().map_or(entries.len(), Vec::len);
        let shown = entries.len().saturating_sub(1).min(timed);
        gpu.profiler.count_dispatches(&entries[..shown], seconds.as_deref());
    }
    Ok(submitted)
}

fn pipeline_of(step: &Step) -> Option<&Arc<Pipeline>> {
    match step {
        Step::Dispatch { pipeline, .. } => Some(pipeline),
        Step::Copy { .. } | Step::Clear { .. } => None,
    }
}

fn entry_of(step: &Step) -> Option<Entry> {
    match step {
        Step::Dispatch { entry, .. } => Some(*entry),
        Step::Copy { .. } | Step::Clear { .. } => None,
    }
}

/// Dispatches in a row share a pass; wgpu puts the barriers between them.
fn encode(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, steps: &[Step]) -> Result<()> {
    let same_kind = |a: &Step, b: &Step| entry_of(a).is_some() == entry_of(b).is_some();
    for run in steps.chunk_by(same_kind) {
        if entry_of(&run[0]).is_none() {
            run.iter().for_each(|step| transfer(encoder, step));
            continue;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        let before = [None].into_iter().chain(run.iter().map(Some));
        run.iter().zip(before).try_for_each(|(step, before)| dispatch(gpu, &mut pass, step, before))?;
    }
    Ok(())
}

/// Each dispatch in a pass of its own, because that is what can be timed on every backend.
fn encode_timed(gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, steps: &[Step], timestamps: &Timestamps) -> Result<()> {
    let mut at = 0;
    for step in steps {
        if entry_of(step).is_none() {
            transfer(encoder, step);
            continue;
        }
        let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes: timestamps.writes(at) };
        dispatch(gpu, &mut encoder.begin_compute_pass(&descriptor), step, None)?;
        at += 1;
    }
    timestamps.resolve(encoder);
    Ok(())
}

/// Sets what the step before it in the pass has not set already: drivers pay for every change.
fn dispatch(gpu: &Gpu, pass: &mut wgpu::ComputePass, step: &Step, before: Option<&Step>) -> Result<()> {
    let Step::Dispatch { pipeline, bind_group, offset, groups, .. } = step else { return Ok(()) };
    let (same_pipeline, same_binding) = match before {
        Some(Step::Dispatch { pipeline: set, bind_group: bound, offset: at, .. }) => {
            (Arc::ptr_eq(pipeline, set), bind_group == bound && offset == at)
        }
        _ => (false, false),
    };
    if !same_pipeline {
        pass.set_pipeline(pipeline.raw(&gpu.device)?);
    }
    if !(same_pipeline && same_binding) {
        pass.set_bind_group(0, bind_group, &[*offset]);
    }
    match groups {
        Groups::Known([x, y, z]) => pass.dispatch_workgroups(*x, *y, *z),
        Groups::OnDevice(buffer, offset) => pass.dispatch_workgroups_indirect(&buffer.raw, *offset),
    }
    Ok(())
}

fn transfer(encoder: &mut wgpu::CommandEncoder, step: &Step) {
    match step {
        Step::Copy { from, from_offset, to, to_offset, bytes } => {
            encoder.copy_buffer_to_buffer(&from.raw, *from_offset, &to.raw, *to_offset, *bytes);
        }
        Step::Clear { buffer, offset, bytes } => encoder.clear_buffer(&buffer.raw, *offset, Some(*bytes)),
        Step::Dispatch { .. } => {}
    }
}
