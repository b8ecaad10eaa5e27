//! Criterion over every case, on the CPU and on the GPU: `cargo bench [-- filter]`.

#[path = "suite.rs"]
mod suite;

use std::time::Duration;

use criterion::{Criterion, Throughput};
use gristmill::prelude::*;
use suite::case::Work;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let mut devices = vec![("cpu", Device::Cpu)];
    match Device::open("gpu") {
        Ok(gpu) => devices.push(("gpu", gpu)),
        Err(why) => eprintln!("CPU only: {why}"),
    }
    for case in suite::cases() {
        let mut group = criterion.benchmark_group(case.kernel);
        group.throughput(match case.work {
            Work::Operations(count) => Throughput::Elements(count),
            Work::Bytes(count) => Throughput::Bytes(count),
        });
        for (name, device) in &devices {
            match case.prepare(device) {
                Ok(mut job) => {
                    group.bench_function(format!("{}/{name}", case.size), |bencher| {
                        bencher.iter(|| job().expect("the job ran while it was prepared"));
                    });
                }
                Err(why) => eprintln!("{} {} on {name}: {why}", case.kernel, case.size),
            }
        }
        group.finish();
    }
    criterion.final_summary();
}
