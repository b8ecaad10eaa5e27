use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, matrix, numbers, open_gpu};

fn forward(device: &Device, a: &Matrix, x: &[f32]) -> Vec<f32> {
    let mut stream = device.stream();
    let x = DeviceVec::from_slice(x, device).unwrap();
    ops::gemv(&mut stream, &a.to(device).unwrap(), &x).unwrap().to_vec(&mut stream).unwrap()
}

fn transposed(device: &Device, a: &Matrix, x: &[f32]) -> Vec<f64> {
    let x = DeviceVec::from_slice(x, device).unwrap();
    ops::gemv_transposed(&mut device.stream(), &a.to(device).unwrap(), &x).unwrap()
}

#[test]
fn products_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 63, 64, 65, 255, 257, 513, 1000] {
            for columns in [0, 1, 2, 3, 5, 16, 17, 64, 257] {
                let a = matrix(rows, columns, 91);
                let (right, left) = (numbers(columns, 92), numbers(rows, 93));
                for (row, value) in forward(device, &a, &right).iter().enumerate() {
                    let terms = || a.row(row).iter().zip(&right).map(|(a, x)| *a as f64 * *x as f64);
                    let (exact, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                    let bound = (columns as f64 / 4.0 + 6.0).max(40.0) * EPS * size;
                    assert!((*value as f64 - exact).abs() <= bound, "{name}: {rows}×{columns}, row {row}");
                }
                for (column, value) in transposed(device, &a, &left).iter().enumerate() {
                    let terms = || (0..rows).map(|row| a.get(row, column) as f64 * left[row] as f64);
                    let (exact, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                    assert!((value - exact).abs() <= 258.0 * EPS * size, "{name}: {rows}×{columns}, column {column}");
                }
            }
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let a = matrix(1500, 37, 94);
    let (right, left) = (numbers(37, 95), numbers(1500, 96));
    let device = crate::support::gpu();
    let (whole, whole_transposed) = (forward(device, &a, &right), transposed(device, &a, &left));
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        let device = open_gpu(options.mark_outputs(true));
        assert_eq!(bits(&forward(&device, &a, &right)), bits(&whole));
        assert_eq!(transposed(&device, &a, &left), whole_transposed);
    }
}

#[test]
fn a_vector_of_another_length_is_an_error() {
    for (name, device) in devices() {
        let a = matrix(3, 4, 97).to(device).unwrap();
        let x = DeviceVec::from_slice(&[1.0_f32; 5], device).unwrap();
        let mut stream = device.stream();
        assert!(matches!(ops::gemv(&mut stream, &a, &x), Err(Error::Shape { op: "gemv", .. })), "{name}");
        assert!(matches!(ops::gemv_transposed(&mut stream, &a, &x), Err(Error::Shape { op: "gemv", .. })), "{name}");
    }
}
