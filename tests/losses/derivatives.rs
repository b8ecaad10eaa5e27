//! Values, gradients and Hessians against differences of the losses in f64.

use gristmill::losses::{Derivatives, Loss, LossRows, softmax_derivatives, softmax_value};

use crate::cpu::{SIZES, bits, in_pools, numbers};

struct Case {
    loss: Loss,
    /// The loss as it is written down, up to a constant of the target.
    formula: fn(f64, f64) -> f64,
    /// Whether the Hessian is the second derivative; else it is 1.
    smooth: bool,
    /// Targets from numbers in [−1, 1).
    target: fn(f32) -> f32,
}

const CASES: [Case; 7] = [
    Case { loss: Loss::Squared, formula: |s, y| 0.5 * (s - y).powi(2), smooth: true, target: |n| 3.0 * n },
    Case {
        loss: Loss::Logistic,
        formula: |s, y| (1.0 + s.exp()).ln() - y * s,
        smooth: true,
        target: |n| f32::from(u8::from(n > 0.0)),
    },
    Case {
        loss: Loss::Exponential,
        formula: |s, y| if y > 0.5 { (-s).exp() } else { s.exp() },
        smooth: true,
        target: |n| f32::from(u8::from(n > 0.0)),
    },
    Case { loss: Loss::Poisson, formula: |s, y| s.exp() - y * s, smooth: true, target: |n| (4.0 * n).max(0.0).floor() },
    Case { loss: Loss::Absolute, formula: |s, y| (s - y).abs(), smooth: false, target: |n| 3.0 * n },
    Case {
        loss: Loss::Quantile { alpha: 0.3 },
        formula: |s, y| (0.3 * (y - s)).max(0.7 * (s - y)),
        smooth: false,
        target: |n| 3.0 * n,
    },
    Case {
        loss: Loss::Huber { delta: 0.8 },
        formula: |s, y| {
            let error = (s - y).abs();
            if error <= 0.8 { 0.5 * error * error } else { 0.8 * (error - 0.4) }
        },
        smooth: false,
        target: |n| 3.0 * n,
    },
];

#[test]
fn derivatives_are_the_slopes_of_the_losses_at_edge_sizes_with_any_threads() {
    for case in &CASES {
        for rows in SIZES.into_iter().chain([20_000]) {
            let scores: Vec<f32> = numbers(rows, 31).iter().map(|n| 3.0 * n).collect();
            let targets: Vec<f32> = numbers(rows, 32).iter().map(|n| (case.target)(*n)).collect();
            let weights: Vec<f32> = (0..rows).map(|row| (row % 4) as f32 * 0.5).collect();
            for weights in [None, Some(&weights[..])] {
                let run = || {
                    let (mut g, mut h) = (vec![0.0; rows], vec![0.0; rows]);
                    let input = LossRows { scores: &scores, targets: &targets, weights };
                    let largest = case.loss.derivatives(input, Derivatives { gradients: &mut g, hessians: &mut h });
                    (bits(&g), bits(&h), largest)
                };
                let (g, h, largest) = in_pools(run);
                let (g, h): (Vec<f32>, Vec<f32>) =
                    g.into_iter().zip(h).map(|(g, h)| (f32::from_bits(g), f32::from_bits(h))).unzip();
                assert_eq!(largest[0], g.iter().fold(0.0_f32, |most, g| most.max(g.abs())), "{:?}", case.loss);
                assert_eq!(largest[1], h.iter().fold(0.0_f32, |most, h| most.max(*h)), "{:?}", case.loss);
                for row in 0..rows {
                    check(case, [scores[row], targets[row]], weights.map_or(1.0, |w| w[row]), [g[row], h[row]]);
                }
            }
        }
    }
}

#[track_caller]
fn check(case: &Case, [score, target]: [f32; 2], weight: f32, [gradient, hessian]: [f32; 2]) {
    let (s, y, w) = (f64::from(score), f64::from(target), f64::from(weight));
    let (gradient, hessian) = (f64::from(gradient), f64::from(hessian));
    let step = 1e-4;
    let [below, at, above] = [s - step, s, s + step].map(|s| (case.formula)(s, y));
    // Where the slope turns within the step, the differences say nothing.
    if case.smooth || ((s - y).abs() > step && ((s - y).abs() - 0.8).abs() > step) {
        let slope = w * (above - below) / (2.0 * step);
        assert!((gradient - slope).abs() <= 4e-6 * w * (1.0 + slope.abs()), "{:?}: {gradient} {slope}", case.loss);
    }
    let curvature = if case.smooth { w * (above - 2.0 * at + below) / (step * step) } else { w };
    assert!((hessian - curvature).abs() <= 4e-6 * w * (1.0 + curvature), "{:?}: {hessian} {curvature}", case.loss);
}

#[test]
fn scores_beyond_all_bounds_have_finite_derivatives() {
    let scores = [-1e30_f32, -90.0, 90.0, 1e30, 0.0];
    for case in &CASES {
        for target in [0.0, 1.0] {
            let (mut g, mut h) = ([f32::NAN; 5], [f32::NAN; 5]);
            let rows = LossRows { scores: &scores, targets: &[target; 5], weights: None };
            case.loss.derivatives(rows, Derivatives { gradients: &mut g, hessians: &mut h });
            assert!(g.iter().chain(&h).all(|value| value.is_finite()), "{:?}: {g:?} {h:?}", case.loss);
            assert!(h.iter().all(|value| *value >= 0.0), "{:?}: {h:?}", case.loss);
        }
    }
}

#[test]
fn scores_that_meet_their_targets_have_the_documented_slope() {
    let of = |loss: Loss| {
        let (mut g, mut h) = ([9.0], [9.0]);
        let rows = LossRows { scores: &[2.0], targets: &[2.0], weights: None };
        loss.derivatives(rows, Derivatives { gradients: &mut g, hessians: &mut h });
        (g[0], h[0])
    };
    assert_eq!(of(Loss::Absolute), (0.0, 1.0));
    assert_eq!(of(Loss::Quantile { alpha: 0.25 }), (-0.25, 1.0));
    assert_eq!(of(Loss::Huber { delta: 1.0 }), (0.0, 1.0));
}

#[test]
fn values_are_those_of_the_formulas_up_to_a_constant_of_the_target() {
    for case in &CASES {
        for target in [-0.9_f32, -0.2, 0.3, 0.8].map(case.target).map(f64::from) {
            let of = |score: f64| (case.loss.value(score, target), (case.formula)(score, target));
            let (from, to) = (of(-1.3), of(0.7));
            assert!((to.0 - from.0 - (to.1 - from.1)).abs() < 1e-12, "{:?}", case.loss);
        }
        let exact = case.loss.value(1.5, (case.target)(0.9).into());
        assert!(exact.is_finite() && exact >= 0.0, "{:?}", case.loss);
    }
}

#[test]
fn gradients_are_those_of_the_losses() {
    let rows = 1003;
    let scores: Vec<Vec<f32>> = (0..3)
        .map(|class| (0..rows).map(|row| ((row * 37 + class * 11) % 101) as f32 / 5.0 - 10.0).collect())
        .collect();
    let classes: Vec<u32> = (0..rows as u32).map(|row| row % 3).collect();
    let targets: Vec<f32> = (0..rows).map(|row| (row % 2) as f32).collect();
    let weights: Vec<f32> = (0..rows).map(|row| (row % 4) as f32).collect();
    let (mut g, mut h) = (vec![0.0; rows], vec![0.0; rows]);
    let input = LossRows { scores: &scores[0], targets: &targets, weights: Some(&weights) };
    let largest = Loss::Logistic.derivatives(input, Derivatives { gradients: &mut g, hessians: &mut h });
    for row in 0..rows {
        let p = 1.0 / (1.0 + (-f64::from(scores[0][row])).exp());
        let w = f64::from(weights[row]);
        assert!((f64::from(g[row]) - w * (p - f64::from(targets[row]))).abs() <= 1e-6 * w);
        assert!((f64::from(h[row]) - w * p * (1.0 - p)).abs() <= 1e-6 * w);
    }
    assert_eq!(largest, [g.iter().fold(0.0_f32, |a, b| a.max(b.abs())), h.iter().fold(0.0_f32, |a, b| a.max(*b))]);
    let mut out: Vec<(Vec<f32>, Vec<f32>)> = vec![(vec![0.0; rows], vec![0.0; rows]); 3];
    let places = out.iter_mut().map(|(gradients, hessians)| Derivatives { gradients, hessians }).collect();
    let views: Vec<&[f32]> = scores.iter().map(Vec::as_slice).collect();
    softmax_derivatives(&views, &classes, None, places);
    for row in 0..rows {
        let total: f64 = scores.iter().map(|scores| f64::from(scores[row]).exp()).sum();
        for class in 0..3 {
            let p = f64::from(scores[class][row]).exp() / total;
            let want = p - f64::from(u8::from(classes[row] == class as u32));
            assert!((f64::from(out[class].0[row]) - want).abs() <= 1e-6);
            assert!((f64::from(out[class].1[row]) - 1.5 * p * (1.0 - p)).abs() <= 2e-6);
        }
        let value = softmax_value(3, classes[row] as usize, |class| f64::from(scores[class][row]));
        let p = f64::from(scores[classes[row] as usize][row]).exp() / total;
        assert!((value + p.ln()).abs() <= 1e-9);
    }
}
