use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu, gpu_with, numbers};

fn sum(device: &Device, x: &[f32]) -> f64 {
    ops::sum(&mut device.stream(), &DeviceVec::from_slice(x, device).unwrap()).unwrap()
}

/// Relative to Σ|x|.
fn error(device: &Device, x: &[f32]) -> f64 {
    let exact: f64 = x.iter().map(|value| *value as f64).sum();
    let size: f64 = x.iter().map(|value| value.abs() as f64).sum();
    (sum(device, x) - exact).abs() / size.max(f64::MIN_POSITIVE)
}

#[test]
fn sums_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        assert_eq!(sum(device, &[]), 0.0, "{name}");
        for count in [1, 2, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 4097, 70_000] {
            let found = error(device, &numbers(count, 7));
            assert!(found <= 1e-7, "{name}: {count} values, error {found:e}");
        }
    }
}

#[test]
fn ten_million_values_are_summed_to_1e_7_with_the_same_bits_every_run() {
    let random = numbers(10_000_000, 8);
    let shifted: Vec<f32> = random.iter().map(|value| value + 1000.0).collect();
    let tenths = vec![0.1_f32; 10_000_000];
    for (name, device) in devices() {
        for (kind, x) in [("random", &random), ("shifted", &shifted), ("tenths", &tenths)] {
            let found = error(device, x);
            assert!(found <= 1e-7, "{name}, {kind}: error {found:e}");
        }
        let first = sum(device, &random);
        assert!((0..5).all(|_| sum(device, &random).to_bits() == first.to_bits()), "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let x = numbers(1_000_003, 9);
    let whole = sum(gpu(), &x);
    for blocks in [1, 2, 7, 64, 1000] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(blocks).mark_outputs(true));
        assert_eq!(sum(&device, &x).to_bits(), whole.to_bits(), "{blocks} blocks");
    }
    for mebibytes in [1, 16, 128] {
        let device = gpu_with(DeviceOptions::default().memory_budget(mebibytes << 20).mark_outputs(true));
        assert_eq!(sum(&device, &x).to_bits(), whole.to_bits(), "{mebibytes} MiB");
    }
}

#[test]
fn missing_and_infinite_values_are_refused_with_their_place() {
    for (name, device) in devices() {
        let x = DeviceVec::from_slice(&[1.0, f32::NAN, 2.0], device).unwrap();
        let refused = ops::sum(&mut device.stream(), &x).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 1, column: 0, .. }), "{name}: {refused}");
        let refused = DeviceVec::from_slice(&[1.0, 2.0, f32::INFINITY], device).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 2, column: 0, .. }), "{name}: {refused}");
    }
}
