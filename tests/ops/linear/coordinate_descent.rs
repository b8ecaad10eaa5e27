use gristmill::ops::linear::coordinate_descent::*;
use gristmill::prelude::*;

use crate::support::{EPS, devices, gpu_with, matrix, numbers};

const PENALTIES: [StepPenalty; 3] = [
    StepPenalty { l1: 0.3, l2: 0.0, positive: false },
    StepPenalty { l1: 0.1, l2: 0.5, positive: false },
    StepPenalty { l1: 0.2, l2: 0.0, positive: true },
];

/// Products of columns that are not far from orthogonal, and their slopes at coefficients of 0.
fn products(columns: usize) -> (Matrix, Matrix) {
    let noise = matrix(columns, columns, 3);
    let size = 0.5 / (columns as f32).sqrt();
    let product = |row: usize, column: usize| match row == column {
        true => 1.0 + 0.2 * (row % 3) as f32,
        false => size * noise.get(row.min(column), row.max(column)),
    };
    let values = (0..columns * columns).map(|at| product(at / columns, at % columns)).collect();
    let mut state = vec![0.0; columns];
    state.extend(numbers(columns, 4));
    (Matrix::from_vec(columns, columns, values).unwrap(), Matrix::from_vec(2, columns, state).unwrap())
}

fn found(device: &Device, (gram, state): &(Matrix, Matrix), penalty: StepPenalty, passes: usize) -> Matrix {
    let mut stream = device.stream();
    let mut state = state.to(device).unwrap();
    coordinate_descent(&mut stream, &gram.to(device).unwrap(), &mut state, penalty, passes).unwrap();
    state.to_matrix(&mut stream).unwrap()
}

/// The same in f64: coefficients, slopes, and the sizes of what was added to each slope.
fn oracle((gram, state): &(Matrix, Matrix), penalty: StepPenalty, passes: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (l1, l2) = (f64::from(penalty.l1), f64::from(penalty.l2));
    let row = |at: usize| state.row(at).iter().copied().map(f64::from).collect::<Vec<f64>>();
    let (mut coef, mut slopes) = (row(0), row(1));
    let mut sizes: Vec<f64> = slopes.iter().map(|slope| slope.abs()).collect();
    for _ in 0..passes {
        for at in 0..coef.len() {
            let curvature = f64::from(gram.get(at, at));
            let aim = slopes[at] + curvature * coef[at];
            let over = (aim.abs() - l1).max(0.0) / (curvature + l2);
            let new = if penalty.positive && aim < 0.0 { 0.0 } else { over * aim.signum() };
            let change = new - coef[at];
            coef[at] = new;
            for (other, slope) in slopes.iter_mut().enumerate() {
                *slope -= change * f64::from(gram.get(at, other));
                sizes[other] += change.abs() * f64::from(gram.get(at, other)).abs();
            }
        }
    }
    (coef, slopes, sizes)
}

#[test]
fn passes_at_edge_sizes_match_the_oracle() {
    for (name, device) in devices() {
        for columns in [1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 1000, 1023, 1025, 2048] {
            let problem = products(columns);
            let passes = if columns > 500 { 2 } else { 4 };
            for penalty in PENALTIES {
                let found = found(device, &problem, penalty, passes);
                let (coef, slopes, sizes) = oracle(&problem, penalty, passes);
                // Roundings of a slope at every step, and of the steps themselves, which the others see.
                let bound = |at: usize| 8.0 * (columns as f64).sqrt().max(8.0) * EPS * (1.0 + sizes[at]);
                for at in 0..columns {
                    let got = [found.get(0, at), found.get(1, at)].map(f64::from);
                    assert!((got[0] - coef[at]).abs() <= bound(at), "{name}, {columns}: {} for {}", got[0], coef[at]);
                    assert!(
                        (got[1] - slopes[at]).abs() <= bound(at),
                        "{name}, {columns}: {} for {}",
                        got[1],
                        slopes[at]
                    );
                }
            }
        }
    }
}

#[test]
fn many_passes_end_where_no_coordinate_wants_to_move() {
    for (name, device) in devices() {
        let problem = products(300);
        // More steps than one dispatch takes.
        let state = found(device, &problem, PENALTIES[0], 150);
        for at in 0..300 {
            let (coef, slope) = (state.get(0, at), state.get(1, at));
            let off = if coef == 0.0 { (slope.abs() - 0.3).max(0.0) } else { (slope - 0.3 * coef.signum()).abs() };
            assert!(off < 1e-5, "{name}, {at}: {off}");
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let problem = products(130);
    let whole = found(crate::support::gpu(), &problem, PENALTIES[0], 3);
    for options in [1, 7, 64].map(|rows| DeviceOptions::default().chunk_rows(rows)) {
        assert_eq!(found(&gpu_with(options.mark_outputs(true)), &problem, PENALTIES[0], 3), whole);
    }
}

#[test]
fn a_column_without_a_length_stays_and_what_does_not_fit_is_an_error() {
    for (name, device) in devices() {
        let gram = Matrix::from_rows(&[[0.0, 0.0], [0.0, 1.0]]).unwrap();
        let state = Matrix::from_rows(&[[7.0, 0.0], [3.0, 3.0]]).unwrap();
        let after = found(device, &(gram.clone(), state.clone()), PENALTIES[0], 2);
        assert_eq!(after.get(0, 0), 7.0, "{name}");
        assert!((after.get(0, 1) - 2.7).abs() < 1e-6, "{name}");
        let mut stream = device.stream();
        let gram = gram.to(device).unwrap();
        let mut wrong = matrix(2, 3, 1).to(device).unwrap();
        assert!(coordinate_descent(&mut stream, &gram, &mut wrong, PENALTIES[0], 1).is_err(), "{name}");
        let mut state = state.to(device).unwrap();
        let penalty = StepPenalty { l1: -1.0, ..PENALTIES[0] };
        assert!(coordinate_descent(&mut stream, &gram, &mut state, penalty, 1).is_err(), "{name}");
    }
}
