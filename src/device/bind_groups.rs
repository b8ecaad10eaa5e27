//! Bind groups kept across submits: a loop binds the same buffers again and again, and making a bind group costs
//! microseconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::buffer::Buffer;
use super::gpu::Gpu;
use super::health::lock;
use super::pipeline::Pipeline;

/// Bind groups of a device at most; when there are more, all are made anew.
const MOST: usize = 512;

/// The bind groups of one device, by pipeline and by the numbers and sizes of the buffers.
#[derive(Debug, Default)]
pub(crate) struct BindGroups {
    made: Mutex<HashMap<Key, wgpu::BindGroup>>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    pipeline: usize,
    buffers: Box<[(u64, u64)]>,
}

impl BindGroups {
    /// Binds the first `params_bytes` of `arena`, `buffers` from 1 on, and the status words if the pipeline has them.
    pub(crate) fn get(
        &self,
        gpu: &Gpu,
        pipeline: &Arc<Pipeline>,
        (arena, params_bytes): (&Buffer, u64),
        buffers: &[&Arc<Buffer>],
        status: &Buffer,
    ) -> wgpu::BindGroup {
        let status = pipeline.has_status().then_some(status);
        let bound = buffers.iter().map(|buffer| &***buffer).chain(status);
        let of_bound = bound.clone().map(|buffer| (buffer.number, buffer.bytes));
        let key = Key {
            pipeline: Arc::as_ptr(pipeline) as usize,
            buffers: [(arena.number, params_bytes)].into_iter().chain(of_bound).collect(),
        };
        if let Some(known) = lock(&self.made).get(&key) {
            return known.clone();
        }
        let params = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &arena.raw,
            offset: 0,
            size: wgpu::BufferSize::new(params_bytes),
        });
        let bindings = (1..=buffers.len() as u32).chain(status.map(|_| crate::kernel::STATUS_BINDING));
        let others = bindings.zip(bound).map(|(binding, buffer)| (binding, buffer.binding()));
        let entries: Vec<wgpu::BindGroupEntry> = [(0, params)]
            .into_iter()
            .chain(others)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let group = gpu.device.create_bind_group(&descriptor);
        gpu.profiler.count(|counts| counts.new_bind_groups += 1);
        let mut made = lock(&self.made);
        if made.len() >= MOST {
            made.clear();
        }
        made.insert(key, group.clone());
        group
    }

    /// Drops the bind groups with this buffer, so that its memory can go.
    pub(crate) fn forget(&self, number: u64) {
        lock(&self.made).retain(|key, _| key.buffers.iter().all(|(bound, _)| *bound != number));
    }
}
