use gristmill::ops::{self, ColumnLines};
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu_with, matrix, numbers};

fn affine(device: &Device, x: &Matrix, lines: &ColumnLines) -> Result<Matrix> {
    let mut stream = device.stream();
    ops::affine(&mut stream, &x.to(device)?, lines)?.to_matrix(&mut stream)
}

fn lines(columns: usize, seed: u64) -> ColumnLines {
    let numbers = numbers(3 * columns, seed);
    let line = |at: usize| {
        (10.0 * f64::from(numbers[3 * at]) + 1e-9, f64::from(numbers[3 * at + 1]) * 3.0, f64::from(numbers[3 * at + 2]))
    };
    (0..columns).map(line).collect()
}

/// One rounding on the CPU; on a GPU the rounding of three f32 operations and of the numbers themselves.
fn check(name: &str, device: &Device, x: &Matrix, lines: &ColumnLines) {
    let found = affine(device, x, lines).unwrap();
    assert_eq!((found.rows(), found.columns()), (x.rows(), x.columns()));
    for row in 0..x.rows() {
        for column in 0..x.columns() {
            let [center, factor, base] = [lines.center[column], lines.factor[column], lines.base[column]];
            let centred = f64::from(x.get(row, column)) - center;
            let (wanted, size) = (centred * factor + base, (centred * factor).abs() + base.abs());
            let tolerance = if name == "cpu" { EPS * wanted.abs() } else { 4.0 * EPS * size };
            let error = (f64::from(found.get(row, column)) - wanted).abs();
            assert!(error <= tolerance, "{name}: {}×{}: {error:e} at {row}, {column}", x.rows(), x.columns());
        }
    }
}

#[test]
fn every_column_has_its_line_at_edge_sizes() {
    for (name, device) in devices() {
        for columns in [0, 1, 2, 3, 4, 5, 63, 64, 65, 255, 257] {
            for rows in [0, 1, 2, 63, 64, 65, 256, 1000] {
                check(name, device, &matrix(rows, columns, 161), &lines(columns, 162));
            }
        }
        // More than 65,535 workgroups of 64 lanes, four columns each.
        check(name, device, &matrix(4_200_000, 2, 163), &lines(2, 164));
    }
}

#[test]
fn a_centre_far_from_the_origin_costs_nothing() {
    // 1000.3 is no f32: its rounding, 3e-5, would show in deviations of 1e-3.
    let line = [(1000.3, 1000.0, 0.0)].into_iter().collect();
    let x = Matrix::from_vec(100, 1, (0..100).map(|at| 1000.3 + at as f32 * 1e-4).collect()).unwrap();
    for (name, device) in devices() {
        check(name, device, &x, &line);
    }
}

#[test]
fn missing_values_stay_missing_to_the_bit() {
    let nan = [0x7fc0_0000_u32, 0xffc0_0000, 0x7f80_0001, 0x7fff_ffff].map(f32::from_bits);
    for (name, device) in devices() {
        for columns in [1, 3, 4, 5, 64] {
            let mut x = matrix(50, columns, 165);
            let lines = lines(columns, 166);
            let whole = affine(device, &x, &lines).unwrap();
            let places: Vec<usize> = (0..50 * columns).step_by(7).collect();
            for (at, place) in places.iter().enumerate() {
                x.as_mut_slice()[*place] = nan[at % 4];
            }
            let found = affine(device, &x, &lines).unwrap();
            for place in 0..50 * columns {
                let (got, before) = (found.as_slice()[place], whole.as_slice()[place]);
                match places.contains(&place) {
                    true => assert!(got.is_nan(), "{name}: {columns} columns, value {place}: {got}"),
                    false => assert_eq!(got.to_bits(), before.to_bits(), "{name}: {columns} columns, value {place}"),
                }
            }
            if name != "cpu" {
                let kept = |values: &[f32]| bits(&places.iter().map(|place| values[*place]).collect::<Vec<_>>());
                assert_eq!(kept(found.as_slice()), kept(x.as_slice()), "{name}");
            }
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let (x, lines) = (matrix(2000, 9, 167), lines(9, 168));
    let whole = affine(&gpu_with(DeviceOptions::default()), &x, &lines).unwrap();
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        let found = affine(&gpu_with(options.clone().mark_outputs(true)), &x, &lines).unwrap();
        assert_eq!(bits(found.as_slice()), bits(whole.as_slice()), "{options:?}");
    }
}

#[test]
fn a_result_feeds_the_next_op_where_it_is() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = matrix(100, 5, 169).to(device).unwrap();
        // The padding behind the fifth column must still be zero: the product would show it.
        let moved = ops::affine(&mut stream, &x, &[(0.5, 2.0, 3.0); 5].into_iter().collect()).unwrap();
        let product = ops::gemm(&mut stream, ops::Layout::NT, &moved, &moved).unwrap().to_matrix(&mut stream).unwrap();
        let host = moved.to_matrix(&mut stream).unwrap();
        let wanted: f64 = host.row(0).iter().map(|value| f64::from(*value) * f64::from(*value)).sum();
        assert!((f64::from(product.get(0, 0)) - wanted).abs() <= 8.0 * EPS * wanted, "{name}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    for (name, device) in devices() {
        let x = matrix(3, 2, 170);
        let refused = affine(device, &x, &lines(3, 171)).unwrap_err();
        assert!(matches!(refused, Error::Shape { op: "affine", .. }), "{name}: {refused}");
        let huge: ColumnLines = [(0.0, 3e38, 0.0), (0.0, 1.0, 3e38)].into_iter().collect();
        let x = Matrix::from_rows(&[[2.0, 3e38]]).unwrap();
        assert!(matches!(affine(device, &x, &huge), Err(Error::NotFinite { .. })), "{name}");
        let beyond: ColumnLines = [(0.0, 1e300, 0.0)].into_iter().collect();
        let x = Matrix::from_rows(&[[1.0]]).unwrap();
        assert!(affine(device, &x, &beyond).is_err(), "{name}");
    }
}
