//! The Gram matrix of every kernel against the f64 value of each pair.

use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;

use super::{KERNELS, kernel};
use crate::support::{bits, devices, gpu_with, matrix};

const SIZES: [(usize, usize, usize); 5] = [(0, 3, 2), (3, 0, 2), (1, 1, 1), (65, 17, 20), (129, 257, 5)];

fn run(device: &Device, kernel: &Kernel, x: &Matrix, y: &Matrix) -> Matrix {
    let mut stream = device.stream();
    let (x, y) = (x.to(device).unwrap(), y.to(device).unwrap());
    kernel.matrix(&mut stream, &x, &y).unwrap().to_matrix(&mut stream).unwrap()
}

fn run_symmetric(device: &Device, kernel: &Kernel, x: &Matrix) -> Matrix {
    let mut stream = device.stream();
    kernel.symmetric_matrix(&mut stream, &x.to(device).unwrap()).unwrap().to_matrix(&mut stream).unwrap()
}

#[test]
fn every_kernel_is_its_f64_value() {
    for text in KERNELS {
        let kernel = kernel(text);
        for (n, m, d) in SIZES {
            let (x, y) = (matrix(n, d, 31), matrix(m, d, 32));
            for (name, device) in devices() {
                let found = run(device, &kernel, &x, &y);
                assert_eq!((found.rows(), found.columns()), (n, m));
                for i in 0..n {
                    for j in (0..m).step_by(1 + m / 20) {
                        let exact = kernel.value(x.row(i), y.row(j)).unwrap();
                        let size = kernel.value(x.row(i), x.row(i)).unwrap().abs().max(1.0);
                        let error = (f64::from(found.get(i, j)) - exact).abs();
                        assert!(
                            error <= 2e-5 * size.max(exact.abs()),
                            "{name} {text} {n}×{m}×{d} at {i}, {j}: {} for {exact}",
                            found.get(i, j)
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn rows_with_themselves_are_symmetric_and_the_same_as_both_halves() {
    for text in KERNELS {
        let kernel = kernel(text);
        let x = matrix(150, 7, 33);
        for (name, device) in devices() {
            let half = run_symmetric(device, &kernel, &x);
            let whole = run(device, &kernel, &x, &x);
            for i in 0..150 {
                for j in 0..i {
                    assert_eq!(half.get(i, j), half.get(j, i), "{name} {text}");
                    assert_eq!(half.get(i, j), whole.get(i, j), "{name} {text}");
                }
            }
        }
    }
    let ones = run_symmetric(&Device::Cpu, &Kernel::rbf(3.0), &matrix(40, 3, 1));
    assert!((0..40).all(|row| ones.get(row, row) == 1.0));
}

#[test]
fn chunks_and_budgets_change_no_bit() {
    let (x, y) = (matrix(140, 20, 35), matrix(70, 20, 36));
    let kernels = ["rbf(gamma=0.7)", "rbf(gamma=0.5)*laplacian(gamma=0.1)+sinc"].map(kernel);
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits).mark_outputs(true);
        let all = |device: &Device| {
            let both = |kernel| (run(device, kernel, &x, &y), run_symmetric(device, kernel, &x));
            let made = kernels.iter().map(both);
            made.map(|(oblong, square)| (bits(oblong.as_slice()), bits(square.as_slice()))).collect::<Vec<_>>()
        };
        let whole = all(&gpu_with(options()));
        let split = [1, 7, 64].map(|rows| options().chunk_rows(rows));
        for options in split.into_iter().chain([options().memory_budget(1 << 20)]) {
            assert!(all(&gpu_with(options.clone())) == whole, "{options:?}");
        }
    }
}

#[test]
fn rows_far_from_the_origin_and_steep_gaussians_are_exact() {
    let mut values = matrix(60, 4, 37);
    values.as_mut_slice().iter_mut().for_each(|value| *value = 1000.0 + (*value * 64.0).round() / 64.0);
    for text in ["rbf(gamma=2)", "rbf(gamma=500)", "rbf(gamma=1)+0.000001*linear"] {
        let kernel = kernel(text);
        for (name, device) in devices() {
            let found = run_symmetric(device, &kernel, &values);
            for i in 0..60 {
                for j in 0..60 {
                    let exact = kernel.value(values.row(i), values.row(j)).unwrap();
                    let error = (f64::from(found.get(i, j)) - exact).abs();
                    assert!(error <= 1e-4 * exact.abs().max(1e-3), "{name} {text} at {i}, {j}: {error:e} of {exact:e}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_computed_is_refused_alike() {
    let x = matrix(10, 3, 38);
    let mut large = x.clone();
    large.as_mut_slice().iter_mut().for_each(|value| *value *= 1e15);
    let mut holes = x.clone();
    holes.as_mut_slice()[4] = f32::NAN;
    for (_, device) in devices() {
        let mut stream = device.stream();
        let mut fails = |kernel: &str, x: &Matrix, y: &Matrix| {
            let (x, y) = (x.to(device).unwrap(), y.to(device).unwrap());
            self::kernel(kernel).matrix(&mut stream, &x, &y).unwrap_err().to_string()
        };
        assert!(fails("poly(degree=3,gamma=1)", &large, &large).contains("scale the columns"));
        assert!(fails("exp(linear)", &large, &large).contains("scale the columns"));
        assert!(fails("rbf(gamma=1)", &x, &matrix(5, 2, 1)).contains("columns"));
        assert!(fails("rbf(gamma=1)", &holes, &x).contains("row 1"), "{}", fails("rbf(gamma=1)", &holes, &x));
        assert!(fails("affine(weights=[1,2])", &x, &x).contains("one weight in affine for each of 3 columns"));
        assert!(fails("precomputed", &x, &x).contains("as many columns as rows"));
    }
}
