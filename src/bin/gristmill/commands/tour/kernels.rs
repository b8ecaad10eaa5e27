//! The kernels, the CPU against the GPU.

use std::time::Duration;

use gristmill::DeviceKind;
use gristmill::prelude::*;

use super::page::Page;
use crate::commands::bench::{BenchConfig, measure, speed};
use crate::report::seconds;
use crate::suite::{self, case::Case};

const CONFIG: BenchConfig = BenchConfig { time: Duration::from_millis(150), min_runs: 3 };

/// The sizes that a tour has time for.
const SHOWN: [(&str, &str); 12] = [
    ("cluster/assign", "200000x32, k=64"),
    ("neighbors/nearest", "2000x2000x64, 10"),
    ("linalg/gemm", "1024x1024x1024"),
    ("linalg/transpose", "4096x4096"),
    ("distance/sq_euclidean", "4096x4096x64"),
    ("reduce/argmin_rows", "4096x4096"),
    ("reduce/sum", "10000000"),
    ("tree/histogram", "100000x28"),
    ("tree/forest/target_histogram", "classes 20000x28"),
    ("tree/best_split", "64x28"),
    ("tree/partition", "100000"),
    ("tree/predict", "10000x10"),
];

pub fn show(page: &mut Page, gpu: Option<&Device>) -> Result<()> {
    page.section("The kernels: each has a WGSL shader and a CPU twin that gives the same result");
    let devices: Vec<Device> = [Some(Device::Cpu), gpu.cloned()].into_iter().flatten().collect();
    let mut rows = vec![];
    for case in shown() {
        let timings = measure(&case, &devices, CONFIG)?;
        let mut row = vec![case.kernel.to_string(), case.size.clone()];
        for timing in &timings {
            let (rate, unit) = speed(case.work, *timing);
            row.extend([seconds(timing.minimum), format!("{rate:.1} {unit}")]);
        }
        match timings.get(1) {
            Some(gpu) => row.push(format!("{:.2}×", gpu.minimum / timings[0].minimum)),
            None => row.extend(["–", "–", "–"].map(String::from)),
        }
        rows.push(row);
    }
    page.table(&["kernel", "size", "CPU", "its speed", "GPU", "GPU's speed", "GPU / CPU"], rows);
    match gpu.map(Device::info) {
        None => page.text("On the CPU alone: the CPU twins do all the work, and nothing is missing."),
        Some(info) if info.kind == DeviceKind::Software => page.text(
            "The GPU here is a driver that runs shaders on the CPU: it proves them right, and is no measure of a card.",
        ),
        Some(_) => {}
    }
    Ok(())
}

/// One run of each kernel with the engine's counts.
pub fn profile(page: &mut Page, gpu: &Device) -> Result<()> {
    gpu.profile(true);
    for case in shown() {
        case.prepare(gpu)?()?;
    }
    page.say("\nOne run of each kernel, profiled\n");
    page.profile(gpu.profile_report());
    Ok(())
}

fn shown() -> Vec<Case> {
    let wanted = |case: &Case| SHOWN.contains(&(case.kernel, case.size.as_str()));
    suite::cases().into_iter().filter(wanted).collect()
}
