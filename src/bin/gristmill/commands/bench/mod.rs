//! `gristmill bench`: every kernel at several sizes, CPU against GPU, and against what this machine could do at best.

mod measure;
mod peak;
mod predict;

use std::io::IsTerminal;
use std::time::Duration;

use gristmill::prelude::*;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::arguments::GlobalArgs;
use crate::report::{CommandResult, print, print_json, profile, seconds, table_of};
use crate::suite::{
    self,
    case::{Case, Work},
};
use measure::Timing;
pub use measure::{BenchConfig, measure, speed};
use peak::Peak;

/// What `bench` takes.
#[derive(clap::Args)]
pub struct BenchArgs {
    /// Only kernels whose name contains this
    filter: Option<String>,
    /// Devices to compare: cpu, gpu, portable (the GPU at WebGPU's minimum), or any name or index
    #[arg(long, value_delimiter = ',', default_value = "cpu,gpu")]
    compare: Vec<String>,
    /// Print what the cost model expects of fits on a card that is not there: part of a name such as "RTX 4070", or all
    #[arg(long, value_name = "CARD", conflicts_with_all = ["filter", "compare"])]
    predict: Option<String>,
    /// Print a Markdown table
    #[arg(long)]
    markdown: bool,
    /// Seconds for each case and device
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
}

/// One line of the result.
#[derive(Serialize)]
struct Line {
    kernel: &'static str,
    size: String,
    device: String,
    median_s: f64,
    min_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gflops: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gb_s: Option<f64>,
    /// Of this machine's measured peak.
    share: f64,
}

#[derive(Serialize)]
struct BenchReport {
    machine: Peak,
    results: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<gristmill::Profile>,
}

pub fn run(args: &BenchArgs, global: &GlobalArgs) -> CommandResult {
    if let Some(card) = &args.predict {
        return predict::run(card, global);
    }
    let devices = open(args, global)?;
    let cases = select(args)?;
    let bar = if global.quiet || global.json || !std::io::stderr().is_terminal() {
        ProgressBar::hidden()
    } else {
        ProgressBar::new(cases.len() as u64)
    };
    let machine = peak::measure();
    let handles: Vec<Device> = devices.iter().map(|(_, device)| device.clone()).collect();
    let config = BenchConfig { time: Duration::from_secs_f64(args.seconds * handles.len() as f64), min_runs: 5 };
    let mut results = vec![];
    for case in &cases {
        bar.set_message(case.kernel);
        let timings = measure(case, &handles, config)?;
        for ((name, _), timing) in devices.iter().zip(timings) {
            results.push(line(case, name, timing, machine));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let profile = if global.profile { Some(profiled(&cases, &handles)?) } else { None };
    show(&BenchReport { machine, results, profile }, devices.len(), args, global);
    Ok(())
}

fn open(args: &BenchArgs, global: &GlobalArgs) -> Result<Vec<(String, Device)>> {
    let named = global.device.as_ref().map(|name| vec![name.clone()]);
    let named = named.unwrap_or_else(|| args.compare.clone());
    named
        .into_iter()
        .map(|name| {
            let device = match name.as_str() {
                "portable" => Device::open_with("gpu", DeviceOptions::default().limits(Limits::WebGpuMinimum)),
                other => Device::open(other),
            };
            device.map(|device| (name, device))
        })
        .collect()
}

fn select(args: &BenchArgs) -> Result<Vec<Case>> {
    let filter = args.filter.as_deref().unwrap_or("");
    let cases: Vec<Case> = suite::cases().into_iter().filter(|case| case.kernel.contains(filter)).collect();
    if cases.is_empty() {
        let mut known: Vec<&str> = suite::cases().iter().map(|case| case.kernel).collect();
        known.dedup();
        return Err(Error::param("filter", format!("part of one of {}", known.join(", ")), filter));
    }
    Ok(cases)
}

fn line(case: &Case, name: &str, timing: Timing, machine: Peak) -> Line {
    let (rate, _) = speed(case.work, timing);
    let (gflops, gb_s, peak) = match case.work {
        Work::Operations(_) => (Some(rate), None, machine.peak_gflops),
        Work::Bytes(_) => (None, Some(rate), machine.peak_gb_s),
    };
    Line {
        kernel: case.kernel,
        size: case.size.clone(),
        device: name.to_string(),
        median_s: timing.median,
        min_s: timing.minimum,
        gflops,
        gb_s,
        share: rate / peak,
    }
}

/// One run of each case on the last device, which is the GPU in a comparison.
fn profiled(cases: &[Case], devices: &[Device]) -> Result<gristmill::Profile> {
    let Some(device) = devices.last() else { return Ok(gristmill::Profile::default()) };
    device.profile(true);
    for case in cases {
        case.prepare(device)?()?;
    }
    let report = device.profile_report();
    device.profile(false);
    Ok(report)
}

fn show(report: &BenchReport, devices: usize, args: &BenchArgs, global: &GlobalArgs) {
    if global.json {
        return print_json(report);
    }
    let header = ["kernel", "size", "device", "median", "minimum", "against the first", "speed", "of peak"];
    let rows: Vec<[String; 8]> =
        report.results.chunks(devices).flat_map(|group| group.iter().map(|line| row(line, &group[0]))).collect();
    if args.markdown {
        print(&format!("| {} |\n|{}", header.join(" | "), "---|".repeat(header.len())));
        rows.iter().for_each(|row| print(&format!("| {} |", row.join(" | "))));
    } else {
        print(&table_of(&header, rows));
    }
    let Peak { simd, peak_gflops, peak_gb_s } = report.machine;
    print(&format!("Peak of this machine's CPU with {simd}: {peak_gflops:.0} GFLOP/s, {peak_gb_s:.1} GB/s."));
    if let Some(counts) = &report.profile {
        print(&profile::describe(counts));
    }
}

fn row(line: &Line, first: &Line) -> [String; 8] {
    let rate = match (line.gflops, line.gb_s) {
        (Some(rate), _) => format!("{rate:.1} GFLOP/s"),
        (_, Some(rate)) => format!("{rate:.1} GB/s"),
        _ => String::new(),
    };
    [
        line.kernel.to_string(),
        line.size.clone(),
        line.device.clone(),
        seconds(line.median_s),
        seconds(line.min_s),
        format!("{:.2}×", line.min_s / first.min_s),
        rate,
        format!("{:.0} %", 100.0 * line.share),
    ]
}
