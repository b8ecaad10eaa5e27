use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu_with, matrix, numbers};

fn forward(device: &Device, a: &Matrix, x: &[f32]) -> Vec<f32> {
    let mut stream = device.stream();
    let x = DeviceVec::from_slice(x, device).unwrap();
    ops::gemv(&mut stream, &a.to(device).unwrap(), &x).unwrap().to_vec(&mut stream).unwrap()
}

fn transposed(device: &Device, a: &Matrix, x: &[f32]) -> Vec<f64> {
    let x = DeviceVec::from_slice(x, device).unwrap();
    ops::gemv_transposed(&mut device.stream(), &a.to(device).unwrap(), &x).unwrap()
}

/// Both products into vectors that stay on the device.
fn into(device: &Device, a: &Matrix, right: &[f32], left: &[f32]) -> [Vec<f32>; 2] {
    let mut stream = device.stream();
    let (right, left) = (DeviceVec::from_slice(right, device).unwrap(), DeviceVec::from_slice(left, device).unwrap());
    let mut forward = DeviceVec::from_slice(&vec![7.0; a.rows()], device).unwrap();
    let mut transposed = DeviceVec::from_slice(&vec![7.0; a.columns()], device).unwrap();
    let a = a.to(device).unwrap();
    ops::gemv_into(&mut stream, &a, &right, &mut forward).unwrap();
    ops::gemv_transposed_into(&mut stream, &a, &left, &mut transposed).unwrap();
    [forward, transposed].map(|vector| vector.to_vec(&mut stream).unwrap())
}

#[test]
fn products_into_vectors_match_those_that_are_read_back() {
    for (name, device) in devices() {
        for (rows, columns) in [(0, 3), (1, 1), (65, 17), (513, 4), (1000, 257), (300_000, 3)] {
            let a = matrix(rows, columns, 98);
            let (right, left) = (numbers(columns, 99), numbers(rows, 100));
            let [found, found_transposed] = into(device, &a, &right, &left);
            assert_eq!(bits(&found), bits(&forward(device, &a, &right)), "{name}: {rows}×{columns}");
            for (column, value) in found_transposed.iter().enumerate() {
                let terms = || (0..rows).map(|row| a.get(row, column) as f64 * left[row] as f64);
                let (exact, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                let bound = 3.0 * 132.0 * EPS * size;
                assert!((*value as f64 - exact).abs() <= bound, "{name}: {rows}×{columns}, column {column}");
            }
        }
        let mut short = DeviceVec::from_slice(&[0.0], device).unwrap();
        let a = matrix(3, 2, 1).to(device).unwrap();
        let x = DeviceVec::from_slice(&[1.0, 2.0, 3.0], device).unwrap();
        let refused = ops::gemv_transposed_into(&mut device.stream(), &a, &x, &mut short).unwrap_err();
        assert!(matches!(refused, Error::Shape { .. }), "{name}: {refused}");
    }
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
    let whole_into = into(device, &a, &right, &left).map(|vector| bits(&vector));
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        let device = gpu_with(options.mark_outputs(true));
        assert_eq!(bits(&forward(&device, &a, &right)), bits(&whole));
        assert_eq!(transposed(&device, &a, &left), whole_transposed);
        assert_eq!(into(&device, &a, &right, &left).map(|vector| bits(&vector)), whole_into);
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
