//! Products with the Gram matrix against the stored matrix in f64.

use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;

use super::{KERNELS, kernel};
use crate::support::{bits, devices, gpu_with, matrix};

fn run(device: &Device, kernel: &Kernel, [x, y, v]: [&Matrix; 3]) -> Matrix {
    let mut stream = device.stream();
    let [x, y, v] = [x, y, v].map(|rows| rows.to(device).unwrap());
    kernel.product(&mut stream, &x, &y, &v).unwrap().to_matrix(&mut stream).unwrap()
}

#[test]
fn a_product_is_that_of_the_f64_matrix() {
    for text in KERNELS {
        let kernel = kernel(text);
        for (n, m, d, p) in [(1, 1, 1, 1), (3, 0, 2, 2), (0, 3, 2, 1), (130, 65, 5, 3), (40, 300, 3, 9)] {
            let (x, y, v) = (matrix(n, d, 41), matrix(m, d, 42), matrix(m, p, 43));
            for (name, device) in devices() {
                let found = run(device, &kernel, [&x, &y, &v]);
                assert_eq!((found.rows(), found.columns()), (n, p));
                for i in (0..n).step_by(1 + n / 20) {
                    let row: Vec<f64> = (0..m).map(|j| kernel.value(x.row(i), y.row(j)).unwrap()).collect();
                    for c in 0..p {
                        let terms = || row.iter().enumerate().map(|(j, k)| k * f64::from(v.get(j, c)));
                        let (exact, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
                        let error = (f64::from(found.get(i, c)) - exact).abs();
                        assert!(error <= 3e-5 * (size + 1.0), "{name} {text} {n}×{m}: {error:e} of {size:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn chunks_and_budgets_change_no_bit() {
    let (x, y, v) = (matrix(140, 6, 45), matrix(5000, 6, 46), matrix(5000, 2, 47));
    let kernel = kernel("rbf(gamma=0.7)");
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits).mark_outputs(true);
        let whole = run(&gpu_with(options()), &kernel, [&x, &y, &v]);
        for options in [options().chunk_rows(64), options().memory_budget(1 << 20), options().memory_budget(16 << 20)] {
            let found = run(&gpu_with(options.clone()), &kernel, [&x, &y, &v]);
            assert_eq!(bits(found.as_slice()), bits(whole.as_slice()), "{options:?}");
        }
    }
}

#[test]
fn other_shapes_are_refused() {
    let (x, v) = (matrix(10, 3, 1), matrix(9, 1, 2));
    for (_, device) in devices() {
        let mut stream = device.stream();
        let [x, v] = [&x, &v].map(|rows| rows.to(device).unwrap());
        assert!(matches!(Kernel::Linear.product(&mut stream, &x, &x, &v), Err(Error::Shape { .. })));
    }
}
