//! Where work runs: the list of devices, opening one, and the stream that carries work to it.

mod bind_groups;
mod buffer;
mod dispatch;
pub(crate) mod encode;
mod gpu;
pub(crate) mod health;
mod info;
#[doc(hidden)]
pub mod memory;
mod options;
#[doc(hidden)]
pub mod pace;
mod pipeline;
mod profile;
mod readback;
#[doc(hidden)]
pub mod self_test;
mod staging;
mod stream;
mod submit;
mod transfer;

use std::sync::{Arc, OnceLock};

pub use buffer::Buffer;
pub use dispatch::Dispatch;
pub use gpu::Gpu;
pub(crate) use gpu::Purpose;
pub use info::{DeviceInfo, DeviceKind};
pub use options::{DeviceOptions, Limits};
pub use profile::{KernelProfile, Profile};
pub(crate) use readback::Pending;
pub(crate) use stream::Recording;
pub use stream::Stream;
pub(crate) use transfer::Fill;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::kernel::Kernel;

/// Where arrays live and work runs: this program's CPU code, or a GPU. Cheap to clone.
///
/// ```
/// use gristmill::prelude::*;
/// let device = Device::open("cpu")?;
/// let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&device)?;
/// assert_eq!(x.rows(), 2);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub enum Device {
    /// The CPU twins, on all cores.
    Cpu,
    /// An opened adapter.
    Gpu(Arc<Gpu>),
}

/// The variable that overrides [`Device::auto`].
pub const DEVICE_VARIABLE: &str = "GRISTMILL_DEVICE";

/// The name that leaves the choice to the machine.
pub(crate) const AUTO: &str = "auto";

const INSTALL_ADVICE: &str = "Install a Vulkan driver (Debian and Ubuntu: mesa-vulkan-drivers; on Debian 12 from \
     bookworm-backports), or use the CPU with GRISTMILL_DEVICE=cpu";

impl Device {
    /// Every device of this machine, the CPU first. The index is what [`Device::open`] takes; the default is what
    /// [`Device::auto`] opens, `GRISTMILL_DEVICE` included.
    pub fn list() -> Vec<DeviceInfo> {
        let mut devices = infos(adapters());
        let wanted = wanted_by_variable();
        let chosen = wanted.map(|wanted| choose(&wanted, &devices).unwrap_or(0));
        let default = chosen.or_else(|| best(&devices, false)).unwrap_or(0);
        devices[default].default = true;
        devices
    }

    /// Opens a device by its name, as [`Device::open_with`], which also runs the checks of hardware adapters.
    pub(crate) fn open_unchecked(wanted: &str, options: DeviceOptions) -> Result<Device> {
        if is_cpu(wanted) {
            return Ok(Device::Cpu);
        }
        let adapters = adapters();
        let chosen = choose(wanted, &infos(adapters))?;
        if chosen == 0 {
            return Ok(Device::Cpu);
        }
        let gpu = Gpu::open(&adapters[chosen - 1], chosen, options)?;
        self_test::run(&gpu)?;
        Ok(Device::Gpu(gpu))
    }

    /// Another device on the same driver, with options of its own but for limits: nothing is compiled again for it. An error
    /// of the driver is one of both.
    #[doc(hidden)]
    pub fn beside(&self, options: DeviceOptions) -> Device {
        match self {
            Device::Gpu(gpu) => Device::Gpu(gpu.beside(options)),
            Device::Cpu => Device::Cpu,
        }
    }

    /// A new stream on this device.
    pub fn stream(&self) -> Stream {
        Stream::new(self)
    }

    /// Begins to compile kernels with their override constants as the shaders have them.
    #[doc(hidden)]
    pub fn begin_to_warm(&self, kernels: &[&Kernel]) -> Result<()> {
        match self {
            Device::Gpu(gpu) => gpu.warm(kernels),
            Device::Cpu => Ok(()),
        }
    }

    /// Compiles kernels with their override constants as the shaders have them, counted and not, on all threads.
    #[doc(hidden)]
    pub fn warm(&self, kernels: &[&Kernel]) -> Result<()> {
        let Device::Gpu(gpu) = self else { return Ok(()) };
        let both = kernels.iter().flat_map(|kernel| [(*kernel, true), (*kernel, false)]);
        let begun = both.map(|(kernel, counted)| gpu.pipelines.get(&gpu.device, kernel, &[], counted));
        let begun = begun.collect::<Result<Vec<_>>>()?;
        begun.iter().try_for_each(|pipeline| pipeline.raw(&gpu.device).map(|_| ()))
    }

    /// Its row of [`Device::list`].
    pub fn info(&self) -> DeviceInfo {
        match self {
            Device::Cpu => DeviceInfo::cpu(),
            Device::Gpu(gpu) => gpu.info.clone(),
        }
    }

    /// Whether two handles are the same opened device.
    pub fn same(&self, other: &Device) -> bool {
        match (self, other) {
            (Device::Cpu, Device::Cpu) => true,
            (Device::Gpu(a), Device::Gpu(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// `work` for each item: in parallel on the CPU, one after the other on a GPU, which is one. The results are in the order
    /// of the items; of several errors the first in that order is returned.
    pub(crate) fn map<T: Send, R: Send>(
        &self,
        items: impl IntoIterator<Item = T>,
        work: impl Fn(T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        match self {
            Device::Cpu => {
                let items: Vec<T> = items.into_iter().collect();
                items.into_par_iter().map(&work).collect::<Vec<_>>().into_iter().collect()
            }
            Device::Gpu(_) => items.into_iter().map(work).collect(),
        }
    }

    /// Starts counting anew, or stops. Timing each kernel makes the run slower. The CPU counts nothing.
    pub fn profile(&self, on: bool) {
        if let Device::Gpu(gpu) = self {
            gpu.profiler.switch(on);
        }
    }

    /// What was counted since [`Device::profile`] was switched on.
    pub fn profile_report(&self) -> Profile {
        match self {
            Device::Cpu => Profile::default(),
            Device::Gpu(gpu) => gpu.profiler.report(),
        }
    }

    /// Bytes of device memory in use, and the budget; both 0 on the CPU.
    pub fn memory(&self) -> (u64, u64) {
        match self {
            Device::Cpu => (0, 0),
            Device::Gpu(gpu) => (gpu.memory.used(), gpu.memory.budget()),
        }
    }
}

/// The adapters of this machine, found once: drivers take their time to say what is there.
fn adapters() -> &'static [wgpu::Adapter] {
    static ADAPTERS: OnceLock<Vec<wgpu::Adapter>> = OnceLock::new();
    ADAPTERS.get_or_init(enumerate)
}

fn enumerate() -> Vec<wgpu::Adapter> {
    // wgpu panics where it is built without a backend, and a browser's can only be awaited.
    if cfg!(target_family = "wasm") {
        return vec![];
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
        flags: wgpu::InstanceFlags::empty(),
        // A refusal is an answer that the engine can work with; a machine that swaps is not.
        memory_budget_thresholds: wgpu::MemoryBudgetThresholds {
            for_resource_creation: Some(90),
            for_device_loss: None,
        },
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
}

fn infos(adapters: &[wgpu::Adapter]) -> Vec<DeviceInfo> {
    let gpus = (1..).zip(adapters).map(|(index, adapter)| DeviceInfo::of(adapter, index));
    [DeviceInfo::cpu()].into_iter().chain(gpus).collect()
}

/// What `GRISTMILL_DEVICE` names; `auto` is the same as nothing.
pub(crate) fn wanted_by_variable() -> Option<String> {
    let wanted = std::env::var(DEVICE_VARIABLE).ok()?.trim().to_string();
    (!wanted.is_empty() && !wanted.eq_ignore_ascii_case(AUTO)).then_some(wanted)
}

fn is_cpu(wanted: &str) -> bool {
    wanted.eq_ignore_ascii_case("cpu") || wanted == "0"
}

/// The best adapter: discrete, then integrated, then others, and software only if allowed.
fn best(devices: &[DeviceInfo], software: bool) -> Option<usize> {
    let usable = |info: &&DeviceInfo| info.kind != DeviceKind::Cpu && (software || info.kind != DeviceKind::Software);
    devices.iter().filter(usable).min_by_key(|info| info.kind).map(|info| info.index)
}

fn choose(wanted: &str, devices: &[DeviceInfo]) -> Result<usize> {
    let by_variable = wanted_by_variable().is_some_and(|variable| variable == wanted);
    let source = if by_variable { format!(" ({DEVICE_VARIABLE} names it)") } else { String::new() };
    let refuse = |why: &str, advice: &str| Error::NoDevice {
        wanted: wanted.to_string(),
        why: format!("{why}{source}"),
        found: devices.iter().map(DeviceInfo::summary).collect(),
        advice: advice.to_string(),
    };
    if is_cpu(wanted) {
        return Ok(0);
    }
    if wanted.eq_ignore_ascii_case("gpu") {
        return best(devices, true)
            .ok_or_else(|| refuse("this machine shows no GPU and no software driver", INSTALL_ADVICE));
    }
    let names_it = "Use cpu, gpu, an index or part of a name from `gristmill devices`";
    if let Ok(index) = wanted.parse::<usize>() {
        let known = index < devices.len();
        return if known { Ok(index) } else { Err(refuse("there is no such index", names_it)) };
    }
    let part = wanted.to_lowercase();
    let named = |info: &&DeviceInfo| info.kind != DeviceKind::Cpu && info.name.to_lowercase().contains(&part);
    match devices.iter().find(named) {
        Some(info) if !part.is_empty() => Ok(info.index),
        _ => Err(refuse("no adapter has that in its name", names_it)),
    }
}
