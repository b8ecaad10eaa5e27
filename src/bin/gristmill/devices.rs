//! `gristmill devices`.

use gristmill::prelude::*;
use gristmill::{DeviceInfo, DeviceKind};

use super::{Everywhere, print, print_json, table};

pub fn run(everywhere: &Everywhere) -> Result<()> {
    let devices = Device::list();
    if everywhere.json {
        print_json(&devices);
    } else {
        print(&describe(&devices));
    }
    Ok(())
}

/// The list as a table, with a note where there is no GPU.
pub fn describe(devices: &[DeviceInfo]) -> String {
    let mut rows =
        table(&["", "device", "kind", "backend", "driver", "kernels", "subgroup", "binding", "buffer", "workgroup"]);
    for info in devices {
        let gpu = info.kind != DeviceKind::Cpu;
        let or_dash = |text: String| if gpu { text } else { "–".to_string() };
        let [least, most] = info.subgroup_sizes;
        let subgroup = if least == most { least.to_string() } else { format!("{least}–{most}") };
        rows.add_row([
            format!("{}{}", info.index, if info.default { " *" } else { "" }),
            info.name.clone(),
            format!("{:?}", info.kind).to_lowercase(),
            info.backend.clone(),
            info.driver.clone(),
            format!("{:?}", info.variant).to_lowercase(),
            or_dash(subgroup),
            or_dash(bytes(info.max_binding_bytes)),
            or_dash(bytes(info.max_buffer_bytes)),
            or_dash(format!("{} / {}", info.max_workgroup_size, bytes(info.max_workgroup_bytes as u64))),
        ]);
    }
    let mut text = format!("{rows}\n* the default; GRISTMILL_DEVICE or --device choose another");
    if devices.len() == 1 {
        text += "\nNo GPU driver found: the CPU does the work. For a GPU install its Vulkan driver.";
    } else if devices.iter().all(|info| matches!(info.kind, DeviceKind::Cpu | DeviceKind::Software)) {
        text += "\nNo hardware GPU found: a software driver is used only when asked for, with `gpu`.";
    }
    text
}

/// A number of bytes in words.
pub fn bytes(count: u64) -> String {
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.iter().find(|(_, unit)| count >= *unit) {
        Some((name, unit)) => format!("{:.0} {name}", count as f64 / *unit as f64),
        None => format!("{count} B"),
    }
}
