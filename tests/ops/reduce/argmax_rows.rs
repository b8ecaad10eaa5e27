use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{devices, matrix};

fn argmax(device: &Device, x: &Matrix) -> (Vec<u32>, Vec<f32>) {
    let mut stream = device.stream();
    let (index, value) = ops::argmax_rows(&mut stream, &x.to(device).unwrap()).unwrap();
    (index.to_vec(&mut stream).unwrap(), value.to_vec(&mut stream).unwrap())
}

fn oracle(x: &Matrix) -> (Vec<u32>, Vec<f32>) {
    let largest = |row: usize| {
        let best = |best: usize, column: usize| if x.get(row, column) > x.get(row, best) { column } else { best };
        let column = (0..x.columns()).fold(0, best);
        (column as u32, x.get(row, column))
    };
    (0..x.rows()).map(largest).unzip()
}

#[test]
fn the_largest_of_each_row_is_found_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 63, 64, 65, 255, 256, 257] {
            for columns in [1, 2, 7, 63, 64, 65, 255, 256, 257, 1000] {
                let x = matrix(rows, columns, 11);
                assert_eq!(argmax(device, &x), oracle(&x), "{name}: {rows}×{columns}");
            }
        }
    }
}

#[test]
fn ties_go_to_the_lowest_column() {
    for (name, device) in devices() {
        for columns in [1, 5, 64, 65, 300] {
            let mut x = Matrix::from_vec(1, columns, vec![1.0; columns]).unwrap();
            assert_eq!(argmax(device, &x).0, [0], "{name}: {columns}");
            for tied in [columns / 3, columns / 2, columns - 1] {
                x.as_mut_slice()[tied] = 4.0;
            }
            assert_eq!(argmax(device, &x).0, [columns as u32 / 3], "{name}: {columns}");
        }
    }
}
