//! Gradients and Hessians of the losses of boosting against differences of the losses in f64.

use gristmill::cpu::tree::gradients::{self, Places, Rows};

use super::{SIZES, bits, in_pools, numbers};

type Derivatives = fn(Rows<'_>, Places<'_>) -> [f32; 2];

struct Case {
    name: &'static str,
    loss: fn(f64, f64) -> f64,
    derivatives: Derivatives,
    /// Whether the Hessian is the second derivative; else it is 1.
    smooth: bool,
    /// Targets from numbers in [−1, 1).
    target: fn(f32) -> f32,
}

const CASES: [Case; 7] = [
    Case {
        name: "squared",
        loss: |s, y| 0.5 * (s - y).powi(2),
        derivatives: gradients::squared,
        smooth: true,
        target: |n| 3.0 * n,
    },
    Case {
        name: "logistic",
        loss: |s, y| (1.0 + s.exp()).ln() - y * s,
        derivatives: gradients::logistic,
        smooth: true,
        target: |n| f32::from(u8::from(n > 0.0)),
    },
    Case {
        name: "exponential",
        loss: |s, y| if y > 0.5 { (-s).exp() } else { s.exp() },
        derivatives: gradients::exponential,
        smooth: true,
        target: |n| f32::from(u8::from(n > 0.0)),
    },
    Case {
        name: "poisson",
        loss: |s, y| s.exp() - y * s,
        derivatives: gradients::poisson,
        smooth: true,
        target: |n| (4.0 * n).max(0.0).floor(),
    },
    Case {
        name: "absolute",
        loss: |s, y| (s - y).abs(),
        derivatives: gradients::absolute,
        smooth: false,
        target: |n| 3.0 * n,
    },
    Case {
        name: "quantile",
        loss: |s, y| (0.3 * (y - s)).max(0.7 * (s - y)),
        derivatives: |rows, places| gradients::quantile(rows, places, 0.3),
        smooth: false,
        target: |n| 3.0 * n,
    },
    Case {
        name: "huber",
        loss: |s, y| {
            let error = (s - y).abs();
            if error <= 0.8 { 0.5 * error * error } else { 0.8 * (error - 0.4) }
        },
        derivatives: |rows, places| gradients::huber(rows, places, 0.8),
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
                    let input = Rows { scores: &scores, targets: &targets, weights };
                    let largest = (case.derivatives)(input, Places { gradients: &mut g, hessians: &mut h });
                    (bits(&g), bits(&h), largest)
                };
                let (g, h, largest) = in_pools(run);
                let (g, h): (Vec<f32>, Vec<f32>) =
                    g.into_iter().zip(h).map(|(g, h)| (f32::from_bits(g), f32::from_bits(h))).unzip();
                assert_eq!(largest[0], g.iter().fold(0.0_f32, |most, g| most.max(g.abs())), "{}", case.name);
                assert_eq!(largest[1], h.iter().fold(0.0_f32, |most, h| most.max(*h)), "{}", case.name);
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
    let [below, at, above] = [s - step, s, s + step].map(|s| (case.loss)(s, y));
    // Where the slope turns within the step, the differences say nothing.
    if case.smooth || ((s - y).abs() > step && ((s - y).abs() - 0.8).abs() > step) {
        let slope = w * (above - below) / (2.0 * step);
        assert!((gradient - slope).abs() <= 4e-6 * w * (1.0 + slope.abs()), "{}: {gradient} {slope}", case.name);
    }
    let curvature = if case.smooth { w * (above - 2.0 * at + below) / (step * step) } else { w };
    assert!((hessian - curvature).abs() <= 4e-6 * w * (1.0 + curvature), "{}: {hessian} {curvature}", case.name);
}

#[test]
fn scores_beyond_all_bounds_have_finite_derivatives() {
    let scores = [-1e30_f32, -90.0, 90.0, 1e30, 0.0];
    for case in &CASES {
        for target in [0.0, 1.0] {
            let (mut g, mut h) = ([f32::NAN; 5], [f32::NAN; 5]);
            let rows = Rows { scores: &scores, targets: &[target; 5], weights: None };
            (case.derivatives)(rows, Places { gradients: &mut g, hessians: &mut h });
            assert!(g.iter().chain(&h).all(|value| value.is_finite()), "{}: {g:?} {h:?}", case.name);
            assert!(h.iter().all(|value| *value >= 0.0), "{}: {h:?}", case.name);
        }
    }
}

#[test]
fn scores_that_meet_their_targets_have_the_documented_slope() {
    let rows = || Rows { scores: &[2.0], targets: &[2.0], weights: None };
    let of = |derivatives: &dyn Fn(Rows<'_>, Places<'_>) -> [f32; 2]| {
        let (mut g, mut h) = ([9.0], [9.0]);
        derivatives(rows(), Places { gradients: &mut g, hessians: &mut h });
        (g[0], h[0])
    };
    assert_eq!(of(&gradients::absolute), (0.0, 1.0));
    assert_eq!(of(&|rows, places| gradients::quantile(rows, places, 0.25)), (-0.25, 1.0));
    assert_eq!(of(&|rows, places| gradients::huber(rows, places, 1.0)), (0.0, 1.0));
}
