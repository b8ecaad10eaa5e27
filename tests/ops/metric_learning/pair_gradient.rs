use gristmill::ops::metric_learning::pair_gradient::{PairLoss, Pairs, pair_gradient};
use gristmill::prelude::*;

use crate::support::{devices, matrix, numbers};

/// Others of each row, some of which are the row itself.
fn others(n: usize, width: usize) -> Vec<u32> {
    numbers(n * width, 9).iter().map(|value| (((value + 1.0) / 2.0 * n as f32) as u32).min(n as u32 - 1)).collect()
}

fn oracle(z: &Matrix, others: &[u32], (pulls, width): (usize, usize), loss: PairLoss) -> (f64, Vec<f64>) {
    let (n, p) = (z.rows(), z.columns());
    let apart = |a: usize, b: usize, at: usize| f64::from(z.get(a, at)) - f64::from(z.get(b, at));
    let square = |a: usize, b: usize| (0..p).map(|at| apart(a, b, at).powi(2)).sum::<f64>();
    let mut sums = vec![0.0; n * p];
    let mut total = 0.0;
    for row in 0..n {
        let other = |at: usize| others[row * width + at] as usize;
        let mut weights = vec![0.0; width];
        for near in (0..pulls).filter(|near| other(*near) != row) {
            let own = square(row, other(near));
            match loss {
                PairLoss::Triplets { pull, push, margin } => {
                    total += f64::from(pull) * own;
                    weights[near] += f64::from(pull);
                    for far in (pulls..width).filter(|far| other(*far) != row) {
                        let short = f64::from(margin) + own - square(row, other(far));
                        if short > 0.0 {
                            total += f64::from(push) * short;
                            weights[near] += f64::from(push);
                            weights[far] -= f64::from(push);
                        }
                    }
                }
                PairLoss::Pairs { near: limit, .. } if own > f64::from(limit) => {
                    total += own - f64::from(limit);
                    weights[near] += 1.0;
                }
                PairLoss::Pairs { .. } => {}
            }
        }
        if let PairLoss::Pairs { push, far: limit, .. } = loss {
            for far in (pulls..width).filter(|far| other(*far) != row) {
                let own = square(row, other(far));
                if own < f64::from(limit) {
                    total += f64::from(push) * (f64::from(limit) - own);
                    weights[far] -= f64::from(push);
                }
            }
        }
        for (at, weight) in weights.into_iter().enumerate() {
            for column in 0..p {
                let term = weight * apart(row, other(at), column);
                sums[row * p + column] += term;
                sums[other(at) * p + column] -= term;
            }
        }
    }
    (total, sums)
}

#[test]
fn losses_and_sums_are_those_of_f64_at_edge_sizes() {
    let triplets = PairLoss::Triplets { pull: 0.4, push: 0.6, margin: 1.0 };
    let pairs = PairLoss::Pairs { push: 0.7, near: 0.3, far: 2.0 };
    for (name, device) in devices() {
        let mut stream = device.stream();
        for (n, p, pulls, width) in [
            (1, 1, 1, 2),
            (2, 3, 1, 2),
            (64, 4, 3, 8),
            (65, 5, 2, 2),
            (100, 33, 3, 40),
            (257, 130, 1, 9),
            (70, 2, 0, 256),
        ] {
            for loss in [triplets, pairs] {
                let (z, others) = (matrix(n, p, 3), others(n, width));
                let (known, known_sums) = oracle(&z, &others, (pulls, width), loss);
                let lists = Pairs::new(device, n, (pulls, width), others).unwrap();
                let (found, sums) = pair_gradient(&mut stream, &z.to(device).unwrap(), &lists, loss).unwrap();
                let sums = sums.to_matrix(&mut stream).unwrap();
                let what = format!("{name}: {n}×{p}, {width} pairs, {loss:?}");
                assert!((found - known).abs() <= 1e-5 * (known.abs() + 1.0), "{what}: {found} is not {known}");
                for (found, known) in sums.as_slice().iter().zip(known_sums) {
                    assert!((f64::from(*found) - known).abs() < 1e-3, "{what}: {found} is not {known}");
                }
            }
        }
    }
}

#[test]
fn more_rows_than_one_dimension_of_workgroups_holds() {
    for (name, device) in devices() {
        let n = 70_000;
        let z = Matrix::from_vec(n, 1, (0..n).map(|row| (row % 2) as f32).collect()).unwrap();
        let next = (0..n as u32).map(|row| (row + 1) % n as u32).collect();
        let lists = Pairs::new(device, n, (1, 1), next).unwrap();
        let mut stream = device.stream();
        let loss = PairLoss::Pairs { push: 1.0, near: 0.0, far: 0.0 };
        let (found, sums) = pair_gradient(&mut stream, &z.to(device).unwrap(), &lists, loss).unwrap();
        assert_eq!(found, n as f64, "{name}");
        let sums = sums.to_matrix(&mut stream).unwrap();
        assert!((0..n).all(|row| sums.get(row, 0) == if row % 2 == 1 { 2.0 } else { -2.0 }), "{name}");
    }
}

#[test]
fn other_shapes_and_too_many_pairs_are_refused() {
    for (_, device) in devices() {
        assert!(Pairs::new(device, 3, (1, 300), vec![0; 900]).unwrap_err().to_string().contains("256"));
        assert!(Pairs::new(device, 3, (1, 1), vec![0, 1, 3]).is_err());
        assert!(Pairs::new(device, 3, (2, 1), vec![0, 1, 2]).is_err());
        let lists = Pairs::new(device, 3, (1, 1), vec![1, 2, 0]).unwrap();
        let loss = PairLoss::Pairs { push: 1.0, near: 0.0, far: 1.0 };
        assert!(pair_gradient(&mut device.stream(), &matrix(4, 2, 1).to(device).unwrap(), &lists, loss).is_err());
    }
}
