//! The steps of SMO on a kernel matrix.

use gristmill::cpu::svm::block::minimize;
use gristmill::cpu::svm::{Block, Piece, Variables};

use crate::support::numbers;

/// A kernel matrix of random rows and a problem of two classes on it.
fn problem(n: usize, c: f64, seed: u64) -> (Vec<f32>, Vec<Piece>, Variables) {
    let x = numbers(n * 3, seed);
    let square = |a: usize, b: usize| (0..3).map(|at| (x[a * 3 + at] - x[b * 3 + at]).powi(2)).sum::<f32>();
    let matrix = (0..n * n).map(|at| (-square(at / n, at % n)).exp()).collect();
    let half = n / 2;
    let pieces = vec![
        Piece { first: 0, count: half, row: 0, group: 0 },
        Piece { first: half, count: n - half, row: half, group: 0 },
    ];
    let sign = |at: usize| if at < half { 1.0 } else { -1.0 };
    let variables = Variables {
        beta: vec![0.0; n],
        slope: (0..n).map(|at| -sign(at)).collect(),
        low: (0..n).map(|at| if at < half { 0.0 } else { -c }).collect(),
        high: (0..n).map(|at| if at < half { c } else { 0.0 }).collect(),
        ridge: vec![],
    };
    (matrix, pieces, variables)
}

fn objective(variables: &Variables, half: usize) -> f64 {
    let linear = |at: usize| if at < half { -1.0 } else { 1.0 };
    variables.beta.iter().zip(&variables.slope).enumerate().map(|(at, (b, s))| 0.5 * b * (s + linear(at))).sum()
}

#[test]
fn the_objective_falls_with_each_step_and_the_sum_stays() {
    for n in [2, 3, 65, 255, 257] {
        let (matrix, pieces, mut variables) = problem(n, 2.0, n as u64);
        let block = Block { matrix: &matrix, stride: n, pieces: &pieces };
        let mut before = objective(&variables, n / 2);
        for _ in 0..200 {
            let ended = minimize(block, &mut variables, 1e-6, 1);
            let after = objective(&variables, n / 2);
            assert!(after <= before + 1e-12, "{before} rose to {after}");
            before = after;
            if ended.steps == 0 || ended.violation <= 1e-6 {
                break;
            }
        }
        assert!(variables.beta.iter().sum::<f64>().abs() < 1e-9);
    }
}

#[test]
fn slopes_stay_those_of_the_matrix_and_conditions_hold_at_the_end() {
    let n = 300;
    let (matrix, pieces, mut variables) = problem(n, 1.0, 9);
    let ended = minimize(Block { matrix: &matrix, stride: n, pieces: &pieces }, &mut variables, 1e-4, 100_000);
    assert!(ended.violation <= 1e-4);
    for at in 0..n {
        let sum: f64 = (0..n).map(|other| f64::from(matrix[at * n + other]) * variables.beta[other]).sum();
        let linear = if at < n / 2 { -1.0 } else { 1.0 };
        assert!((sum + linear - variables.slope[at]).abs() < 1e-9);
        assert!(variables.beta[at] >= variables.low[at] && variables.beta[at] <= variables.high[at]);
    }
    let rising = (0..n).filter(|at| variables.beta[*at] < variables.high[*at]).map(|at| variables.slope[at]);
    let falling = (0..n).filter(|at| variables.beta[*at] > variables.low[*at]).map(|at| variables.slope[at]);
    assert!(falling.fold(f64::MIN, f64::max) - rising.fold(f64::MAX, f64::min) <= 1e-4);
}
