//! What the engine adds to bare wgpu: a thousand small dispatches, recorded and run, both ways, taking turns.
//!
//! `cargo bench --bench engine`

use std::time::Instant;

use gristmill::device::Dispatch;
use gristmill::kernel::{Access, Field, Grid, Kernel, Work, source};
use gristmill::prelude::*;

const DISPATCHES: usize = 1000;
const REPEATS: usize = 15;

/// Adds one to 64 numbers.
const INCREMENT: Kernel = Kernel {
    name: "bench/increment",
    source: "//#import status
        struct Params { amount: u32 }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(64)
        fn main(@builtin(local_invocation_index) lane: u32) {
            x[lane] += params.amount;
            mark_done(lane);
        }",
    buffers: &[Access::Write],
    params: &[Field { name: "amount", offset: 0 }],
    params_size: 16,
};

fn main() -> Result<()> {
    let device = Device::open("gpu")?;
    let mut stream = device.stream();
    let x = DeviceVec::from_slice(&[0_u32; 64], &device)?;
    let bare = Bare::new();
    let (mut ours, mut theirs) = (vec![], vec![]);
    for _ in 0..REPEATS {
        let start = Instant::now();
        let view = x.view(&mut stream)?;
        for _ in 0..DISPATCHES {
            let dispatch = Dispatch {
                params: bytemuck::cast_slice(&[1_u32, 0, 0, 0]),
                buffers: &[view.buffer()],
                grid: Grid::linear(1)?,
                overrides: &[],
                work: Work::default(),
            };
            stream.dispatch(&INCREMENT, dispatch)?;
        }
        stream.finish()?;
        ours.push(start.elapsed().as_secs_f64());
        theirs.push(bare.run());
    }
    let total = x.to_vec(&mut stream)?;
    assert_eq!(total, vec![(REPEATS * DISPATCHES) as u32; 64], "every dispatch ran once");
    let summary = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        (seconds[0] * 1e3, seconds[REPEATS / 2] * 1e3)
    };
    let ((our_least, our_median), (bare_least, bare_median)) = (summary(ours), summary(theirs));
    println!("{DISPATCHES} dispatches   minimum     median");
    println!("gristmill        {our_least:7.2} ms {our_median:7.2} ms");
    println!("bare wgpu        {bare_least:7.2} ms {bare_median:7.2} ms");
    println!("ratio            {:7.2}    {:7.2}", our_least / bare_least, our_median / bare_median);
    Ok(())
}

/// The same kernel with wgpu alone: one bind group, one pass, one submit.
struct Bare {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
}

impl Bare {
    fn new() -> Bare {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).expect("an adapter");
        let (device, queue) = pollster::block_on(adapter.request_device(&Default::default())).expect("a device");
        let text = source::expand(INCREMENT.source).expect("known imports");
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        let buffer = |bytes: u64, usage| {
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false })
        };
        let params = buffer(16, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST);
        let x = buffer(256, wgpu::BufferUsages::STORAGE);
        let status = buffer(16, wgpu::BufferUsages::STORAGE);
        queue.write_buffer(&params, 0, bytemuck::cast_slice(&[1_u32, 0, 0, 0]));
        let entry = |binding, buffer: &wgpu::Buffer| (binding, buffer.clone());
        let bound = [entry(0, &params), entry(1, &x), entry(7, &status)];
        let entries: Vec<_> = bound
            .iter()
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() })
            .collect();
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Bare { device, queue, pipeline, bind_group }
    }

    /// Seconds for all dispatches in one pass.
    fn run(&self) -> f64 {
        let start = Instant::now();
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for _ in 0..DISPATCHES {
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, &self.bind_group, &[]);
                pass.dispatch_workgroups(1, 1, 1);
            }
        }
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the work is done");
        start.elapsed().as_secs_f64()
    }
}
