//! Compiled pipelines, made when first needed and kept by (kernel, overrides), each in up to two forms.
//!
//! A pipeline is compiled on another thread while recording goes on, and waited for at the submit: what a submit needs
//! is compiled side by side. There is a lock for each pipeline and none around all.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::health::{guarded, lock};
use crate::error::{Error, Result};
use crate::kernel::source::{Expanded, expand_for};
use crate::kernel::{Access, Kernel, STATUS_BINDING};

/// A pipeline with the layout its bind groups use.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) layout: wgpu::BindGroupLayout,
    kernel: Kernel,
    overrides: Vec<(&'static str, u32)>,
    text: Expanded,
    compiled: OnceLock<Result<wgpu::ComputePipeline>>,
    dispatches: AtomicU64,
    counted: bool,
}

/// Override constants by name.
pub(crate) type Overrides<'a> = &'a [(&'static str, u32)];

/// A kernel's name, the place of its text (two kernels may share a name), the values of its override constants, and
/// whether its workgroups are counted.
type Key = (&'static str, usize, Vec<(&'static str, u32)>, bool);

/// The cache of one device.
#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    made: Mutex<HashMap<Key, Arc<Pipeline>>>,
}

impl Pipelines {
    /// The pipeline, which another thread begins to compile if it is new. A pipeline that does not count its workgroups has
    /// no status words to bind, unless the kernel reports faults, and so leaves the order of dispatches to their buffers.
    pub(crate) fn get(
        &self,
        device: &wgpu::Device,
        kernel: &Kernel,
        overrides: Overrides,
        counted: bool,
    ) -> Result<Arc<Pipeline>> {
        let mut made = lock(&self.made);
        let key = (kernel.name, kernel.source.as_ptr() as usize, overrides.to_vec(), counted);
        if let Some(pipeline) = made.get(&key) {
            return Ok(pipeline.clone());
        }
        let refused = |why: String| Error::Kernel { kernel: kernel.name.to_string(), why };
        let text = expand_for(kernel.source, counted).map_err(refused)?;
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(kernel.name),
            entries: &layout_entries(kernel, text.has_status),
        });
        let pipeline = Arc::new(Pipeline {
            layout,
            kernel: *kernel,
            overrides: key.2.clone(),
            text,
            compiled: OnceLock::new(),
            dispatches: AtomicU64::new(0),
            counted,
        });
        made.insert(key, pipeline.clone());
        let (ahead, device) = (pipeline.clone(), device.clone());
        rayon::spawn(move || drop(ahead.raw(&device)));
        Ok(pipeline)
    }
}

/// What nobody has begun to compile is not compiled any more, and what is being compiled is waited for: a driver should not
/// be at work when the process ends.
impl Drop for Pipelines {
    fn drop(&mut self) {
        for pipeline in lock(&self.made).values() {
            let refused = || Error::Kernel { kernel: pipeline.kernel.name.to_string(), why: "too late".to_string() };
            let _ = pipeline.compiled.get_or_init(|| Err(refused()));
        }
    }
}

impl Pipeline {
    /// The compiled pipeline: compiled here if no other thread has begun to, else waited for.
    pub(crate) fn raw(&self, device: &wgpu::Device) -> Result<&wgpu::ComputePipeline> {
        self.compiled.get_or_init(|| self.compile(device)).as_ref().map_err(Clone::clone)
    }

    /// Whether nobody would have to wait for it.
    pub(crate) fn is_ready(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// Whether the status words are bound.
    pub(crate) fn has_status(&self) -> bool {
        self.text.has_status
    }

    /// Whether each workgroup adds one to the count.
    pub(crate) fn is_counted(&self) -> bool {
        self.counted
    }

    /// Counts a dispatch; how many there were before.
    pub(crate) fn count_dispatch(&self) -> u64 {
        self.dispatches.fetch_add(1, Ordering::Relaxed)
    }

    fn compile(&self, device: &wgpu::Device) -> Result<wgpu::ComputePipeline> {
        let kernel = &self.kernel;
        let constants: Vec<(&str, f64)> = self.overrides.iter().map(|&(name, value)| (name, value as f64)).collect();
        let create = || {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(kernel.name),
                source: wgpu::ShaderSource::Wgsl(self.text.source.as_str().into()),
            });
            let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(kernel.name),
                bind_group_layouts: &[Some(&self.layout)],
                ..Default::default()
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
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
            })
        };
        let refused = |why: String| Error::Kernel { kernel: kernel.name.to_string(), why };
        // A panic on a thread of the pool would end the process.
        let made = catch_unwind(AssertUnwindSafe(|| guarded(device, create)));
        made.unwrap_or_else(|_| Err(super::health::Refusal::Invalid("the driver's compiler failed".to_string())))
            .map_err(|refusal| refused(refusal.to_string()))
    }
}

fn layout_entries(kernel: &Kernel, has_status: bool) -> Vec<wgpu::BindGroupLayoutEntry> {
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
    if has_status {
        entries.push(entry(STATUS_BINDING, storage(false), false));
    }
    entries
}
