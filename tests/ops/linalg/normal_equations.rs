use gristmill::ops::{self, NormalEquations};
use gristmill::prelude::*;

use crate::support::{EPS, devices, gpu_with, matrix, numbers};

fn products(device: &Device, x: &Matrix, y: &Matrix, weights: Option<&[f32]>, centred: bool) -> NormalEquations {
    ops::normal_equations(&mut device.stream(), &x.to(device).unwrap(), y, weights, centred).unwrap()
}

#[test]
fn products_at_edge_sizes_match_the_oracle_with_and_without_weights_and_means() {
    let sizes =
        [(1, 1, 1), (2, 3, 1), (63, 5, 2), (65, 47, 3), (257, 48, 1), (1000, 33, 17), (4097, 95, 2), (70_000, 4, 1)];
    for (name, device) in devices() {
        for (rows, d, p) in sizes {
            let mut x = matrix(rows, d, 141);
            x.as_mut_slice().iter_mut().for_each(|value| *value += 3.0);
            let y = matrix(rows, p, 142);
            let given: Vec<f32> = numbers(rows, 143).iter().map(|value| value.abs() + 0.1).collect();
            for (weights, centred) in [(None, false), (None, true), (Some(&given[..]), false), (Some(&given), true)] {
                let found = products(device, &x, &y, weights, centred);
                let weight = |row: usize| weights.map_or(1.0, |w| w[row] as f64);
                let total: f64 = (0..rows).map(weight).sum();
                assert!((found.weight - total).abs() <= 1e-12 * total, "{name}: {rows}×{d}");
                let value = |row: usize, at: usize| match at.checked_sub(d) {
                    None => x.get(row, at) as f64,
                    Some(output) => y.get(row, output) as f64,
                };
                let mean = |at: usize| match centred {
                    true => (0..rows).map(|row| weight(row) * value(row, at)).sum::<f64>() / total,
                    false => 0.0,
                };
                let means: Vec<f64> = (0..d + p).map(mean).collect();
                for (at, (found, wanted)) in found.x_mean.iter().chain(&found.y_mean).zip(&means).enumerate() {
                    assert!((found - wanted).abs() <= 40.0 * EPS, "{name}: mean {at}: {found} for {wanted}");
                }
                for at in (0..d * (d + p)).step_by(1 + d * (d + p) / 64) {
                    let (i, j) = (at / (d + p), at % (d + p));
                    let terms =
                        || (0..rows).map(|row| weight(row) * (value(row, i) - means[i]) * (value(row, j) - means[j]));
                    let exact: f64 = terms().sum();
                    let size = |at: usize| {
                        (0..rows).map(|row| weight(row) * (value(row, at) - means[at]).powi(2)).sum::<f64>()
                    };
                    let got = if j < d { found.xx[i * d + j] } else { found.xy[i * p + j - d] };
                    // As for syrk; and what the rounding of both means adds.
                    let share = (8.0 + 2.0 * (rows.min(4096) as f64).sqrt()) * EPS;
                    let bound = share * (size(i) * size(j)).sqrt() + 1e-12 * total;
                    assert!((got - exact).abs() <= bound, "{name}: {rows}×{d} at {i}, {j}: {got} for {exact}");
                }
            }
        }
    }
}

#[test]
fn a_sample_that_misleads_costs_no_digits() {
    let (rows, d) = (20_480, 5);
    let mut x = matrix(rows, d, 144);
    // Every twentieth row, which is where a sample of a thousand looks.
    x.as_mut_slice().chunks_exact_mut(20 * d).for_each(|rows| rows[..d].iter_mut().for_each(|value| *value += 1e4));
    let y = matrix(rows, 1, 145);
    let mean = |j: usize| (0..rows).map(|row| x.get(row, j) as f64).sum::<f64>() / rows as f64;
    for (name, device) in devices() {
        let found = products(device, &x, &y, None, true);
        for j in 0..d {
            let mean = mean(j);
            let exact: f64 = (0..rows).map(|row| (x.get(row, j) as f64 - mean).powi(2)).sum();
            assert!((found.xx[j * d + j] - exact).abs() <= 40.0 * EPS * exact, "{name}: {j}");
            assert!((found.x_mean[j] - mean).abs() <= 1e-4, "{name}: {} for {mean}", found.x_mean[j]);
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (x, y) = (matrix(9001, 11, 146), matrix(9001, 2, 147));
    let whole = products(crate::support::gpu(), &x, &y, None, true);
    for options in [DeviceOptions::default().chunk_rows(1000), DeviceOptions::default().memory_budget(1 << 20)] {
        let device = gpu_with(options.clone().mark_outputs(true));
        assert_eq!(products(&device, &x, &y, None, true), whole, "{options:?}");
    }
}

#[test]
fn shapes_and_weights_that_do_not_fit_are_refused() {
    for (name, device) in devices() {
        let x = matrix(3, 2, 148).to(device).unwrap();
        let mut stream = device.stream();
        let few = ops::normal_equations(&mut stream, &x, &matrix(2, 1, 149), None, true);
        assert!(matches!(few, Err(Error::Shape { .. })), "{name}");
        let y = matrix(3, 1, 149);
        let few = ops::normal_equations(&mut stream, &x, &y, Some(&[1.0]), true);
        assert!(matches!(few, Err(Error::Shape { .. })), "{name}");
        let negative = ops::normal_equations(&mut stream, &x, &y, Some(&[1.0, -1.0, 1.0]), true);
        assert!(matches!(negative, Err(Error::Param { .. })), "{name}");
    }
}
