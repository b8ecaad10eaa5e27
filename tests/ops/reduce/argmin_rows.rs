use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, matrix};

fn argmin(device: &Device, x: &Matrix) -> (Vec<u32>, Vec<f32>) {
    let mut stream = device.stream();
    let (index, value) = ops::argmin_rows(&mut stream, &x.to(device).unwrap()).unwrap();
    (index.to_vec(&mut stream).unwrap(), value.to_vec(&mut stream).unwrap())
}

fn oracle(x: &Matrix) -> (Vec<u32>, Vec<f32>) {
    let smallest = |row: usize| {
        let best = |best: usize, column: usize| if x.get(row, column) < x.get(row, best) { column } else { best };
        let column = (0..x.columns()).fold(0, best);
        (column as u32, x.get(row, column))
    };
    (0..x.rows()).map(smallest).unzip()
}

#[test]
fn the_smallest_of_each_row_is_found_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 63, 64, 65, 255, 256, 257] {
            for columns in [1, 2, 7, 63, 64, 65, 255, 256, 257, 1000] {
                let x = matrix(rows, columns, 11);
                assert_eq!(argmin(device, &x), oracle(&x), "{name}: {rows}×{columns}");
            }
        }
    }
}

#[test]
fn more_rows_than_one_dimension_of_workgroups_holds() {
    // Eight rows a workgroup when wide: 600,000 rows are 75,000 workgroups.
    for (name, device) in devices() {
        for (rows, columns) in [(70_000, 1), (600_000, 66)] {
            let x = matrix(rows, columns, 12);
            assert!(argmin(device, &x) == oracle(&x), "{name}: {rows}×{columns}");
        }
    }
}

#[test]
fn ties_go_to_the_lowest_column() {
    for (name, device) in devices() {
        for columns in [1, 5, 64, 65, 300] {
            let x = Matrix::from_vec(10, columns, vec![2.5; 10 * columns]).unwrap();
            assert_eq!(argmin(device, &x).0, vec![0; 10], "{name}: {columns}");
            let mut x = Matrix::from_vec(1, columns, vec![1.0; columns]).unwrap();
            for tied in [columns / 3, columns / 2, columns - 1] {
                x.as_mut_slice()[tied] = -1.0;
            }
            assert_eq!(argmin(device, &x).0, [columns as u32 / 3], "{name}: {columns}");
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let x = matrix(2000, 100, 13);
    let wanted = oracle(&x);
    for rows in [1, 2, 7, 64, 1000] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(rows).mark_outputs(true));
        assert_eq!(argmin(&device, &x), wanted, "{rows} rows");
    }
    for mebibytes in [1, 16, 128] {
        let device = gpu_with(DeviceOptions::default().memory_budget(mebibytes << 20).mark_outputs(true));
        assert_eq!(argmin(&device, &x), wanted, "{mebibytes} MiB");
    }
}

#[test]
fn rows_without_columns_are_an_error_and_no_rows_are_not() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = Matrix::zeros(3, 0).unwrap().to(device).unwrap();
        assert!(matches!(ops::argmin_rows(&mut stream, &x), Err(Error::Shape { .. })), "{name}");
        assert_eq!(argmin(device, &Matrix::zeros(0, 0).unwrap()), (vec![], vec![]), "{name}");
    }
}

#[test]
fn outputs_of_which_only_one_fits_on_the_device_are_both_right() {
    // The columns take the last of the room, so the values live on the host.
    let x = matrix(100_000, 6, 14);
    let wanted = oracle(&x);
    for kibibytes in [3300, 3500, 3700, 3900, 4100] {
        let device = gpu_with(DeviceOptions::default().memory_budget(kibibytes << 10).mark_outputs(true));
        assert!(argmin(&device, &x) == wanted, "{kibibytes} KiB");
    }
}
