use gristmill::ops::decomposition::contrast::*;
use gristmill::prelude::*;

use crate::support::{EPS, devices, gpu_with, matrix};

const FUNCTIONS: [Contrast; 4] = [Contrast::Logcosh(1.0), Contrast::Logcosh(1.7), Contrast::Exp, Contrast::Cube];

fn found(device: &Device, function: Contrast, z: &Matrix, w: &Matrix) -> (Vec<f64>, Vec<f64>) {
    let (z, w) = (z.to(device).unwrap(), w.to(device).unwrap());
    contrast(&mut device.stream(), function, &z, &w).unwrap()
}

#[test]
fn products_and_slopes_at_edge_sizes_match_the_oracle() {
    let sizes = [(1, 1, 1), (1, 2, 2), (2, 3, 5), (3, 63, 4), (4, 64, 9), (5, 65, 2), (9, 255, 20), (7, 257, 9)];
    for (name, device) in devices() {
        for (k, n, m) in sizes.into_iter().chain([(6, 1000, 6), (2, 5000, 1)]) {
            let (z, w) = (matrix(k, n, 1), matrix(m, k, 2));
            for function in FUNCTIONS {
                let (products, slopes) = found(device, function, &z, &w);
                let y = w.to_dmatrix() * z.to_dmatrix();
                for row in 0..m {
                    let slope: f64 = y.row(row).iter().map(|y| function.of(*y).1).sum();
                    // A value of W·Z is off by k roundings, g and g′ grow by 3·y² at most.
                    let bound = 16.0 * EPS * (k + 8) as f64 * (n as f64) * (1.0 + y.amax().powi(2));
                    assert!(
                        (slopes[row] - slope).abs() <= bound,
                        "{name} {k}×{n} {function:?}: {} {slope}",
                        slopes[row]
                    );
                    for column in 0..k {
                        let terms = (0..n).map(|at| function.of(y[(row, at)]).0 * f64::from(z.get(column, at)));
                        let product: f64 = terms.sum();
                        let got = products[row * k + column];
                        assert!((got - product).abs() <= bound * (1.0 + y.amax()), "{name} {k}×{n}: {got} {product}");
                    }
                }
            }
        }
    }
}

#[test]
fn long_rows_and_chunks_do_not_change_a_bit() {
    let (z, w) = (matrix(3, 20_000, 1), matrix(3, 3, 2));
    let whole = found(crate::support::gpu(), Contrast::Logcosh(1.0), &z, &w);
    for rows in [1, 2, 7] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(rows).mark_outputs(true));
        assert_eq!(found(&device, Contrast::Logcosh(1.0), &z, &w), whole, "chunks of {rows}");
    }
}

#[test]
fn shapes_that_do_not_fit_and_steepness_of_0_are_errors() {
    for (name, device) in devices() {
        let (z, w) = (matrix(3, 10, 1).to(device).unwrap(), matrix(2, 4, 2).to(device).unwrap());
        assert!(contrast(&mut device.stream(), Contrast::Exp, &z, &w).is_err(), "{name}");
        let w = matrix(2, 3, 2).to(device).unwrap();
        assert!(contrast(&mut device.stream(), Contrast::Logcosh(0.0), &z, &w).is_err(), "{name}");
        let none = Matrix::zeros(3, 0).unwrap().to(device).unwrap();
        assert_eq!(contrast(&mut device.stream(), Contrast::Exp, &none, &w).unwrap().1, [0.0; 2], "{name}");
    }
}
