//! Boosted trees are the same bytes wherever they grow.

use gristmill::ensemble::{GradientBoostingClassifier, GradientBoostingRegressor, Growth, RegressionLoss};
use gristmill::prelude::*;

use crate::support::{baseline, gpu, gpu_with, numbers};

/// Columns of numbers, some missing, then `levels` columns of which one is 1: they share a column of bins.
pub fn table(rows: usize, columns: usize, levels: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let numbers = numbers(rows * (columns + 3), seed);
    let (mut x, mut y) = (vec![], vec![]);
    for row in numbers.chunks_exact(columns + 3) {
        let (values, others) = row.split_at(columns);
        let level = ((others[0] + 1.0) / 2.0 * levels as f32) as usize % levels;
        y.push(2.0 * values[0] + 3.0 * values[1] * values[2] + if level == 2 { 0.7 } else { 0.0 } + 0.5 * others[1]);
        let absent = |column: usize| column % 4 == 3 && values[column] * others[2] > 0.2;
        x.extend(values.iter().enumerate().map(|(at, value)| if absent(at) { f32::NAN } else { *value }));
        x.extend((0..levels).map(|own| if own == level { 1.0 } else { 0.0 }));
    }
    (Matrix::from_vec(rows, columns + levels, x).unwrap(), y)
}

pub fn classes(y: &[f32], cuts: &[f32]) -> Labels {
    let codes: Vec<u32> = y.iter().map(|y| cuts.iter().filter(|cut| y > cut).count() as u32).collect();
    Labels::from(codes.as_slice())
}

#[test]
fn every_seed_gives_the_same_bytes_on_every_device() {
    for seed in 0..6 {
        let (x, y) = table(1500 + 37 * seed as usize, 6, 5, seed);
        let y = classes(&y, &[0.0]);
        for growth in [Growth::LeafWise, Growth::DepthWise] {
            let boosting = GradientBoostingClassifier::default().n_estimators(4).growth(growth).seed(seed);
            let boosting = if seed % 3 == 1 { boosting.subsample(0.7).max_features(0.6) } else { boosting };
            let boosting =
                if seed % 3 == 2 { boosting.l1_regularization(0.3).l2_regularization(2.0) } else { boosting };
            let wanted = boosting.fit(&x, &y).unwrap().to_bytes().unwrap();
            for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                let model = boosting.fit(&x.to(device).unwrap(), &y).unwrap();
                assert!(model.to_bytes().unwrap() == wanted, "{name}: seed {seed}, {growth:?}");
            }
        }
    }
}

#[test]
fn several_classes_grow_together_and_numbers_too() {
    let (x, y) = table(2000, 5, 4, 20);
    let (labels, weights) =
        (classes(&y, &[-1.0, 1.0]), numbers(2000, 21).iter().map(|w| w.max(0.0)).collect::<Vec<f32>>());
    let classifier = GradientBoostingClassifier::default().n_estimators(3);
    let regressor = GradientBoostingRegressor::default().n_estimators(3);
    let options = || Fit::default().sample_weight(&weights);
    let wanted = classifier.fit_with(&x, &labels, options()).unwrap().to_bytes().unwrap();
    let wanted_numbers = regressor.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap();
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        let rows = x.to(device).unwrap();
        assert!(classifier.fit_with(&rows, &labels, options()).unwrap().to_bytes().unwrap() == wanted, "{name}");
        assert!(regressor.fit_with(&rows, &y, options()).unwrap().to_bytes().unwrap() == wanted_numbers, "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let (x, y) = table(6000, 12, 4, 22);
    let y = classes(&y, &[0.0]);
    let boosting = GradientBoostingClassifier::default().n_estimators(2);
    let wanted = boosting.fit(&x, &y).unwrap().to_bytes().unwrap();
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [2, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for (number, options) in split.into_iter().chain(tight).enumerate() {
        let device = gpu_with(options.mark_outputs(true));
        let model = boosting.fit(&x.to(&device).unwrap(), &y).unwrap();
        assert!(model.to_bytes().unwrap() == wanted, "options {number}");
    }
}

#[test]
fn a_step_takes_a_handful_of_read_backs() {
    let (x, y) = table(20_000, 12, 4, 23);
    let y = classes(&y, &[0.0]);
    let device = gpu_with(DeviceOptions::default());
    let rows = x.to(&device).unwrap();
    for (growth, steps) in [(Growth::LeafWise, 31), (Growth::DepthWise, 7)] {
        let boosting = GradientBoostingClassifier::default().n_estimators(3).growth(growth).max_leaf_nodes(31);
        device.profile(true);
        boosting.fit(&rows, &y).unwrap();
        // Two for each step at most, one for the order of each tree, one for the rows themselves.
        let readbacks = device.profile_report().readbacks;
        assert!(readbacks <= 3 * (2 * steps + 1) + 1, "{growth:?}: {readbacks}");
    }
}

#[test]
fn strange_tables_are_the_same_everywhere() {
    let constant = Matrix::from_vec(50, 2, vec![1.0; 100]).unwrap();
    let missing =
        Matrix::from_vec(50, 1, (0..50).map(|row| if row % 2 == 0 { f32::NAN } else { 3.0 }).collect()).unwrap();
    let y: Vec<f32> = (0..50).map(|row| (row % 2) as f32).collect();
    let boosting = GradientBoostingRegressor::default().n_estimators(2).min_samples_leaf(1);
    for x in [constant, missing] {
        let wanted = boosting.fit(&x, &y).unwrap().to_bytes().unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            assert!(boosting.fit(&x.to(device).unwrap(), &y).unwrap().to_bytes().unwrap() == wanted, "{name}");
        }
    }
}

/// Rows that are drawn anew, held out, or led through the trees stay on the device; the rounds end at the same one.
#[test]
fn samples_and_early_stopping_are_the_same_everywhere() {
    let (x, y) = table(3000, 6, 5, 40);
    let (more, other) = table(700, 6, 5, 41);
    let weights: Vec<f32> = numbers(3000, 42).iter().map(|w| (w + 0.7).max(0.0)).collect();
    for classes_of in [&[0.0][..], &[-1.0, 1.0]] {
        let (labels, others) = (classes(&y, classes_of), classes(&other, classes_of));
        for seed in 0..2 {
            let boosting = GradientBoostingClassifier::default().n_estimators(12).learning_rate(0.6).seed(seed);
            let stopping = boosting.clone().n_iter_no_change(Some(2)).validation_fraction(0.2);
            let kinds = [
                (boosting.clone().subsample(0.5), None, false),
                (boosting.subsample(0.001).min_samples_leaf(1), None, false),
                (stopping.clone(), None, false),
                (stopping.clone().subsample(0.7), Some(&weights), false),
                (stopping.subsample(0.6).max_features(0.5), None, true),
            ];
            for (number, (boosting, weights, watches)) in kinds.into_iter().enumerate() {
                let options = || {
                    let options = weights.map_or(Fit::default(), |weights| Fit::default().sample_weight(weights));
                    if watches { options.validation(&more, &others) } else { options }
                };
                let wanted = boosting.fit_with(&x, &labels, options()).unwrap().to_bytes().unwrap();
                for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                    let model = boosting.fit_with(&x.to(device).unwrap(), &labels, options()).unwrap();
                    assert!(model.to_bytes().unwrap() == wanted, "{name}: {classes_of:?}, {seed}, {number}");
                }
            }
        }
    }
}

#[test]
fn every_loss_is_the_same_everywhere() {
    let (x, y) = table(2500, 6, 5, 50);
    let (more, other) = table(600, 6, 5, 51);
    let weights: Vec<f32> = numbers(2500, 52).iter().map(|w| f32::from(u8::from(*w > -0.6)) * 2.0).collect();
    let positive = |y: &[f32]| y.iter().map(|y| y.abs()).collect::<Vec<f32>>();
    for loss in [
        RegressionLoss::SquaredError,
        RegressionLoss::AbsoluteError,
        RegressionLoss::Quantile,
        RegressionLoss::Huber,
        RegressionLoss::Poisson,
    ] {
        let regressor = GradientBoostingRegressor::default().loss(loss).alpha(0.8).n_estimators(6);
        let stopping = regressor.clone().n_iter_no_change(Some(3)).subsample(0.6);
        let (y, other) = (positive(&y), positive(&other));
        for (number, (regressor, weighs, watches)) in [
            (regressor.clone(), false, false),
            (regressor, true, false),
            (stopping.clone(), false, false),
            (stopping, true, true),
        ]
        .into_iter()
        .enumerate()
        {
            let options = || {
                let options = if weighs { Fit::default().sample_weight(&weights) } else { Fit::default() };
                if watches { options.validation(&more, &other) } else { options }
            };
            let wanted = regressor.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap();
            for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                let model = regressor.fit_with(&x.to(device).unwrap(), &y, options()).unwrap();
                assert!(model.to_bytes().unwrap() == wanted, "{name}: {loss:?}, {number}");
            }
        }
    }
}

/// Quantiles of rows that weigh differently, those of inner nodes, and Huber's δ and steps are found on the device.
#[test]
fn refitted_leaves_are_the_same_everywhere_by_any_weights_and_directions() {
    let (x, y) = table(2000, 4, 3, 60);
    let (more, other) = table(400, 4, 3, 61);
    let even: Vec<f32> = numbers(2000, 62).iter().map(|w| (w + 0.8).max(0.0)).collect();
    let steep: Vec<f32> = even.iter().enumerate().map(|(row, w)| if row == 7 { 1e6 } else { w * w * w }).collect();
    let directions = || Some(vec![1, 0, -1, 0, 0, 1, 0]);
    for (seed, loss) in [RegressionLoss::AbsoluteError, RegressionLoss::Quantile, RegressionLoss::Huber]
        .into_iter()
        .cycle()
        .take(6)
        .enumerate()
    {
        let plain = GradientBoostingRegressor::default().loss(loss).alpha(0.8).n_estimators(4).seed(seed as u64);
        let stopping = plain.clone().n_iter_no_change(Some(2)).subsample(0.6);
        let kinds = [
            (plain.clone().growth(Growth::DepthWise).monotonic_cst(directions()), None, false),
            (plain, Some(&steep), false),
            (stopping.clone(), Some(&even), false),
            (stopping.monotonic_cst(directions()), Some(&even), true),
        ];
        for (number, (boosting, weights, watches)) in kinds.into_iter().enumerate() {
            let options = || {
                let options = weights.map_or(Fit::default(), |weights| Fit::default().sample_weight(weights));
                if watches { options.validation(&more, &other) } else { options }
            };
            let wanted = boosting.fit_with(&x, &y, options()).unwrap().to_bytes().unwrap();
            for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
                let model = boosting.fit_with(&x.to(device).unwrap(), &y, options()).unwrap();
                assert!(model.to_bytes().unwrap() == wanted, "{name}: {loss:?}, {seed}, {number}");
            }
        }
    }
}

/// An own δ and an own tree for each output; little memory, chunks of rows and samples of next to none do not show.
#[test]
fn hubers_loss_of_several_targets_is_the_same_everywhere() {
    let (x, y) = table(1500, 4, 3, 70);
    let both = Matrix::from_vec(1500, 2, y.iter().flat_map(|y| [*y, 100.0 - 7.0 * y * y]).collect()).unwrap();
    let weights: Vec<f32> = numbers(1500, 71).iter().map(|w| w.abs() + 0.01).collect();
    let boosting = GradientBoostingRegressor::default().loss(RegressionLoss::Huber).alpha(0.7).n_estimators(3);
    let options = || Fit::default().sample_weight(&weights);
    let split = gpu_with(DeviceOptions::default().chunk_rows(64).mark_outputs(true));
    let tight = gpu_with(DeviceOptions::default().memory_budget(2 << 20));
    for (number, boosting) in [boosting.clone(), boosting.subsample(0.002).min_samples_leaf(1)].into_iter().enumerate()
    {
        let wanted = boosting.fit_with(&x, &both, options()).unwrap().to_bytes().unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline()), ("split", &split), ("tight", &tight)] {
            let model = boosting.fit_with(&x.to(device).unwrap(), &both, options()).unwrap();
            assert!(model.to_bytes().unwrap() == wanted, "{name}: {number}");
        }
    }
}
