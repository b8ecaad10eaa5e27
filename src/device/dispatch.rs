//! What is recorded: dispatches, as ops ask for them, copies and clears.

use std::sync::Arc;

use super::buffer::Buffer;
use super::pipeline::Pipeline;
use super::profile::Entry;
use crate::kernel::{Grid, Work};

/// One dispatch, as an op asks for it.
#[derive(Debug, Clone, Copy)]
pub struct Dispatch<'a> {
    /// The kernel's `Params`, as bytes.
    pub params: &'a [u8],
    /// Its storage buffers, in the order of [`Kernel::buffers`](crate::kernel::Kernel::buffers).
    pub buffers: &'a [&'a Arc<Buffer>],
    /// Its workgroups.
    pub grid: Grid,
    /// Values of its override constants.
    pub overrides: &'a [(&'static str, u32)],
    /// What it costs.
    pub work: Work,
}

impl<'a> Dispatch<'a> {
    /// One of a kernel without override constants.
    pub fn new(params: &'a impl bytemuck::Pod, buffers: &'a [&'a Arc<Buffer>], grid: Grid, work: Work) -> Dispatch<'a> {
        Dispatch { params: bytemuck::bytes_of(params), buffers, grid, overrides: &[], work }
    }

    /// The same with values of its override constants.
    pub fn overrides(mut self, overrides: &'a [(&'static str, u32)]) -> Dispatch<'a> {
        self.overrides = overrides;
        self
    }
}

/// A recorded step.
#[derive(Debug)]
pub(crate) enum Step {
    Dispatch { pipeline: Arc<Pipeline>, bind_group: wgpu::BindGroup, offset: u32, groups: Groups, entry: Entry },
    Copy { from: Arc<Buffer>, from_offset: u64, to: Arc<Buffer>, to_offset: u64, bytes: u64 },
    Clear { buffer: Arc<Buffer>, offset: u64, bytes: u64 },
}

/// How many workgroups a dispatch has along x, y and z.
#[derive(Debug)]
pub(crate) enum Groups {
    Known([u32; 3]),
    /// Three words of a buffer, from this byte on, which the device itself writes.
    OnDevice(Arc<Buffer>, u64),
}
