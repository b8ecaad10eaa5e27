//! `gristmill doctor`: does a device do what the kernels rely on, and how fast is it?

use gristmill::doctor::{self, Checkup, Speeds};
use gristmill::placement;
use gristmill::prelude::*;
use serde::Serialize;

use crate::arguments::GlobalArgs;
use crate::report::{CliError, CommandResult, number, paragraph, show, table_of};

/// What `doctor` takes.
#[derive(clap::Args)]
pub struct DoctorArgs {
    /// Takes this check for failed, to see what becomes of it
    #[arg(long, value_name = "CHECK", hide = true)]
    fail: Option<String>,
}

#[derive(Serialize)]
struct DoctorReport {
    version: &'static str,
    #[serde(flatten)]
    checkup: Checkup,
    /// Seconds of the checks once their kernels are compiled.
    seconds_compiled: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    speeds: Option<Speeds>,
}

/// Examines the device that is named, or the best GPU.
pub fn run(args: &DoctorArgs, global: &GlobalArgs) -> CommandResult {
    let wanted = global.device.clone().unwrap_or_else(|| "gpu".to_string());
    let fail = args.fail.clone().map(|name| -> &'static str { name.leak() });
    let device = Device::open_with(&wanted, DeviceOptions::default().check(false).fail_check(fail))?;
    let checkup = doctor::examine(&device)?;
    let seconds_compiled = doctor::examine(&device)?.seconds;
    // A device that cannot even compute has no speed.
    let speeds = doctor::measure(&device).ok();
    if let Some(speeds) = speeds.as_ref().filter(|_| fail.is_none()) {
        placement::remember(&checkup, speeds);
    }
    let failed: Vec<&str> = checkup.checks.iter().filter(|check| !check.passed).map(|check| check.name).collect();
    let failed = failed.join(", ");
    show(global, &DoctorReport { version: env!("CARGO_PKG_VERSION"), checkup, seconds_compiled, speeds }, describe);
    if failed.is_empty() { Ok(()) } else { Err(CliError::Reported(format!("checks failed: {failed}"))) }
}

fn describe(report: &DoctorReport) -> String {
    let Checkup { device, checks, passed, seconds } = &report.checkup;
    let rows = checks.iter().map(|check| {
        let verdict = if check.passed { "passed" } else { "FAILED" };
        [check.name.to_string(), verdict.to_string(), check.found.clone()]
    });
    let kind = format!("{:?}", device.kind).to_lowercase();
    let heading = paragraph(&format!("{} ({kind}, {}, {})", device.name, device.backend, device.driver));
    let mut text = format!("{heading}\n{}\n", table_of(&["check", "", "found"], rows));
    text += &paragraph(&match passed {
        true => {
            let [first, again] = [*seconds, report.seconds_compiled].map(crate::report::seconds);
            format!("Every check passed, in {first}, of which {again} without compiling.")
        }
        false => {
            "Results of this device would be wrong: the CPU does its work. Update the driver, and please send this \
                  page, or the output of gristmill doctor --json."
                .to_string()
        }
    });
    if let Some(Speeds { cpu, gpu, readback_gb_s }) = &report.speeds {
        let mut rows = vec![
            ["product on the CPU".to_string(), format!("{} GFLOP/s", number(cpu.tile_gflops))],
            ["pass over memory on the CPU".to_string(), format!("{} GB/s", number(cpu.stream_gb_s))],
        ];
        if let Some(gpu) = gpu {
            rows.extend([
                ["product".to_string(), format!("{} GFLOP/s", number(gpu.tile_gflops))],
                ["pass over its memory".to_string(), format!("{} GB/s", number(gpu.stream_gb_s))],
                ["upload".to_string(), format!("{} GB/s", number(gpu.upload_gb_s))],
                ["read-back".to_string(), format!("{} GB/s", number(readback_gb_s.unwrap_or_default()))],
                ["wait for a result".to_string(), format!("{} µs", number(gpu.sync_us))],
                ["compiling a kernel".to_string(), format!("{} ms", number(gpu.compile_ms))],
            ]);
        }
        text += &format!("\n{}", table_of(&["speed", "measured"], rows));
    }
    text
}
