use gristmill::cpu::tree::gradients::{Derivatives, LossRows, RowLoss, gradients, softmax_gradients};
use gristmill::ops::tree::BoostingRows;
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::prelude::*;

use crate::support::{baseline, bits, gpu, numbers};

const LOSSES: [RowLoss; 6] = [
    RowLoss::Squared,
    RowLoss::Slopes { above: 0.7, below: 0.3, at: -0.3 },
    RowLoss::Huber { delta: 0.4 },
    RowLoss::Poisson,
    RowLoss::Logistic,
    RowLoss::Exponential,
];

/// Scores of all sizes, with what is hardest at the beginning.
fn scores(rows: usize, seed: u64) -> Vec<f32> {
    let edges = [0.0, -0.0, 1e-30, -1e-8, 55.5, -55.5, 87.0, -200.0, 1e30, -1e30, 1e-45];
    let mut scores: Vec<f32> = numbers(rows, seed).iter().map(|number| 12.0 * number * number.abs()).collect();
    scores.iter_mut().zip(edges).for_each(|(score, edge)| *score = edge);
    scores
}

fn targets(rows: usize, loss: RowLoss) -> Vec<f32> {
    let of_classes = matches!(loss, RowLoss::Logistic | RowLoss::Exponential);
    let numbers = numbers(rows, 8).into_iter();
    numbers.map(|number| if of_classes { f32::from(u8::from(number > 0.2)) } else { 3.0 * number.abs() }).collect()
}

/// What the CPU has: gradients, Hessians, the largest of each.
fn twin(loss: RowLoss, rows: LossRows<'_>) -> (Vec<f32>, Vec<f32>, [f32; 2]) {
    let (mut g, mut h) = (vec![0.0; rows.scores.len()], vec![0.0; rows.scores.len()]);
    let largest = gradients(loss, rows, Derivatives { gradients: &mut g, hessians: &mut h });
    (g, h, largest)
}

#[test]
fn every_loss_has_the_bits_of_the_cpu_at_edge_sizes() {
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        for rows in [1, 2, 63, 64, 65, 255, 256, 257, 1000, 70_000] {
            let weights: Vec<f32> = (0..rows).map(|row| (row % 4) as f32 * 0.3).collect();
            let columns: Vec<Vec<f32>> = LOSSES.iter().map(|loss| targets(rows, *loss)).collect();
            let all: Vec<Vec<f32>> = (0..).zip(&LOSSES).map(|(seed, _)| scores(rows, seed)).collect();
            let order: Vec<u32> = (0..rows as u32).collect();
            for weights in [None, Some(&weights[..])] {
                let mut stream = device.stream();
                let columns_on = TargetColumns::Numbers(&columns);
                let on = BoostingRows::new(&mut stream, columns_on, weights, &all, &order).unwrap();
                let mut on = on.unwrap();
                on.gradients(&mut stream, &LOSSES).unwrap();
                for (output, loss) in LOSSES.into_iter().enumerate() {
                    let input = LossRows { scores: &all[output], targets: &columns[output], weights };
                    let (g, h, _) = twin(loss, input);
                    let [found, curved] = on.read_gradients(&mut stream, output).unwrap();
                    assert_eq!(bits(&found), bits(&g), "{name}: gradients of {loss:?}, {rows} rows");
                    assert_eq!(bits(&curved), bits(&h), "{name}: Hessians of {loss:?}, {rows} rows");
                }
            }
        }
    }
}

#[test]
fn classes_have_the_bits_of_the_cpu_and_the_softmax_of_f64() {
    for count in [2, 3, 7, 70] {
        let rows = 1000;
        let all: Vec<Vec<f32>> = (0..count).map(|class| scores(rows, 20 + class as u64)).collect();
        let classes: Vec<u32> = (0..rows).map(|row| (row * 31 % count) as u32).collect();
        let weights: Vec<f32> = (0..rows).map(|row| (row % 3) as f32 * 0.7).collect();
        let order: Vec<u32> = (0..rows as u32).collect();
        let (mut g, mut h) = (vec![vec![0.0; rows]; count], vec![vec![0.0; rows]; count]);
        let places = g.iter_mut().zip(&mut h);
        let places = places.map(|(gradients, hessians)| Derivatives { gradients, hessians }).collect();
        let slices: Vec<&[f32]> = all.iter().map(Vec::as_slice).collect();
        softmax_gradients(&slices, &classes, Some(&weights), places);
        for row in 11..rows {
            let highest = all.iter().map(|scores| f64::from(scores[row])).fold(f64::NEG_INFINITY, f64::max);
            let power = |class: usize| (f64::from(all[class][row]) - highest).exp();
            let sum: f64 = (0..count).map(power).sum();
            for class in 0..count {
                let (p, weight) = (power(class) / sum, f64::from(weights[row]));
                let want = weight * (p - f64::from(u8::from(classes[row] as usize == class)));
                let curved = weight * p * (1.0 - p) * count as f64 / (count as f64 - 1.0);
                assert!((f64::from(g[class][row]) - want).abs() < 2e-6, "{count}: {} {want}", g[class][row]);
                assert!((f64::from(h[class][row]) - curved).abs() < 2e-6, "{count}: {} {curved}", h[class][row]);
            }
        }
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let mut stream = device.stream();
            let columns = TargetColumns::Classes(&classes);
            let mut on = BoostingRows::new(&mut stream, columns, Some(&weights), &all, &order).unwrap().unwrap();
            on.gradients(&mut stream, &[]).unwrap();
            for class in 0..count {
                let [found, curved] = on.read_gradients(&mut stream, class).unwrap();
                assert_eq!(bits(&found), bits(&g[class]), "{name}: {count} classes, {class}");
                assert_eq!(bits(&curved), bits(&h[class]), "{name}: {count} classes, {class}");
            }
        }
    }
}

#[test]
fn probabilities_are_those_of_f64() {
    let all: Vec<f32> = (-3000..3000).map(|step| step as f32 / 100.0).collect();
    for (target, sign) in [(0.0, 1.0), (1.0, -1.0)] {
        let targets = vec![target; all.len()];
        let (g, h, _) = twin(RowLoss::Logistic, LossRows { scores: &all, targets: &targets, weights: None });
        for ((score, g), h) in all.iter().zip(g).zip(h) {
            let p = 1.0 / (1.0 + (-sign * f64::from(*score)).exp());
            let curved = p * (1.0 / (1.0 + (sign * f64::from(*score)).exp()));
            assert!((f64::from(g) - sign * p).abs() <= 1e-6 * p, "{score}: {g} {p}");
            assert!((f64::from(h) - curved).abs() <= 1e-6 * curved, "{score}: {h} {curved}");
        }
    }
}

#[test]
fn rows_of_the_cpu_stay_where_they_are() {
    let columns = [vec![1.0]];
    let mut stream = Device::Cpu.stream();
    assert!(
        BoostingRows::new(&mut stream, TargetColumns::Numbers(&columns), None, &[vec![0.0]], &[0]).unwrap().is_none()
    );
}
