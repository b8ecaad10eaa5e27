use gristmill::ops::neural::loss::sums_of;
use gristmill::ops::neural::*;
use gristmill::prelude::*;

use crate::support::{devices, numbers};

/// Loss and slopes by central differences of a row's loss in f64.
fn row_loss(loss: OutputLoss, activation: Activation, sums: &[f64], wanted: &[f64]) -> f64 {
    let highest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = sums.iter().map(|sum| (sum - highest).exp()).sum();
    let one = |(sum, t): (&f64, &f64)| {
        let value = match activation {
            Activation::Softmax => (sum - highest).exp() / total,
            Activation::Logistic => 1.0 / (1.0 + (-sum).exp()),
            Activation::Tanh => sum.tanh(),
            _ => *sum,
        };
        let error = (value - t).abs();
        match loss {
            OutputLoss::Squared => 0.5 * error * error,
            OutputLoss::Absolute => error,
            OutputLoss::Huber { delta } if error > f64::from(delta) => {
                f64::from(delta) * (error - 0.5 * f64::from(delta))
            }
            OutputLoss::Huber { .. } => 0.5 * error * error,
            OutputLoss::Gaussian => unreachable!("its gradient is held against differences"),
            OutputLoss::BinaryCrossEntropy => sum.max(0.0) - sum * t + (-sum.abs()).exp().ln_1p(),
            OutputLoss::CategoricalCrossEntropy => t * (total.ln() + highest - sum),
        }
    };
    sums.iter().zip(wanted).map(one).sum()
}

#[test]
fn losses_slopes_and_scores_are_those_of_the_formula() {
    use Activation::{Identity, Logistic, Softmax, Tanh};
    use OutputLoss::{Absolute, BinaryCrossEntropy, CategoricalCrossEntropy, Huber, Squared};
    let cases = [
        (Squared, Identity, false),
        (Squared, Softmax, true),
        (Absolute, Tanh, false),
        (Huber { delta: 0.5 }, Identity, false),
        (BinaryCrossEntropy, Logistic, false),
        (CategoricalCrossEntropy, Softmax, true),
        (CategoricalCrossEntropy, Softmax, false),
    ];
    for (loss, activation, classes) in cases {
        for (rows, outputs, weighted) in [(1, 2, false), (17, 3, true), (65, 10, false), (9, 70, true), (3, 1100, true)]
        {
            check(loss, activation, classes, (rows, outputs, weighted));
        }
    }
}

fn check(loss: OutputLoss, activation: Activation, classes: bool, (rows, outputs, weighted): (usize, usize, bool)) {
    let stride = outputs.next_multiple_of(4);
    let own = if classes { 1 } else { outputs };
    let columns = own + usize::from(weighted);
    let layout = TargetLayout { classes, weight: weighted.then_some(own), columns };
    let mut sums = numbers(rows * stride, 4);
    sums.iter_mut().for_each(|value| *value *= 3.0);
    let raw = numbers(rows * layout.stride(), 5);
    let mut targets = raw.clone();
    for (row, target) in targets.chunks_mut(layout.stride()).enumerate() {
        if classes {
            target[0] = (row * 7 % outputs) as f32;
        } else if matches!(loss, OutputLoss::BinaryCrossEntropy | OutputLoss::CategoricalCrossEntropy) {
            target[..own].iter_mut().for_each(|value| *value = f32::from(u8::from(*value > 0.0)));
        }
        if weighted {
            target[own] = 0.5 + (row % 3) as f32;
        }
    }
    let shape = LossShape { rows, outputs, activation, loss, targets: layout, scale: 0.25 };
    for (name, device) in devices() {
        let mut stream = device.stream();
        let mut values = DeviceVec::from_slice(&sums, device).unwrap();
        let aims = DeviceVec::from_slice(&targets, device).unwrap();
        let mut slopes = zeros(&mut stream, rows * stride).unwrap();
        let groups = sums_of(rows, outputs);
        let mut told = zeros(&mut stream, 2 * (groups + 1)).unwrap();
        output_loss(&mut stream, &mut values, &aims, shape, &mut slopes, (&mut told, 1)).unwrap();
        let (slopes, told) = (slopes.to_vec(&mut stream).unwrap(), told.to_vec(&mut stream).unwrap());
        let mut total = 0.0;
        for row in 0..rows {
            let at: Vec<f64> = sums[row * stride..][..outputs].iter().copied().map(f64::from).collect();
            let target = &targets[row * layout.stride()..][..columns];
            let of = |column: usize| {
                if classes { f64::from(u8::from(target[0] as usize == column)) } else { f64::from(target[column]) }
            };
            let wanted: Vec<f64> = (0..outputs).map(of).collect();
            let weight = if weighted { f64::from(target[own]) } else { 1.0 };
            total += weight * row_loss(loss, activation, &at, &wanted);
            for column in (0..outputs).step_by(outputs / 40 + 1) {
                let moved = |by: f64| {
                    let mut at = at.clone();
                    at[column] += by;
                    row_loss(loss, activation, &at, &wanted)
                };
                let slope = 0.25 * weight * (moved(1e-6) - moved(-1e-6)) / 2e-6;
                let found = f64::from(slopes[row * stride + column]);
                let bound = 2e-5 * (1.0 + slope.abs()) * (1.0 + wanted.iter().sum::<f64>().abs());
                assert!((found - slope).abs() < bound, "{name} {loss:?} {activation:?} {outputs}: {found} for {slope}");
            }
        }
        let found: f64 = told[2..].chunks(2).map(|pair| f64::from(pair[0])).sum();
        assert!((found - total).abs() < 1e-4 * (1.0 + total.abs()), "{name} {loss:?} {outputs}: {found} for {total}");
    }
}

#[test]
fn the_last_activation_alone_gives_probabilities() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let mut values = DeviceVec::from_slice(&numbers(5 * 4, 1), device).unwrap();
        let mut unused = [(); 3].map(|()| zeros(&mut stream, 4).unwrap());
        let unused = unused.each_mut();
        activate_outputs(&mut stream, &mut values, 5, 3, Activation::Softmax, unused).unwrap();
        for row in values.to_vec(&mut stream).unwrap().chunks(4) {
            assert!((row[..3].iter().sum::<f32>() - 1.0).abs() < 1e-5, "{name}");
        }
    }
}
