//! The checks that a device must pass, and costs.

use gristmill::cost::{CARDS, Cost, CpuRates, GpuRates};
use gristmill::doctor;
use gristmill::estimator::{Estimator, FitShape};
use gristmill::placement::Placement;
use gristmill::prelude::*;

use crate::support::{devices, gpu};

#[test]
fn every_device_passes_its_checks() {
    for (name, device) in devices() {
        let checkup = doctor::examine(device).unwrap();
        let failed: Vec<_> = checkup.checks.iter().filter(|check| !check.passed).collect();
        assert!(checkup.passed && failed.is_empty(), "{name}: {failed:?}");
    }
}

#[test]
fn a_device_that_fails_a_check_is_refused_with_the_check_and_advice() {
    let options = DeviceOptions::default().check(true);
    assert!(Device::open_with("gpu", options.clone()).is_ok());
    let refused = Device::open_with("gpu", options.fail_check("storage barriers")).unwrap_err();
    assert!(matches!(refused, Error::NoDevice { .. }));
    let text = refused.to_string();
    assert!(text.contains("storage barriers") && text.contains("gristmill doctor"), "{text}");
}

#[test]
fn a_refused_device_falls_back_to_the_cpu() {
    let refused = Device::open_with("gpu", DeviceOptions::default().check(true).fail_check("product"));
    assert_eq!(gristmill::placement::or_cpu(refused).unwrap().info().name, "CPU");
    let lost = Err(Error::DeviceLost { why: "gone".to_string() });
    assert!(gristmill::placement::or_cpu(lost).is_err(), "an error of another kind is not hidden");
    assert!(gristmill::placement::or_cpu(Ok(gpu().clone())).unwrap().same(gpu()));
}

#[test]
fn rates_are_positive_and_plausible() {
    let speeds = doctor::measure(gpu()).unwrap();
    let gpu = speeds.gpu.unwrap();
    for rate in [speeds.cpu.tile_gflops, speeds.cpu.stream_gb_s, gpu.tile_gflops, gpu.stream_gb_s, gpu.upload_gb_s] {
        assert!(rate > 1e-3 && rate < 1e6, "{rate}");
    }
    assert!(gpu.sync_us > 0.0 && gpu.compile_ms >= 0.0);
}

const CPU: CpuRates = CpuRates { tile_gflops: 100.0, stream_gb_s: 10.0 };
const GPU: GpuRates =
    GpuRates { tile_gflops: 1000.0, stream_gb_s: 100.0, upload_gb_s: 5.0, sync_us: 100.0, compile_ms: 10.0 };

#[test]
fn seconds_are_the_sum_of_what_each_part_takes() {
    let cost = Cost {
        operations: 2e9,
        spared_operations: 1e9,
        streamed_bytes: 1e8,
        host_bytes: 2e8,
        moved_bytes: 5e6,
        syncs: 20.0,
        kernels: 5.0,
    };
    let expected = cost.on(&CPU, &GPU);
    assert!((expected.cpu - (0.01 + 0.03)).abs() < 1e-12, "{expected:?}");
    assert!((expected.gpu - (0.002 + 0.001 + 0.02 + 0.001 + 0.002 + 0.02)).abs() < 1e-12, "{expected:?}");
    assert!(!expected.gpu_wins());
    let both = (cost + cost).on(&CPU, &GPU);
    assert!((both.cpu - 2.0 * expected.cpu).abs() < 1e-12);
    assert!((both.gpu - (2.0 * expected.gpu - 0.02)).abs() < 1e-12, "kernels are compiled once");
    assert_eq!([cost, cost].into_iter().sum::<Cost>(), cost * 2.0);
}

#[test]
fn more_work_costs_more_and_queries_are_counted() {
    let shape = |rows: usize, queries: usize| FitShape { rows, columns: 32, outputs: 2, queries };
    let card = &CARDS[0];
    let seconds = |estimator: &AnyEstimator, shape: FitShape| {
        estimator.cost(&shape).map(|cost| cost.on(&card.cpu, &card.gpu)).map(|expected| [expected.cpu, expected.gpu])
    };
    for entry in registry::entries() {
        let estimator = entry.estimator();
        let (Some(small), Some(large)) =
            (seconds(&estimator, shape(1000, 10)), seconds(&estimator, shape(100_000, 10)))
        else {
            continue;
        };
        assert!(small.iter().chain(&large).all(|time| time.is_finite() && *time >= 0.0), "{}", entry.name);
        assert!(small[0] < large[0] && small[1] < large[1], "{}: {small:?} {large:?}", entry.name);
    }
    let neighbors = KNeighborsClassifier::new(5);
    let operations = |queries: usize| neighbors.cost(&shape(1000, queries)).unwrap().operations;
    assert_eq!((operations(0), operations(100)), (0.0, 9.6e6));
}

#[test]
fn a_named_device_is_not_asked_about_the_work() {
    let placement = Placement::named("cpu").unwrap();
    let huge = Cost { operations: 1e18, ..Cost::default() };
    assert_eq!(placement.resolve(Some(huge)).unwrap().device.info().name, "CPU");
    assert!(matches!(Placement::named("AUTO").unwrap(), Placement::Auto));
    assert_eq!(Placement::Auto.or_cpu("because").why, "because");
}
