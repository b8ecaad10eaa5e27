//! The engine's counts as a table.

use gristmill::Profile;

use super::format::{bytes, seconds};
use super::output::table;

/// One row a kernel, and the counts of the whole run below.
pub fn describe(profile: &Profile) -> String {
    let mut rows = table(&["kernel", "dispatches", "GPU time", "GFLOP", "moved", "GFLOP/s", "GB/s"]);
    for (name, kernel) in &profile.kernels {
        let rate = |count: u64| match kernel.seconds {
            Some(time) if time > 0.0 => format!("{:.1}", count as f64 / time / 1e9),
            _ => "–".to_string(),
        };
        rows.add_row([
            name.clone(),
            kernel.dispatches.to_string(),
            kernel.seconds.map_or("–".to_string(), seconds),
            format!("{:.2}", kernel.operations as f64 / 1e9),
            bytes(kernel.bytes),
            rate(kernel.operations),
            rate(kernel.bytes),
        ]);
    }
    format!(
        "{rows}\n{} submits; {} uploads, {}; {} read-backs, {}",
        profile.submits,
        profile.uploads,
        bytes(profile.upload_bytes),
        profile.readbacks,
        bytes(profile.readback_bytes)
    )
}
