use gristmill::ops::decomposition::row_descent::*;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, matrix};

const PENALTIES: [StepPenalty; 3] = [
    StepPenalty { l1: 0.2, l2: 0.0, positive: false },
    StepPenalty { l1: 0.1, l2: 0.5, positive: false },
    StepPenalty { l1: 0.0, l2: 0.0, positive: true },
];

/// Products of columns that are not far from orthogonal.
fn gram(k: usize) -> Matrix {
    let noise = matrix(k, k, 3);
    let size = 0.5 / (k as f32).sqrt();
    let product = |row: usize, column: usize| match row == column {
        true => 1.0 + 0.2 * (row % 3) as f32,
        false => size * noise.get(row.min(column), row.max(column)),
    };
    Matrix::from_vec(k, k, (0..k * k).map(|at| product(at / k, at % k)).collect()).unwrap()
}

fn found(
    device: &Device,
    gram: &Matrix,
    products: &Matrix,
    start: &Matrix,
    penalty: StepPenalty,
    passes: usize,
) -> Matrix {
    let mut stream = device.stream();
    let mut coef = start.to(device).unwrap();
    let (gram, products) = (gram.to(device).unwrap(), products.to(device).unwrap());
    row_descent(&mut stream, &gram, &products, &mut coef, penalty, (passes, 0.0)).unwrap();
    coef.to_matrix(&mut stream).unwrap()
}

/// The same for one row, in f64.
fn oracle(gram: &Matrix, products: &[f32], start: &[f32], penalty: StepPenalty, passes: usize) -> Vec<f64> {
    let k = start.len();
    let mut coef: Vec<f64> = start.iter().map(|value| f64::from(*value)).collect();
    for _ in 0..passes {
        for at in 0..k {
            let curvature = f64::from(gram.get(at, at));
            let along: f64 =
                (0..k).filter(|other| *other != at).map(|other| f64::from(gram.get(at, other)) * coef[other]).sum();
            let aim = f64::from(products[at]) - along;
            let over = (aim.abs() - f64::from(penalty.l1)).max(0.0) / (curvature + f64::from(penalty.l2));
            coef[at] = if penalty.positive && aim < 0.0 { 0.0 } else { over * aim.signum() };
        }
    }
    coef
}

#[test]
fn rows_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for (n, k) in [(1, 1), (2, 2), (3, 63), (65, 64), (64, 65), (5, 257), (2, 1000), (1000, 3), (1, 1024)] {
            let (gram, products, start) = (gram(k), matrix(n, k, 4), matrix(n, k, 5));
            for penalty in PENALTIES {
                let passes = if k > 500 { 2 } else { 4 };
                let made = found(device, &gram, &products, &start, penalty, passes);
                for row in (0..n).step_by(n.div_ceil(5)) {
                    let exact = oracle(&gram, products.row(row), start.row(row), penalty, passes);
                    for (got, exact) in made.row(row).iter().zip(exact) {
                        assert!((f64::from(*got) - exact).abs() <= 2e-5, "{name} {n}×{k}: {got} for {exact}");
                    }
                }
            }
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (gram, products, start) = (gram(40), matrix(130, 40, 4), Matrix::zeros(130, 40).unwrap());
    let whole = found(crate::support::gpu(), &gram, &products, &start, PENALTIES[0], 5);
    for options in [1, 7, 64].map(|rows| DeviceOptions::default().chunk_rows(rows)) {
        let device = gpu_with(options.mark_outputs(true));
        assert_eq!(found(&device, &gram, &products, &start, PENALTIES[0], 5), whole);
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let (gram, products) = (gram(3).to(device).unwrap(), matrix(4, 3, 1).to(device).unwrap());
        let mut wrong = matrix(4, 2, 1).to(device).unwrap();
        assert!(row_descent(&mut stream, &gram, &products, &mut wrong, PENALTIES[0], (1, 0.0)).is_err(), "{name}");
        let mut coef = matrix(4, 3, 1).to(device).unwrap();
        let penalty = StepPenalty { l1: -1.0, ..PENALTIES[0] };
        assert!(row_descent(&mut stream, &gram, &products, &mut coef, penalty, (1, 0.0)).is_err(), "{name}");
    }
    let device = crate::support::gpu();
    let (gram, products) = (gram(1025).to(device).unwrap(), matrix(1, 1025, 1).to(device).unwrap());
    let mut coef = matrix(1, 1025, 1).to(device).unwrap();
    let refused = row_descent(&mut device.stream(), &gram, &products, &mut coef, PENALTIES[0], (1, 0.0)).unwrap_err();
    assert!(matches!(refused, Error::Limit { need: 1025, have: 1024, .. }), "{refused}");
}
