use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, devices, gpu_with, matrix};

fn column_sums(device: &Device, x: &Matrix) -> Vec<f64> {
    ops::column_sums(&mut device.stream(), &x.to(device).unwrap()).unwrap()
}

fn column_sums_into(device: &Device, x: &Matrix) -> Vec<f32> {
    let mut stream = device.stream();
    let mut out = DeviceVec::from_slice(&vec![7.0; x.columns()], device).unwrap();
    ops::column_sums_into(&mut stream, &x.to(device).unwrap(), &mut out).unwrap();
    out.to_vec(&mut stream).unwrap()
}

#[test]
fn sums_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 3, 4, 5, 63, 64, 65, 511, 512, 513, 1000, 70_000] {
            for columns in [0, 1, 3, 4, 5, 64, 65] {
                let x = matrix(rows, columns, 85);
                let found = column_sums(device, &x);
                let kept = column_sums_into(device, &x);
                assert_eq!(found.len(), columns);
                for (column, sum) in found.iter().enumerate() {
                    let values = || (0..rows).map(|row| x.get(row, column) as f64);
                    let (exact, size): (f64, f64) = (values().sum(), values().map(f64::abs).sum());
                    assert!((sum - exact).abs() <= 132.0 * EPS * size, "{name}: {rows}×{columns}, column {column}");
                    let error = (kept[column] as f64 - exact).abs();
                    assert!(error <= 264.0 * EPS * size, "{name}: {rows}×{columns}, column {column}");
                }
            }
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let x = matrix(2003, 37, 86);
    let whole = column_sums(crate::support::gpu(), &x);
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    let kept = column_sums_into(crate::support::gpu(), &x);
    for options in split.into_iter().chain(tight) {
        let device = gpu_with(options.mark_outputs(true));
        assert_eq!(column_sums(&device, &x), whole);
        assert_eq!(column_sums_into(&device, &x), kept);
    }
}
