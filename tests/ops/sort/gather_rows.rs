use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, matrix};

fn gather(device: &Device, x: &Matrix, index: &[u32]) -> Result<Matrix> {
    let mut stream = device.stream();
    let index = DeviceVec::from_slice(index, device)?;
    ops::gather_rows(&mut stream, &x.to(device)?, &index)?.to_matrix(&mut stream)
}

fn check(device: &Device, x: &Matrix, index: &[u32], label: &str) {
    let found = gather(device, x, index).unwrap();
    assert_eq!((found.rows(), found.columns()), (index.len(), x.columns()));
    assert!(index.iter().enumerate().all(|(row, from)| found.row(row) == x.row(*from as usize)), "{label}");
}

fn order(count: usize, rows: usize) -> Vec<u32> {
    (0..count as u32).map(|at| at.wrapping_mul(2_654_435_761) % rows as u32).collect()
}

#[test]
fn rows_are_gathered_at_edge_sizes() {
    for (name, device) in devices() {
        for (rows, columns) in [(1, 1), (2, 3), (64, 4), (65, 5), (257, 64), (1000, 0)] {
            for count in [0, 1, 2, 63, 64, 65, 1000] {
                check(device, &matrix(rows, columns, 111), &order(count, rows), name);
            }
        }
        check(device, &matrix(10, 1, 111), &order(70_000, 10), name);
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let x = matrix(500, 9, 112);
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        check(&gpu_with(options.mark_outputs(true)), &x, &order(2000, 500), "split");
    }
}

#[test]
fn an_index_behind_the_last_row_is_an_error_and_spoils_nothing() {
    let x = matrix(10, 3, 113);
    for (name, device) in devices() {
        let refused = gather(device, &x, &[1, 10, 2]).unwrap_err();
        assert!(matches!(&refused, Error::Param { name: "index", got, .. } if got == "10"), "{name}: {refused}");
        check(device, &x, &[9, 0], name);
        assert!(gather(device, &Matrix::zeros(0, 3).unwrap(), &[0]).is_err(), "{name}");
    }
}
