use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, devices, gpu_with, matrix, numbers};

fn syrk(device: &Device, x: &Matrix, weights: Option<&[f32]>, center: Option<&[f32]>) -> Vec<f64> {
    let weights = weights.map(|weights| DeviceVec::from_slice(weights, device).unwrap());
    ops::syrk(&mut device.stream(), &x.to(device).unwrap(), weights.as_ref(), center).unwrap()
}

#[test]
fn products_at_edge_sizes_match_the_oracle_with_and_without_weights_and_centre() {
    for (name, device) in devices() {
        for (rows, d) in
            [(0, 3), (3, 0), (1, 1), (2, 3), (63, 5), (65, 64), (257, 17), (1000, 33), (4097, 6), (70_000, 4)]
        {
            let x = matrix(rows, d, 101);
            let weights: Vec<f32> = numbers(rows, 102).iter().map(|value| value.abs()).collect();
            let center = numbers(d, 103);
            for (weights, center) in
                [(None, None), (Some(&weights), None), (None, Some(&center)), (Some(&weights), Some(&center))]
            {
                let found = syrk(device, &x, weights.map(Vec::as_slice), center.map(Vec::as_slice));
                assert_eq!(found.len(), d * d);
                let value = |row: usize, column: usize| (x.get(row, column) - center.map_or(0.0, |c| c[column])) as f64;
                let weight = |row: usize| weights.map_or(1.0, |w| w[row] as f64);
                // All of a small result, a few places of a large one.
                for at in (0..d * d).step_by(1 + d * d / 64) {
                    let (i, j) = (at / d, at % d);
                    let terms = || (0..rows).map(|row| weight(row) * value(row, i) * value(row, j));
                    let (exact, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                    let bound = (8.0 + 2.0 * (rows.min(4096) as f64).sqrt()) * EPS * size;
                    assert!(
                        (found[at] - exact).abs() <= bound,
                        "{name}: {rows}×{d} at {i}, {j}: {} for {exact}",
                        found[at]
                    );
                }
            }
        }
    }
}

#[test]
fn the_result_is_symmetric_to_the_bit() {
    let x = matrix(500, 40, 104);
    for (name, device) in devices() {
        let found = syrk(device, &x, None, None);
        assert!((0..1600).all(|at| found[at] == found[at % 40 * 40 + at / 40]), "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let x = matrix(9001, 11, 105);
    let weights: Vec<f32> = numbers(9001, 106).iter().map(|value| value.abs()).collect();
    let whole = syrk(crate::support::gpu(), &x, Some(&weights), Some(&[0.5; 11]));
    let split = [64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        let device = gpu_with(options.clone().mark_outputs(true));
        assert_eq!(syrk(&device, &x, Some(&weights), Some(&[0.5; 11])), whole, "{options:?}");
    }
}

#[test]
fn a_bad_centre_or_bad_weights_are_errors() {
    for (name, device) in devices() {
        let x = matrix(3, 2, 107).to(device).unwrap();
        let mut stream = device.stream();
        assert!(matches!(ops::syrk(&mut stream, &x, None, Some(&[1.0])), Err(Error::Shape { .. })), "{name}");
        let refused = ops::syrk(&mut stream, &x, None, Some(&[1.0, f32::NAN])).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { column: 1, .. }), "{name}: {refused}");
        let negative = DeviceVec::from_slice(&[1.0, 1.0, -1.0], device).unwrap();
        assert!(matches!(ops::syrk(&mut stream, &x, Some(&negative), None), Err(Error::Param { .. })), "{name}");
    }
}
