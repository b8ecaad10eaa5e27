use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, devices, gpu, gpu_with, numbers};

/// The product read back, the one that stays on the device, and the sum of x that does.
fn products(device: &Device, x: &[f32], y: &[f32]) -> (f64, f32, f32) {
    let mut stream = device.stream();
    let x = DeviceVec::from_slice(x, device).unwrap();
    let y = DeviceVec::from_slice(y, device).unwrap();
    let mut product = DeviceVec::from_slice(&[7.0], device).unwrap();
    let mut sum = DeviceVec::from_slice(&[7.0], device).unwrap();
    ops::dot_into(&mut stream, &x, &y, &mut product).unwrap();
    ops::sum_into(&mut stream, &x, &mut sum).unwrap();
    let read = ops::dot(&mut stream, &x, &y).unwrap();
    (read, product.to_vec(&mut stream).unwrap()[0], sum.to_vec(&mut stream).unwrap()[0])
}

#[test]
fn products_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 4097, 70_000, 3_000_000] {
            let (x, y) = (numbers(count, 11), numbers(count, 12));
            let terms = || x.iter().zip(&y).map(|(x, y)| *x as f64 * *y as f64);
            let (exact, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
            let (total, total_size): (f64, f64) =
                (x.iter().map(|x| *x as f64).sum(), x.iter().map(|x| x.abs() as f64).sum());
            let (read, product, sum) = products(device, &x, &y);
            assert!((read - exact).abs() <= 14.0 * EPS * size, "{name}: {count}");
            assert!((product as f64 - exact).abs() <= 28.0 * EPS * size, "{name}: {count}");
            assert!((sum as f64 - total).abs() <= 28.0 * EPS * total_size, "{name}: {count}");
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (x, y) = (numbers(1_000_003, 13), numbers(1_000_003, 14));
    let whole = products(gpu(), &x, &y);
    let split = [1, 2, 7, 64, 1000].map(|blocks| DeviceOptions::default().chunk_rows(blocks));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        assert_eq!(products(&gpu_with(options.mark_outputs(true)), &x, &y), whole);
    }
}

#[test]
fn other_lengths_and_missing_values_are_refused() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = DeviceVec::from_slice(&[1.0, 2.0], device).unwrap();
        let mut y = DeviceVec::from_slice(&[1.0, 2.0, f32::NAN], device).unwrap();
        assert!(matches!(ops::dot(&mut stream, &x, &y), Err(Error::NotFinite { row: 2, .. })), "{name}");
        y.write(&mut stream, 0, &[1.0, 2.0, 3.0]).unwrap();
        assert!(matches!(ops::dot(&mut stream, &x, &y), Err(Error::Shape { op: "dot", .. })), "{name}");
        assert!(matches!(ops::sum_into(&mut stream, &x, &mut y), Err(Error::Shape { op: "sum_into", .. })), "{name}");
    }
}
