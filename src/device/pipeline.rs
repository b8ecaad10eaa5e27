//! Compiled pipelines, made when first needed and kept by (kernel, overrides).

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::health::{guarded, lock};
use crate::error::{Error, Result};
use crate::kernel::source::expand;
use crate::kernel::{Access, Kernel, STATUS_BINDING};

/// A pipeline with the layout its bind groups use.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) raw: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

/// Override constants by name.
pub(crate) type Overrides<'a> = &'a [(&'static str, u32)];

/// A kernel's name, the place of its text (two kernels may share a name) and the values of its override constants.
type Key = (&'static str, usize, Vec<(&'static str, u32)>);

/// The cache of one device.
#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    made: Mutex<HashMap<Key, Arc<Pipeline>>>,
}

impl Pipelines {
    /// The pipeline, compiled now if it was not yet. The lock is held meanwhile, so that no two threads compile one.
    pub(crate) fn get(&self, device: &wgpu::Device, kernel: &Kernel, overrides: Overrides) -> Result<Arc<Pipeline>> {
        let mut made = lock(&self.made);
        let key = (kernel.name, kernel.source.as_ptr() as usize, overrides.to_vec());
        if let Some(pipeline) = made.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline = Arc::new(compile(device, kernel, overrides)?);
        made.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}

fn compile(device: &wgpu::Device, kernel: &Kernel, overrides: Overrides) -> Result<Pipeline> {
    let refused = |why: String| Error::Kernel { kernel: kernel.name.to_string(), why };
    let text = expand(kernel.source).map_err(refused)?;
    let constants: Vec<(&str, f64)> = overrides.iter().map(|&(name, value)| (name, value as f64)).collect();
    guarded(device, || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(kernel.name),
            source: wgpu::ShaderSource::Wgsl(text.as_str().into()),
        });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(kernel.name),
            entries: &layout_entries(kernel),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(kernel.name),
            bind_group_layouts: &[Some(&layout)],
            ..Default::default()
        });
        let raw = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.name),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                // Every kernel writes its workgroup memory before it reads it.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        Pipeline { raw, layout }
    })
    .map_err(|refusal| refused(refusal.to_string()))
}

fn layout_entries(kernel: &Kernel) -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = |binding: u32, ty: wgpu::BufferBindingType, dynamic: bool| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: dynamic, min_binding_size: None },
        count: None,
    };
    let storage = |read_only: bool| wgpu::BufferBindingType::Storage { read_only };
    let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
    for (binding, access) in (1..).zip(kernel.buffers) {
        let ty = match access {
            Access::Read => storage(true),
            Access::Write => storage(false),
            Access::Uniform => wgpu::BufferBindingType::Uniform,
        };
        entries.push(entry(binding, ty, false));
    }
    entries.push(entry(STATUS_BINDING, storage(false), false));
    entries
}
