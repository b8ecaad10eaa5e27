//! The diagonal is that of the matrix.

use super::{KERNELS, kernel};
use crate::support::{devices, matrix};

#[test]
fn the_diagonal_is_that_of_the_matrix() {
    for text in KERNELS {
        for n in [1, 300] {
            let x = matrix(n, 70, 51);
            for (name, device) in devices() {
                let mut stream = device.stream();
                let x = x.to(device).unwrap();
                let diagonal = kernel(text).diagonal(&mut stream, &x).unwrap();
                let matrix = kernel(text).symmetric_matrix(&mut stream, &x).unwrap().to_matrix(&mut stream).unwrap();
                for (row, &value) in diagonal.iter().enumerate() {
                    let found = matrix.get(row, row);
                    assert!((value - found).abs() <= 4e-7 * found.abs(), "{name} {text}: {value} and {found}");
                }
            }
        }
    }
}
