use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, matrix};

fn check(device: &Device, x: &Matrix, label: &str) {
    let mut stream = device.stream();
    let turned = ops::transpose(&mut stream, &x.to(device).unwrap()).unwrap();
    let turned = turned.to_matrix(&mut stream).unwrap();
    assert_eq!((turned.rows(), turned.columns()), (x.columns(), x.rows()));
    for row in 0..x.rows() {
        for column in 0..x.columns() {
            assert_eq!(turned.get(column, row), x.get(row, column), "{label}: {row}, {column}");
        }
    }
}

#[test]
fn rows_become_columns_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000] {
            for columns in [1, 3, 4, 33, 64] {
                check(device, &matrix(rows, columns, 5), name);
            }
        }
        check(device, &matrix(3, 1000, 5), name);
        check(device, &matrix(70_000, 1, 5), name);
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let x = matrix(300, 70, 6);
    for rows in [1, 2, 7, 64, 1000] {
        check(&gpu_with(DeviceOptions::default().chunk_rows(rows).mark_outputs(true)), &x, "chunks");
    }
    for mebibytes in [1, 16, 128] {
        let device = gpu_with(DeviceOptions::default().memory_budget(mebibytes << 20).mark_outputs(true));
        check(&device, &matrix(3000, 200, 6), "budget");
    }
}
