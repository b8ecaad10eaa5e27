//! The diagonal is that of the matrix.

use super::{KERNELS, kernel};
use crate::support::{devices, matrix};

#[test]
fn the_diagonal_is_that_of_the_matrix() {
    for text in KERNELS {
        for n in [1, 17, 300] {
            let x = matrix(n, 70, 51);
            for (name, device) in devices() {
                let mut stream = device.stream();
                let x = x.to(device).unwrap();
                let diagonal = kernel(text).diagonal(&mut stream, &x).unwrap();
                let matrix = kernel(text).symmetric_matrix(&mut stream, &x).unwrap().to_matrix(&mut stream).unwrap();
                let found: Vec<f32> = (0..n).map(|row| matrix.get(row, row)).collect();
                assert_eq!(diagonal, found, "{name} {text}");
            }
        }
    }
}
