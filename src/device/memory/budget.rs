//! How much memory a device may take when nobody says: from the machine, not from a limit of the API.

use super::super::health::guarded;
use super::super::info::{DeviceInfo, DeviceKind};

/// What is asked for at a time when a card is probed, and how often at most.
const PROBE_BYTES: u64 = 1 << 30;
const PROBES: usize = 96;

/// The least that is useful.
const LEAST: u64 = 256 << 20;

/// Half of the machine's memory for adapters that share it, known without opening them; nothing for a card.
pub(crate) fn shared(kind: DeviceKind) -> Option<u64> {
    let shares = matches!(kind, DeviceKind::Integrated | DeviceKind::Software);
    shares.then(|| main_memory().map_or(4 << 30, |bytes| (bytes / 2).max(LEAST)))
}

/// The budget of an opened device: half of what it shares, or three quarters of what a card gives.
pub(crate) fn of(device: &wgpu::Device, info: &DeviceInfo) -> u64 {
    shared(info.kind).unwrap_or_else(|| (probe(device, info.max_buffer_bytes) / 4 * 3).max(LEAST))
}

/// Bytes that the driver lets us make in buffers of a GiB. wgpu refuses at nine tenths of what the driver says is free
/// for us, where the driver says so. Nothing is written, and all of it is given back.
fn probe(device: &wgpu::Device, largest: u64) -> u64 {
    let size = PROBE_BYTES.min(largest) & !255;
    let descriptor = wgpu::BufferDescriptor {
        label: Some("how much memory there is"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    let made: Vec<wgpu::Buffer> =
        (0..PROBES).map_while(|_| guarded(device, || device.create_buffer(&descriptor)).ok()).collect();
    made.iter().for_each(wgpu::Buffer::destroy);
    // What was destroyed is given back by a poll.
    let _ = device.poll(wgpu::PollType::Poll);
    size * made.len() as u64
}

/// Bytes of the machine's memory, or of what this process may take of it.
fn main_memory() -> Option<u64> {
    if cfg!(target_os = "macos") {
        let asked = std::process::Command::new("/usr/sbin/sysctl").args(["-n", "hw.memsize"]).output().ok()?;
        return String::from_utf8(asked.stdout).ok()?.trim().parse().ok();
    }
    let total = total_of(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let allowed = group.and_then(|text| text.trim().parse::<u64>().ok());
    Some(allowed.map_or(total, |allowed| allowed.min(total)))
}

/// The total of `/proc/meminfo`, in bytes.
fn total_of(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}
