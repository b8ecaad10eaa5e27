//! What devices there are, and what each can do.

use serde::Serialize;

/// What kind of machine an adapter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// This program's own CPU code, without a driver.
    Cpu,
    /// A card with its own memory.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU inside a virtual machine, or of a kind the driver does not report.
    Other,
    /// A driver that runs shaders on the CPU. Never the default.
    Software,
}

/// One row of [`Device::list`](crate::Device::list).
#[derive(Debug, Clone, Serialize)]
pub struct DeviceInfo {
    /// Its number for [`Device::open`](crate::Device::open).
    pub index: usize,
    /// The adapter's name.
    pub name: String,
    /// `vulkan`, `metal`, `dx12`, or `cpu`.
    pub backend: String,
    /// The driver and its version; for the CPU its instruction set and threads.
    pub driver: String,
    /// Discrete, integrated, software, …
    pub kind: DeviceKind,
    /// Smallest and largest subgroup; 0 without subgroups.
    pub subgroup_sizes: [u32; 2],
    /// Bytes that one kernel can see of one buffer.
    pub max_binding_bytes: u64,
    /// Bytes of the largest buffer.
    pub max_buffer_bytes: u64,
    /// Bytes of workgroup memory.
    pub max_workgroup_bytes: u32,
    /// Invocations in a workgroup.
    pub max_workgroup_size: u32,
    /// Storage buffers of one kernel.
    pub max_storage_buffers: u32,
    /// Bytes that arrays and temporary blocks may take together, unless
    /// [`DeviceOptions::memory_budget`](crate::DeviceOptions::memory_budget) says otherwise: half of the machine's memory
    /// where the adapter shares it. A card's is known once it is opened: three quarters of what its driver gives.
    pub memory_budget: Option<u64>,
    /// Whether kernels can be timed on the device.
    pub timestamps: bool,
    /// Whether [`Device::auto`](crate::Device::auto) opens it.
    pub default: bool,
}

impl DeviceInfo {
    /// The row for the CPU itself.
    pub(crate) fn cpu() -> DeviceInfo {
        DeviceInfo {
            index: 0,
            name: "CPU".to_string(),
            backend: "cpu".to_string(),
            driver: format!("{}, {} threads", crate::simd::name(), rayon::current_num_threads()),
            kind: DeviceKind::Cpu,
            subgroup_sizes: [0, 0],
            max_binding_bytes: 0,
            max_buffer_bytes: 0,
            max_workgroup_bytes: 0,
            max_workgroup_size: 0,
            max_storage_buffers: 0,
            memory_budget: None,
            timestamps: false,
            default: false,
        }
    }

    pub(crate) fn of(adapter: &wgpu::Adapter, index: usize) -> DeviceInfo {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let subgroups = adapter.features().contains(wgpu::Features::SUBGROUP);
        DeviceInfo {
            index,
            subgroup_sizes: if subgroups { [info.subgroup_min_size, info.subgroup_max_size] } else { [0, 0] },
            kind: kind(&info),
            memory_budget: super::memory::budget::shared(kind(&info)),
            name: info.name,
            backend: info.backend.to_string(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
            max_binding_bytes: limits.max_storage_buffer_binding_size,
            max_buffer_bytes: limits.max_buffer_size,
            max_workgroup_bytes: limits.max_compute_workgroup_storage_size,
            max_workgroup_size: limits.max_compute_invocations_per_workgroup,
            max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
            timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
            default: false,
        }
    }

    /// Name and kind in a few words, for messages.
    pub fn summary(&self) -> String {
        format!("{} {} ({:?}, {})", self.index, self.name, self.kind, self.backend).to_lowercase()
    }
}

pub(crate) fn kind(info: &wgpu::AdapterInfo) -> DeviceKind {
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => DeviceKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => DeviceKind::Integrated,
        wgpu::DeviceType::Cpu => DeviceKind::Software,
        wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => DeviceKind::Other,
    }
}
