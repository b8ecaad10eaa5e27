use gristmill::ops::mixture::expectation::{Gaussians, MixtureRows, Moments, Shape, densities, moments};
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, matrix, numbers};

const SHAPES: [Shape; 3] = [Shape::Full, Shape::Tied, Shape::Diagonal];

/// k Gaussians over d columns about a centre, with lower triangular whitenings.
fn gaussians(shape: Shape, k: usize, d: usize, center: f32) -> Gaussians {
    let triangle = |seed: u64| {
        let values = numbers(d * d, seed);
        let factor = move |at: usize| match (at / d, at % d) {
            (i, j) if i == j => 1.5 + 0.4 * values[at],
            (i, j) if i > j => 0.5 * values[at] / (d as f32).sqrt(),
            _ => 0.0,
        };
        (0..d * d).map(factor).collect::<Vec<f32>>()
    };
    let factors = match shape {
        Shape::Full => (0..k).flat_map(|at| triangle(at as u64)).collect(),
        Shape::Tied => triangle(7),
        Shape::Diagonal => numbers(k * d, 3).iter().map(|value| 1.5 + 0.5 * value).collect(),
    };
    let means = numbers(k * d, 11);
    let whitened = |at: usize, i: usize| -> f64 {
        let factor = |j: usize| match shape {
            Shape::Full => factors[(at * d + i) * d + j],
            Shape::Tied => factors[i * d + j],
            Shape::Diagonal if i == j => factors[at * d + i],
            Shape::Diagonal => 0.0,
        };
        (0..d).map(|j| f64::from(factor(j)) * f64::from(means[at * d + j])).sum()
    };
    let offsets = (0..k * d).map(|at| whitened(at / d, at % d) as f32).collect();
    let heights = numbers(k, 13).iter().map(|value| -2.0 + value).collect();
    Gaussians { shape, columns: d, center: vec![center; d], factors, offsets, means, heights }
}

/// What a row is to the Gaussians, in f64: z of each, and the logarithms of weight times density.
fn joint(g: &Gaussians, x: &[f32]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let d = g.columns;
    // Rows are centred in f32, as on every device.
    let centred: Vec<f64> = x.iter().zip(&g.center).map(|(x, c)| f64::from(x - c)).collect();
    let z = |at: usize| -> Vec<f64> {
        let row = |i: usize| {
            let sum: f64 = match g.shape {
                Shape::Full => (0..d).map(|j| f64::from(g.factors[(at * d + i) * d + j]) * centred[j]).sum(),
                Shape::Tied => (0..d).map(|j| f64::from(g.factors[i * d + j]) * centred[j]).sum(),
                Shape::Diagonal => f64::from(g.factors[at * d + i]) * centred[i],
            };
            sum - f64::from(g.offsets[at * d + i])
        };
        (0..d).map(row).collect()
    };
    let z: Vec<Vec<f64>> = (0..g.heights.len()).map(z).collect();
    let height = |at: usize| f64::from(g.heights[at]) - 0.5 * z[at].iter().map(|z| z * z).sum::<f64>();
    let logs = (0..z.len()).map(height).collect();
    (z, logs)
}

fn log_sum(logs: &[f64]) -> f64 {
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    highest + logs.iter().map(|log| (log - highest).exp()).sum::<f64>().ln()
}

fn oracle(x: &Matrix, weights: Option<&[f32]>, g: &Gaussians) -> Moments {
    let (d, k) = (g.columns, g.heights.len());
    let mut sums = Moments::zero(g);
    for row in 0..x.rows() {
        let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
        let (z, logs) = joint(g, x.row(row));
        let log = log_sum(&logs);
        sums.log_likelihood += weight * log;
        for at in 0..k {
            let r = weight * (logs[at] - log).exp();
            sums.weight[at] += r;
            for i in 0..d {
                sums.first[at * d + i] += r * z[at][i];
                match g.shape {
                    Shape::Full => {
                        (0..d).for_each(|j| sums.second[(at * d + i) * d + j] += r * z[at][i] * z[at][j]);
                    }
                    Shape::Diagonal => sums.second[at * d + i] += r * z[at][i] * z[at][i],
                    Shape::Tied => {}
                }
            }
        }
    }
    sums
}

/// Sums of so many rows agree to 1e-5 of what a row may add.
fn agree(name: &str, found: &Moments, known: &Moments, rows: usize) {
    let all = |m: &Moments| [&[m.log_likelihood][..], &m.weight, &m.first, &m.second].concat();
    for (at, (found, known)) in all(found).iter().zip(all(known)).enumerate() {
        let bound = 2e-5 * (rows as f64 + known.abs());
        assert!((found - known).abs() <= bound, "{name}, sum {at}: {found} is not {known}");
    }
}

#[test]
fn sums_are_those_of_f64_at_edge_sizes_with_every_kind_of_covariance() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        for (n, k, d) in [(1, 1, 1), (2, 3, 2), (63, 2, 3), (65, 4, 5), (256, 5, 16), (257, 17, 4), (1000, 3, 33)] {
            let weights: Vec<f32> = numbers(n, 5).iter().map(|value| 1.0 + value).collect();
            for (shape, weights, center) in
                [(SHAPES[0], None, 0.0), (SHAPES[1], Some(&weights[..]), 0.25), (SHAPES[2], Some(&weights[..]), 0.0)]
            {
                let (x, g) = (matrix(n, d, 21), gaussians(shape, k, d, center));
                let on = x.to(device).unwrap();
                let rows = MixtureRows::new(&mut stream, &on, &g.center, weights).unwrap();
                let found = moments(&mut stream, &rows, &g).unwrap();
                agree(&format!("{name}: {n}×{d}, {k} {shape:?}"), &found, &oracle(&x, weights, &g), n);
            }
        }
    }
}

#[test]
fn densities_and_responsibilities_are_those_of_f64() {
    for (name, device) in devices() {
        for (n, k, d) in [(0, 2, 3), (1, 1, 1), (130, 6, 7), (300, 40, 5)] {
            for shape in SHAPES {
                let (x, g) = (matrix(n, d, 23), gaussians(shape, k, d, -0.5));
                let (logs, shares) = densities(&mut device.stream(), &x.to(device).unwrap(), &g, true).unwrap();
                let shares = shares.unwrap();
                assert_eq!((logs.len(), shares.rows(), shares.columns()), (n, n, k));
                for (row, found) in logs.iter().enumerate() {
                    let known = joint(&g, x.row(row)).1;
                    let log = log_sum(&known);
                    assert!((f64::from(*found) - log).abs() < 2e-4, "{name} {shape:?}: {found} is not {log}");
                    for (at, known) in known.iter().enumerate() {
                        assert!(
                            (f64::from(shares.get(row, at)) - (known - log).exp()).abs() < 2e-4,
                            "{name} {shape:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn rows_far_from_all_gaussians_have_finite_densities() {
    for (name, device) in devices() {
        let x = Matrix::from_rows(&[[3000.0, -3000.0], [0.0, 0.0]]).unwrap();
        let g = gaussians(Shape::Full, 3, 2, 0.0);
        let (logs, shares) = densities(&mut device.stream(), &x.to(device).unwrap(), &g, true).unwrap();
        assert!(logs[0] < -1e6 && logs.iter().all(|log| log.is_finite()), "{name}: {logs:?}");
        assert!((shares.unwrap().row(0).iter().sum::<f32>() - 1.0).abs() < 1e-5, "{name}");
    }
}

#[test]
fn little_memory_and_several_groups_change_little_and_other_shapes_are_refused() {
    let (x, g) = (matrix(70_000, 3, 31), gaussians(Shape::Full, 2, 3, 0.0));
    let known = oracle(&x, None, &g);
    for device in [Device::Cpu, gpu_with(DeviceOptions::default().memory_budget(16 << 20))] {
        let mut stream = device.stream();
        let on = x.to(&device).unwrap();
        let rows = MixtureRows::new(&mut stream, &on, &g.center, None).unwrap();
        agree("70,000 rows", &moments(&mut stream, &rows, &g).unwrap(), &known, 70_000);
        assert!(MixtureRows::new(&mut stream, &on, &[0.0], None).is_err());
        assert!(MixtureRows::new(&mut stream, &on, &g.center, Some(&[1.0])).is_err());
        assert!(moments(&mut stream, &rows, &gaussians(Shape::Full, 2, 4, 0.0)).is_err());
        assert!(moments(&mut stream, &rows, &gaussians(Shape::Full, 2, 3, 0.5)).is_err());
    }
}
