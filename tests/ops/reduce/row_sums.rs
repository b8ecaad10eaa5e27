use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu_with, matrix};

fn row_sums(device: &Device, x: &Matrix) -> Vec<f32> {
    let mut stream = device.stream();
    ops::row_sums(&mut stream, &x.to(device).unwrap()).unwrap().to_vec(&mut stream).unwrap()
}

#[test]
fn sums_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 63, 64, 65, 257, 70_000] {
            for columns in [0, 1, 2, 3, 4, 5, 17, 64, 255] {
                let x = matrix(rows, columns, 83);
                let found = row_sums(device, &x);
                assert_eq!(found.len(), rows);
                for (row, sum) in found.iter().enumerate() {
                    let exact: f64 = x.row(row).iter().map(|value| *value as f64).sum();
                    let size: f64 = x.row(row).iter().map(|value| value.abs() as f64).sum();
                    let bound = (columns as f64 / 4.0 + 4.0) * EPS * size;
                    assert!((*sum as f64 - exact).abs() <= bound, "{name}: {rows}×{columns}, row {row}");
                }
            }
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let x = matrix(1003, 37, 84);
    let whole = row_sums(crate::support::gpu(), &x);
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        assert_eq!(bits(&row_sums(&gpu_with(options.mark_outputs(true)), &x)), bits(&whole));
    }
}
