use gristmill::ops::{self, Activation, Layout};
use gristmill::prelude::*;

use crate::support::{EPS, baseline, bits, devices, gpu, gpu_with, matrix};

const LAYOUTS: [Layout; 3] = [Layout::NN, Layout::NT, Layout::TN];

/// Operands of an m×n product of depth k.
fn operands(layout: Layout, [m, n, k]: [usize; 3]) -> (Matrix, Matrix) {
    match layout {
        Layout::NN => (matrix(m, k, 1), matrix(k, n, 2)),
        Layout::NT => (matrix(m, k, 1), matrix(n, k, 2)),
        Layout::TN => (matrix(k, m, 1), matrix(k, n, 2)),
    }
}

/// The product in f64 and the sum of the terms' sizes.
fn oracle(layout: Layout, [m, n, k]: [usize; 3], a: &Matrix, b: &Matrix) -> Vec<(f64, f64)> {
    let a = |i: usize, t: usize| if layout == Layout::TN { a.get(t, i) } else { a.get(i, t) } as f64;
    let b = |t: usize, j: usize| if layout == Layout::NT { b.get(j, t) } else { b.get(t, j) } as f64;
    let pair = |i, j| (0..k).fold((0.0, 0.0), |(s, t), l| (s + a(i, l) * b(l, j), t + (a(i, l) * b(l, j)).abs()));
    (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| pair(i, j)).collect()
}

fn run(device: &Device, layout: Layout, a: &Matrix, b: &Matrix) -> Matrix {
    let mut stream = device.stream();
    let (a, b) = (a.to(device).unwrap(), b.to(device).unwrap());
    ops::gemm(&mut stream, layout, &a, &b).unwrap().to_matrix(&mut stream).unwrap()
}

fn check(shape: [usize; 3]) {
    for layout in LAYOUTS {
        let (a, b) = operands(layout, shape);
        let wanted = oracle(layout, shape, &a, &b);
        // Rounding errors are of both signs: far below the rigorous k + 2, and this still catches a lost term.
        let bound = (4.0 + 2.0 * (shape[2].min(4096) as f64).sqrt()) * EPS;
        for (name, device) in devices() {
            let c = run(device, layout, &a, &b);
            assert_eq!((c.rows(), c.columns()), (shape[0], shape[1]));
            for (at, (value, (exact, size))) in c.as_slice().iter().zip(&wanted).enumerate() {
                let error = (*value as f64 - exact).abs();
                assert!(error <= bound * size, "{name} {layout:?} {shape:?} at {at}: {value} for {exact}");
            }
        }
    }
}

#[test]
fn products_at_edge_sizes_match_the_oracle() {
    for size in [0, 1, 2, 3, 63, 64, 65, 127, 129, 255, 256, 257] {
        check([size, 5, 7]);
        check([5, size, 7]);
        check([3, 2, size]);
    }
}

#[test]
fn square_products_match_the_oracle() {
    for size in [1, 2, 17, 65, 130, 300] {
        check([size, size, size]);
    }
}

#[test]
fn many_rows_take_the_larger_tile() {
    check([20_000, 27, 10]);
}

#[test]
fn a_long_depth_is_summed_in_layers() {
    for depth in [4095, 4096, 4097, 9001] {
        check([9, 6, depth]);
    }
    check([3, 2, 300_000]);
}

#[test]
fn alpha_and_beta_scale_the_product_and_what_was_there() {
    for shape in [[5, 6, 7], [70, 130, 33], [4, 5, 5000]] {
        for layout in LAYOUTS {
            let (a, b) = operands(layout, shape);
            let before = matrix(shape[0], shape[1], 3);
            let wanted = oracle(layout, shape, &a, &b);
            for (name, device) in devices() {
                let mut stream = device.stream();
                let (a, b) = (a.to(device).unwrap(), b.to(device).unwrap());
                let mut c = before.to(device).unwrap();
                ops::gemm_into(&mut stream, layout, (-0.5, &a), &b, (3.0, &mut c)).unwrap();
                let c = c.to_matrix(&mut stream).unwrap();
                for ((value, old), (exact, size)) in c.as_slice().iter().zip(before.as_slice()).zip(&wanted) {
                    let exact = 3.0 * *old as f64 - 0.5 * exact;
                    let bound = (8.0 + 2.0 * (shape[2] as f64).sqrt()) * EPS * (size + 3.0);
                    assert!((*value as f64 - exact).abs() <= bound, "{name} {layout:?} {shape:?}: {value} for {exact}");
                }
            }
        }
    }
}

#[test]
fn a_beta_of_zero_does_not_read_what_was_there() {
    // A fresh output on these devices is marked with NaN; 0 · NaN would show.
    let (a, b) = operands(Layout::NN, [20, 30, 10]);
    for device in [gpu(), baseline()] {
        assert!(run(device, Layout::NN, &a, &b).as_slice().iter().all(|value| value.is_finite()));
    }
}

#[test]
fn a_depth_of_zero_gives_beta_times_what_was_there() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let a = Matrix::zeros(3, 0).unwrap().to(device).unwrap();
        let b = Matrix::zeros(2, 0).unwrap().to(device).unwrap();
        let mut c = Matrix::from_vec(3, 2, vec![2.0; 6]).unwrap().to(device).unwrap();
        ops::gemm_into(&mut stream, Layout::NT, (1.0, &a), &b, (0.5, &mut c)).unwrap();
        assert_eq!(c.to_matrix(&mut stream).unwrap().as_slice(), [1.0; 6], "{name}");
    }
}

#[test]
fn the_result_does_not_depend_on_chunks_or_budget() {
    let cases = [(Layout::NN, [150, 40, 33]), (Layout::NT, [150, 70, 21]), (Layout::TN, [20, 30, 9000])];
    let operands = cases.map(|(layout, shape)| operands(layout, shape));
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        let options = || DeviceOptions::default().limits(limits).mark_outputs(true);
        let device = gpu_with(options());
        let product = |device: &Device, case: usize| {
            let (a, b) = &operands[case];
            bits(run(device, cases[case].0, a, b).as_slice())
        };
        let whole = [0, 1, 2].map(|case| product(&device, case));
        for rows in [1, 7, 64] {
            let device = gpu_with(options().chunk_rows(rows));
            for (case, whole) in whole.iter().enumerate() {
                // Buffers of one row each: enough of them with fewer rows.
                if rows == 64 || cases[case].1[2] < 5000 {
                    assert_eq!(&product(&device, case), whole, "{:?} {rows} rows", cases[case]);
                }
            }
        }
        for mebibytes in [1, 16] {
            let device = gpu_with(options().memory_budget(mebibytes << 20));
            for (case, whole) in whole.iter().enumerate() {
                assert_eq!(&product(&device, case), whole, "{:?} {mebibytes} MiB", cases[case]);
            }
        }
    }
}

#[test]
fn both_limits_give_the_same_bits() {
    for (layout, shape) in LAYOUTS.into_iter().zip([[70, 33, 5], [257, 129, 300], [1, 65, 4100]]) {
        let (a, b) = operands(layout, shape);
        let [whole, least] = [gpu(), baseline()].map(|device| bits(run(device, layout, &a, &b).as_slice()));
        assert!(whole == least, "{layout:?} {shape:?}");
    }
}

#[test]
fn a_row_of_the_result_does_not_depend_on_the_rows_around_it() {
    let (a, b) = operands(Layout::NT, [130, 50, 70]);
    for (name, device) in devices() {
        let whole = run(device, Layout::NT, &a, &b);
        for rows in [1, 2, 7, 64] {
            for first in (0..a.rows()).step_by(rows) {
                let end = (first + rows).min(a.rows());
                let part = Matrix::from_slice(end - first, 70, &a.as_slice()[first * 70..end * 70]).unwrap();
                let c = run(device, Layout::NT, &part, &b);
                assert_eq!(bits(c.as_slice()), bits(&whole.as_slice()[first * 50..end * 50]), "{name}: {rows} rows");
            }
        }
    }
}

#[test]
fn bad_shapes_and_factors_are_errors_on_every_device() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let a = matrix(3, 4, 1).to(device).unwrap();
        let wrong = ops::gemm(&mut stream, Layout::NN, &a, &a).unwrap_err();
        assert!(matches!(wrong, Error::Shape { op: "gemm", .. }), "{name}: {wrong}");
        let mut c = matrix(4, 4, 1).to(device).unwrap();
        let wrong = ops::gemm_into(&mut stream, Layout::NT, (1.0, &a), &a, (0.0, &mut c)).unwrap_err();
        assert!(matches!(wrong, Error::Shape { op: "gemm", .. }), "{name}: {wrong}");
        let mut c = matrix(3, 3, 1).to(device).unwrap();
        let wrong = ops::gemm_into(&mut stream, Layout::NT, (f32::NAN, &a), &a, (0.0, &mut c)).unwrap_err();
        assert!(matches!(wrong, Error::Param { name: "alpha", .. }), "{name}: {wrong}");
        let missing = Matrix::from_vec(1, 4, vec![0.0, 1.0, f32::NAN, 2.0]).unwrap().to(device).unwrap();
        let wrong = ops::gemm(&mut stream, Layout::NT, &a, &missing).unwrap_err();
        assert!(matches!(wrong, Error::NotFinite { row: 0, column: 2, .. }), "{name}: {wrong}");
    }
}

#[test]
fn a_result_beyond_f32_is_an_error_with_its_place() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let a = Matrix::from_vec(1, 1, vec![1e30]).unwrap().to(device).unwrap();
        let c = ops::gemm(&mut stream, Layout::NN, &a, &a).unwrap();
        let wrong = c.to_matrix(&mut stream).unwrap_err();
        assert!(matches!(wrong, Error::NotFinite { row: 0, column: 0, .. }), "{name}: {wrong}");
    }
}

#[test]
fn tiles_and_layers_of_every_size_give_the_same_bits() {
    // 5000 rows are 64×64 tiles that take the blocks of the depth one after the other; ten rows are 32×32 tiles, and
    // each block of the depth a layer; 40,000 rows are 128×128 tiles.
    for (shape, first) in [([5000, 50, 600], 10), ([40_000, 10, 600], 30), ([700, 70, 1500], 3)] {
        let (a, b) = operands(Layout::NT, shape);
        let few = Matrix::from_slice(first, shape[2], &a.as_slice()[..first * shape[2]]).unwrap();
        for device in [gpu(), baseline()] {
            let whole = run(device, Layout::NT, &a, &b);
            let part = run(device, Layout::NT, &few, &b);
            assert_eq!(bits(part.as_slice()), bits(&whole.as_slice()[..first * shape[1]]), "{shape:?}");
        }
    }
}

#[test]
fn a_small_product_occupies_a_card() {
    let device = gpu_with(DeviceOptions::default());
    let shape = [256, 512, 784];
    for layout in LAYOUTS {
        let (a, b) = operands(layout, shape);
        device.profile(true);
        let c = run(&device, layout, &a, &b);
        let profile = device.profile_report();
        device.profile(false);
        let (product, merge) = (&profile.kernels["linalg/gemm"], &profile.kernels["linalg/gemm__merge"]);
        assert!(product.workgroups >= 64, "{layout:?}: {product:?}");
        assert!(merge.workgroups >= 64, "{layout:?}: {merge:?}");
        let wanted = oracle(layout, shape, &a, &b);
        for (value, (exact, size)) in c.as_slice().iter().zip(&wanted) {
            assert!((f64::from(*value) - exact).abs() <= 60.0 * EPS * size, "{layout:?}: {value} for {exact}");
        }
    }
}

#[test]
fn bias_and_activation_are_applied_to_the_sum() {
    let exact = |activation: Activation, x: f64| match activation {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Tanh => x.tanh(),
        Activation::Logistic => 1.0 / (1.0 + (-x).exp()),
    };
    use Activation::{Identity, Logistic, Relu, Tanh};
    for shape in [[5, 6, 7], [70, 131, 33], [9, 3, 1300], [3000, 30, 700], [4, 5, 0]] {
        for (layout, activation) in
            [(Layout::NN, Tanh), (Layout::NT, Logistic), (Layout::TN, Relu), (Layout::NT, Identity)]
        {
            let (a, b) = operands(layout, shape);
            let bias = matrix(1, shape[1], 5);
            let wanted = oracle(layout, shape, &a, &b);
            for (name, device) in devices() {
                let mut stream = device.stream();
                let (a, b) = (a.to(device).unwrap(), b.to(device).unwrap());
                let on_device = DeviceVec::from_slice(bias.as_slice(), device).unwrap();
                let c = ops::gemm_bias(&mut stream, layout, (&a, &b), Some(&on_device), activation).unwrap();
                // A sum down the columns would show padding that is not zero.
                let sums = ops::row_sums(&mut stream, &c).unwrap().to_vec(&mut stream).unwrap();
                let c = c.to_matrix(&mut stream).unwrap();
                for (at, (value, (sum, size))) in c.as_slice().iter().zip(&wanted).enumerate() {
                    let exact = exact(activation, sum + f64::from(bias.as_slice()[at % shape[1]]));
                    let bound = (16.0 + 2.0 * (shape[2] as f64).sqrt()) * EPS * (size + 1.0);
                    assert!((f64::from(*value) - exact).abs() <= bound, "{name} {layout:?} {shape:?} {activation:?}");
                }
                for (row, sum) in sums.iter().enumerate() {
                    let values = c.row(row).iter().map(|value| f64::from(*value));
                    let (exact, size) = values.fold((0.0, 0.0), |(sum, size), value| (sum + value, size + value.abs()));
                    assert!((f64::from(*sum) - exact).abs() <= 100.0 * EPS * size, "{name} {layout:?} {shape:?}");
                }
            }
        }
    }
}

#[test]
fn a_bias_of_another_length_is_an_error() {
    for (name, device) in devices() {
        let a = matrix(3, 4, 1).to(device).unwrap();
        let bias = DeviceVec::from_slice(&[1.0_f32; 4], device).unwrap();
        let wrong = ops::gemm_bias(&mut device.stream(), Layout::NT, (&a, &a), Some(&bias), Activation::Relu);
        assert!(matches!(wrong, Err(Error::Shape { op: "gemm", .. })), "{name}");
    }
}
