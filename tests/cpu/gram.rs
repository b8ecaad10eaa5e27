//! Kernel matrices and their products where blocks, panels and sums end.

use super::*;
use gristmill::cpu::gram::diagonal::squares;
use gristmill::cpu::gram::matrix::matrix;
use gristmill::cpu::gram::product::{normal_product, product};
use gristmill::cpu::gram::{Instruction, Pass, Plan, Side, Step};

/// exp(−|x − y|²/4).
fn gaussian() -> Plan {
    let program = vec![Instruction::SquaredDistance, Instruction::Scale(-0.25), Instruction::Exponential];
    Plan { passes: vec![Pass { side: 0, step: Step::Product, program, target: 0 }], registers: 1 }
}

/// exp(−|x − y|₁/8) · (1 + exp(−|x − y|²/4)): two sums, the first kept for the second.
fn of_two_sums() -> Plan {
    let first = vec![Instruction::Sum, Instruction::Scale(-0.125), Instruction::Exponential];
    let second = vec![
        Instruction::SquaredDistance,
        Instruction::Scale(-0.25),
        Instruction::Exponential,
        Instruction::Shift(1.0),
        Instruction::Load(1),
        Instruction::Multiply,
    ];
    let passes = vec![
        Pass { side: 0, step: Step::Absolute, program: first, target: 1 },
        Pass { side: 0, step: Step::Product, program: second, target: 0 },
    ];
    Plan { passes, registers: 2 }
}

fn exact(two: bool, x: &[f32], y: &[f32]) -> f64 {
    let pairs = || x.iter().zip(y).map(|(&x, &y)| f64::from(x) - f64::from(y));
    let gaussian = (-pairs().map(|difference| difference * difference).sum::<f64>() / 4.0).exp();
    if two { (-pairs().map(f64::abs).sum::<f64>() / 8.0).exp() * (1.0 + gaussian) } else { gaussian }
}

struct Data {
    rows: Vec<f32>,
    squares: Vec<f32>,
    depth: usize,
}

impl Data {
    fn new(count: usize, depth: usize, seed: u64) -> Data {
        let scale = (4.0 / depth.max(1) as f32).sqrt();
        let rows: Vec<f32> = numbers(count * depth, seed).iter().map(|value| value * scale).collect();
        let mut lengths = vec![0.0; count];
        squares(&rows, depth, &mut lengths);
        Data { rows, squares: lengths, depth }
    }

    fn side(&self) -> [Side<'_>; 1] {
        [Side { rows: &self.rows, depth: self.depth, squares: &self.squares }]
    }

    fn row(&self, at: usize) -> &[f32] {
        &self.rows[at * self.depth..(at + 1) * self.depth]
    }
}

#[test]
fn blocks_of_a_matrix_meet_where_they_end() {
    for (two, plan) in [(false, gaussian()), (true, of_two_sums())] {
        for (n, m, depth) in
            [(383, 97, 3), (384, 385, 1), (800, 31, 5), (97, 1200, 2), (13, 100, 300), (3, 50, 4097), (2, 2, 0)]
        {
            let (a, b) = (Data::new(n, depth, 1), Data::new(m, depth, 2));
            let mut out = vec![f32::NAN; n * m];
            matrix(&plan, &a.side(), &b.side(), false, &mut out);
            for i in 0..n {
                for j in 0..m {
                    let (found, want) = (f64::from(out[i * m + j]), exact(two, a.row(i), b.row(j)));
                    assert!((found - want).abs() < 4e-6, "{two} {n}×{m}×{depth} at {i}, {j}: {found} for {want}");
                }
            }
        }
    }
}

#[test]
fn half_of_a_square_is_made_and_both_are_written() {
    for (two, plan) in [(false, gaussian()), (true, of_two_sums())] {
        for (n, depth) in [(1, 2), (95, 3), (96, 2), (97, 1), (385, 4), (801, 3), (40, 4100), (5, 0)] {
            let a = Data::new(n, depth, 3);
            let (mut half, mut whole) = (vec![f32::NAN; n * n], vec![f32::NAN; n * n]);
            matrix(&plan, &a.side(), &a.side(), true, &mut half);
            matrix(&plan, &a.side(), &a.side(), false, &mut whole);
            for i in 0..n {
                assert_eq!(half[i * n + i], if two { 2.0 } else { 1.0 }, "{n}×{depth}: {i}");
                for j in 0..i {
                    let [left, right, other] = [half[i * n + j], half[j * n + i], whole[i * n + j]];
                    assert!(left == right && left == other, "{two} {n}×{depth} at {i}, {j}: {left}, {right}, {other}");
                }
            }
        }
    }
}

#[test]
fn products_are_those_of_the_f64_matrix_with_any_number_of_threads() {
    for (two, plan) in [(false, gaussian()), (true, of_two_sums())] {
        for (n, m, p) in [(1, 1, 1), (500, 385, 1), (169, 1000, 3), (30, 800, 9), (700, 3, 2)] {
            let (a, b, v) = (Data::new(n, 3, 5), Data::new(m, 3, 6), numbers(m * p, 7));
            let kernel: Vec<f64> = (0..n * m).map(|at| exact(two, a.row(at / m), b.row(at % m))).collect();
            let found = in_pools(|| {
                let mut out = vec![f32::NAN; n * p];
                product(&plan, &a.side(), &b.side(), &v, p, &mut out);
                out
            });
            let forward = |row: usize, c: usize| -> f64 {
                (0..m).map(|j| kernel[row * m + j] * f64::from(v[j * p + c])).sum::<f64>()
            };
            for (at, found) in found.iter().enumerate() {
                let want = forward(at / p, at % p);
                assert!((f64::from(*found) - want).abs() < 1e-5 * m as f64, "{two} {n}×{m}: {found}, {want}");
            }
            let (u, w) = (numbers(n * p, 8), numbers(n * p, 9));
            let found = in_pools(|| {
                let mut out = vec![f32::NAN; m * p];
                normal_product(&plan, (&a.side(), &b.side()), &v, [Some(&u), Some(&w)], p, &mut out);
                out
            });
            let between: Vec<f64> =
                (0..n * p).map(|at| (forward(at / p, at % p) - f64::from(u[at])) * f64::from(w[at])).collect();
            let size = between.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            for (at, found) in found.iter().enumerate() {
                let (j, c) = (at / p, at % p);
                let want: f64 = (0..n).map(|row| kernel[row * m + j] * between[row * p + c]).sum();
                let off = (f64::from(*found) - want).abs();
                assert!(off < 1e-5 * n as f64 * size.max(1.0), "{two} {n}×{m}: {found} for {want}");
            }
        }
    }
}
