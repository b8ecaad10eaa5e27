//! `gristmill devices`.

use gristmill::prelude::*;
use gristmill::{DeviceInfo, DeviceKind};

use crate::arguments::GlobalArgs;
use crate::report::{CommandResult, bytes, show, table};

pub fn run(global: &GlobalArgs) -> CommandResult {
    let mut devices = Device::list();
    // A card's memory is known once it is open.
    for info in devices.iter_mut().filter(|info| info.kind != DeviceKind::Cpu && info.memory_budget.is_none()) {
        info.memory_budget = Device::open(&info.index.to_string()).ok().map(|device| device.memory().1);
    }
    show(global, &devices, |devices| describe(devices));
    Ok(())
}

/// The list as a table, with a note where there is no GPU.
pub fn describe(devices: &[DeviceInfo]) -> String {
    let mut rows =
        table(&["", "device", "kind", "backend", "driver", "subgroup", "memory", "binding", "buffer", "workgroup"]);
    for info in devices {
        let gpu = info.kind != DeviceKind::Cpu;
        let or_dash = |text: String| if gpu { text } else { "–".to_string() };
        let [min, max] = info.subgroup_sizes;
        let subgroup = if min == max { min.to_string() } else { format!("{min}–{max}") };
        rows.add_row([
            format!("{}{}", info.index, if info.default { " *" } else { "" }),
            info.name.clone(),
            format!("{:?}", info.kind).to_lowercase(),
            info.backend.clone(),
            info.driver.clone(),
            or_dash(subgroup),
            or_dash(info.memory_budget.map_or("?".to_string(), bytes)),
            or_dash(bytes(info.max_binding_bytes)),
            or_dash(bytes(info.max_buffer_bytes)),
            or_dash(format!("{} / {}", info.max_workgroup_size, bytes(info.max_workgroup_bytes as u64))),
        ]);
    }
    let mut text = format!("{rows}\n* the default; GRISTMILL_DEVICE or --device choose another");
    if devices.len() == 1 {
        text += "\nNo GPU driver found: the CPU does the work. For a GPU install its Vulkan driver.";
    } else if devices.iter().all(|info| matches!(info.kind, DeviceKind::Cpu | DeviceKind::Software)) {
        text += "\nNo hardware GPU found: a software driver is used only by --device gpu.";
    }
    text
}
