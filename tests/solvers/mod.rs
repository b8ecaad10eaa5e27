//! Optimisers as values.

use gristmill::solvers::{DualAscent, DualLoss, FiniteSum, Objective, Optimizer, Rate, Stop, UpdateRule, UpdateState};
use gristmill::{Error, Matrix, Result};
use nalgebra::DMatrix;

/// 001 §1.3 of the notes: F(w) = ½(w₁² − w₂)² + ½(w₁ − 1)², least at (1, 1).
struct Bent;

impl Objective for Bent {
    fn value_gradient(&mut self, w: &[f64], slope: &mut [f64]) -> Result<f64> {
        let (bend, off) = (w[0] * w[0] - w[1], w[0] - 1.0);
        slope.copy_from_slice(&[2.0 * w[0] * bend + off, -bend]);
        Ok(0.5 * (bend * bend + off * off))
    }

    fn hessian(&mut self, w: &[f64]) -> Result<DMatrix<f64>> {
        let bend = w[0] * w[0] - w[1];
        Ok(DMatrix::from_row_slice(2, 2, &[2.0 * bend + 4.0 * w[0] * w[0] + 1.0, -2.0 * w[0], -2.0 * w[0], 1.0]))
    }
}

fn steps(rule: UpdateRule, rate: f64) -> Optimizer {
    Optimizer::Steps { rule, rate: Rate::Constant(rate) }
}

#[test]
fn every_optimiser_finds_the_minimum_of_the_notes_function() {
    let all = [
        (Optimizer::gradient(0.2), 1e-3),
        (steps(UpdateRule::MOMENTUM, 0.02), 1e-3),
        (steps(UpdateRule::NESTEROV, 0.02), 1e-3),
        (steps(UpdateRule::ADAGRAD, 0.5), 1e-2),
        (steps(UpdateRule::RMS_PROP, 0.003), 1e-2),
        (steps(UpdateRule::ADAM, 0.05), 1e-2),
        (Optimizer::GradientDescent, 1e-4),
        (Optimizer::CoordinateDescent, 1e-4),
        (Optimizer::Newton, 1e-6),
        (Optimizer::Lbfgs, 1e-5),
    ];
    for (optimizer, within) in all {
        let stop = Stop { tol: 1e-7, max_iter: 5000 };
        let found = optimizer.minimize(&mut Bent, &[0.0, 0.0], stop).unwrap();
        let off = (found.point[0] - 1.0).abs().max((found.point[1] - 1.0).abs());
        assert!(off < within, "{optimizer:?}: {:?}", found.point);
        assert_eq!(found.path.len(), found.iterations + 1);
        assert_eq!(found.path[0], [0.0, 0.0]);
    }
    let newton = Optimizer::Newton.minimize(&mut Bent, &[0.0, 0.0], Stop::default()).unwrap();
    let descent = Optimizer::GradientDescent.minimize(&mut Bent, &[0.0, 0.0], Stop::default()).unwrap();
    assert!(newton.converged && newton.iterations < 15 && newton.iterations < descent.iterations);
}

#[test]
fn line_searches_never_rise() {
    let all = [Optimizer::GradientDescent, Optimizer::CoordinateDescent, Optimizer::Newton, Optimizer::Lbfgs];
    for optimizer in all {
        let found = optimizer.minimize(&mut Bent, &[-1.2, 2.0], Stop::default()).unwrap();
        let mut values = vec![];
        for point in &found.path {
            values.push(Bent.value_gradient(point, &mut [0.0; 2]).unwrap());
        }
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0]), "{optimizer:?}");
    }
}

#[test]
fn rates_are_their_formulas() {
    let cosine = Rate::Cosine { first: 1.0, last: 0.0, steps: 10 };
    assert!((cosine.at(0) - 1.0).abs() < 1e-15 && (cosine.at(5) - 0.5).abs() < 1e-15 && cosine.at(20).abs() < 1e-15);
    assert_eq!(Rate::InverseTime { first: 2.0 }.at(3), 0.5);
    assert_eq!(Rate::RobbinsMonro { first: 1.0, power: 0.5 }.at(3), 0.5);
    assert_eq!(Rate::Step { first: 1.0, factor: 0.1, every: 2 }.at(1), 1.0);
    assert_eq!(Rate::Constant(0.3).at(1000), 0.3);
}

#[test]
fn update_rules_take_the_steps_of_their_formulas() {
    let gradients = [[1.0, -2.0], [0.5, 1.0], [-0.25, 3.0]];
    let run = |rule: UpdateRule| {
        let (mut state, mut point) = (UpdateState::new(rule, 2), [0.5_f64, -1.0]);
        gradients.iter().for_each(|gradient| state.step(0.1, &mut point, gradient));
        point
    };
    // By hand, in the formulas of the papers.
    let (mut m, mut s, mut w) = ([0.0_f64; 2], [0.0_f64; 2], [0.5_f64, -1.0]);
    for (step, gradient) in gradients.iter().enumerate() {
        let t = step as i32 + 1;
        for j in 0..2 {
            m[j] = 0.9 * m[j] + 0.1 * gradient[j];
            s[j] = 0.999 * s[j] + 0.001 * gradient[j] * gradient[j];
            let (mean, spread) = (m[j] / (1.0 - 0.9_f64.powi(t)), s[j] / (1.0 - 0.999_f64.powi(t)));
            w[j] -= 0.1 * mean / (spread.sqrt() + 1e-8);
        }
    }
    let adam = run(UpdateRule::ADAM);
    assert!((adam[0] - w[0]).abs() < 1e-12 && (adam[1] - w[1]).abs() < 1e-12);
    let decayed = run(UpdateRule::ADAM_W);
    assert!(decayed != adam && (decayed[1] - adam[1]).abs() < 0.01);
    // v: 1, 1.4, 1.01 with decay 0.9.
    assert!((run(UpdateRule::MOMENTUM)[0] - (0.5 - 0.1 * (1.0 + 1.4 + 1.01))).abs() < 1e-12);
    let (v1, v2, v3) = (1.0, 1.4, 1.01);
    let nesterov = 0.5 - 0.1 * ((1.0 + 0.9 * v1) + (0.5 + 0.9 * v2) + (-0.25 + 0.9 * v3));
    assert!((run(UpdateRule::NESTEROV)[0] - nesterov).abs() < 1e-12);
    let adagrad = 0.5 - 0.1 * (1.0 + 0.5 / 1.25_f64.sqrt() - 0.25 / 1.3125_f64.sqrt());
    assert!((run(UpdateRule::ADAGRAD)[0] - adagrad).abs() < 1e-7);
    let mut state = UpdateState::new(UpdateRule::Gradient, 1);
    let mut single = [1.0_f32];
    state.step(0.5, &mut single, &[1.0]);
    assert_eq!((single[0], state.steps()), (0.5, 1));
}

#[test]
fn batches_of_a_sum_reach_what_all_terms_reach() {
    let targets: Vec<f64> = (0..64).map(|row| f64::from(row % 7)).collect();
    let mean = targets.iter().sum::<f64>() / 64.0;
    for batch in [1, 8, 64] {
        let term = |row: usize, w: &[f64], slope: &mut [f64]| {
            slope[0] += w[0] - targets[row];
            0.5 * (w[0] - targets[row]).powi(2)
        };
        let mut sum = FiniteSum::new(64, batch, 1, term);
        let sgd = Optimizer::Steps { rule: UpdateRule::Gradient, rate: Rate::InverseTime { first: 1.0 } };
        let found = sgd.minimize(&mut sum, &[0.0], Stop { tol: 0.0, max_iter: 6400 }).unwrap();
        assert!((found.point[0] - mean).abs() < 0.02, "{batch}: {}", found.point[0]);
    }
}

#[test]
fn a_rate_that_diverges_and_a_missing_hessian_are_errors() {
    let refused = Optimizer::gradient(10.0).minimize(&mut Bent, &[3.0, 1.0], Stop::default()).unwrap_err();
    assert!(matches!(refused, Error::Param { .. }), "{refused}");
    let mut bowl = |w: &[f64], slope: &mut [f64]| {
        slope[0] = w[0];
        0.5 * w[0] * w[0]
    };
    assert!(Optimizer::Newton.minimize(&mut bowl, &[1.0], Stop::default()).is_err());
}

#[test]
fn dual_ascent_in_buckets_closes_the_gap_and_repeats_itself() {
    let rows = 20_000;
    let x = crate::support::matrix(rows, 3, 11);
    let side = |row: usize| x.get(row, 0) - 0.5 * x.get(row, 1) + 0.1 > 0.0;
    let targets: Vec<f64> = (0..rows).map(|row| if side(row) { 1.0 } else { -1.0 }).collect();
    let costs = vec![0.1; rows];
    for loss in [DualLoss::Hinge, DualLoss::SquaredHinge] {
        let found = DualAscent::new(loss).minimize(&x, &targets, &costs).unwrap();
        let last = found.objectives[found.objectives.len() - 1];
        assert!(found.converged && found.gap <= 1e-4 * last, "{loss:?}: {}", found.gap);
        assert_eq!(found, DualAscent::new(loss).minimize(&x, &targets, &costs).unwrap());
        let other = DualAscent { seed: 5, tol: 1e-6, ..DualAscent::new(loss) };
        let closer = other.minimize(&x, &targets, &costs).unwrap();
        assert!(closer.objectives[closer.objectives.len() - 1] >= last - found.gap, "{loss:?}");
    }
    let numbers: Vec<f64> = (0..rows).map(|row| f64::from(2.0 * x.get(row, 2)) + 1.0).collect();
    let tube =
        DualAscent::new(DualLoss::SquaredEpsilonInsensitive(0.01)).minimize(&x, &numbers, &vec![1.0; rows]).unwrap();
    assert!((tube.coef[2] - 2.0).abs() < 0.02 && (tube.intercept - 1.0).abs() < 0.02, "{:?}", tube.coef);
}

#[test]
fn what_dual_ascent_cannot_take_is_refused() {
    let x = Matrix::from_rows(&[[0.0], [1.0]]).unwrap();
    let hinge = DualAscent::new(DualLoss::Hinge);
    assert!(matches!(hinge.minimize(&x, &[1.0], &[1.0; 2]), Err(Error::Shape { .. })));
    assert!(matches!(hinge.minimize(&x, &[1.0, 0.0], &[1.0; 2]), Err(Error::Param { .. })));
    assert!(matches!(hinge.minimize(&x, &[1.0, -1.0], &[1.0, -1.0]), Err(Error::Param { .. })));
    let missing = Matrix::from_rows(&[[0.0], [f32::NAN]]).unwrap();
    assert!(matches!(hinge.minimize(&missing, &[1.0, -1.0], &[1.0; 2]), Err(Error::NotFinite { row: 1, .. })));
}
