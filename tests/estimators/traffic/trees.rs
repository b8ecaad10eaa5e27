//! What trees move: tables of nodes and their splits, and nothing as long as the rows.

use gristmill::device::Profile;
use gristmill::ensemble::{AdaBoostClassifier, AdaBoostRegressor, Growth, RegressionLoss};
use gristmill::prelude::*;

use crate::support::{gpu_with, matrix};

#[test]
fn nothing_as_long_as_the_rows_crosses_the_bus_for_a_boosted_tree() {
    let device = gpu_with(DeviceOptions::default());
    let (rows, depth) = (20_000, 5);
    let x = matrix(rows, 8, 83).to(&device).unwrap();
    let codes: Vec<u32> = matrix(rows, 1, 84).as_slice().iter().map(|value| u32::from(*value > 0.3)).collect();
    let y = Labels::from(&codes[..]);
    let boosting =
        GradientBoostingClassifier::default().growth(Growth::DepthWise).max_leaf_nodes(None).max_depth(depth);
    let fit = |trees: usize| {
        device.profile(true);
        boosting.clone().n_estimators(trees).fit(&x, &y).unwrap();
        device.profile_report()
    };
    let (few, more) = (fit(2), fit(6));
    let of_tree = |of: &dyn Fn(&Profile) -> u64| (of(&more) - of(&few)) as f64 / 4.0;
    let bytes = of_tree(&|profile| profile.upload_bytes + profile.readback_bytes);
    assert!(bytes < 40_000.0, "{bytes} bytes a tree, where {rows} rows are {} of f32", 4 * rows);
    let waits = of_tree(&|profile| profile.readbacks);
    // Two levels a wait, and one for what is known of the next round.
    assert!(waits <= (depth.div_ceil(2) + 1) as f64, "{waits} waits");
}

/// What a tree takes beyond the first ones of a fit.
fn of_tree(fit: impl Fn(usize), device: &Device) -> [f64; 2] {
    let [few, more] = [2, 12].map(|trees| {
        device.profile(true);
        fit(trees);
        device.profile_report()
    });
    let bytes = |profile: &Profile| profile.upload_bytes + profile.readback_bytes;
    [bytes(&more) - bytes(&few), more.readbacks - few.readbacks].map(|all| all as f64 / 10.0)
}

#[test]
fn samples_held_out_rows_and_medians_move_no_rows_either() {
    let device = gpu_with(DeviceOptions::default());
    let rows = 20_000;
    let x = matrix(rows, 8, 85);
    let target = |row: &[f32]| row[0] * row[1] + (3.0 * row[2]).sin() + 0.3 * row[3];
    let y: Vec<f32> = x.as_slice().chunks_exact(8).map(target).collect();
    let x = x.to(&device).unwrap();
    let boosting = GradientBoostingRegressor::default().growth(Growth::DepthWise).max_leaf_nodes(None).max_depth(5);
    let stopping = boosting.clone().n_iter_no_change(Some(20)).validation_fraction(0.1);
    for (name, boosting, more_bytes) in [
        ("sampled", boosting.clone().subsample(0.5), 0.0),
        // The loss of the rows that are held out is in f64: their scores come back.
        ("held out", stopping.clone(), 8_000.0),
        ("both", stopping.subsample(0.5), 8_000.0),
        ("medians", boosting.loss(RegressionLoss::AbsoluteError), 0.0),
    ] {
        let fit = |trees: usize| {
            boosting.clone().n_estimators(trees).fit(&x, &y).unwrap();
        };
        let [bytes, waits] = of_tree(fit, &device);
        assert!(bytes < 40_000.0 + more_bytes, "{name}: {bytes} bytes a tree of {rows} rows");
        assert!(waits <= 5.0, "{name}: {waits} waits");
    }
}

/// Rows that weigh differently, inner nodes' quantiles, Huber's δ and steps: 31 leaves, the best split first.
#[test]
fn refitted_leaves_move_no_rows() {
    let device = gpu_with(DeviceOptions::default());
    let rows = 40_000;
    let x = matrix(rows, 8, 86);
    let target = |row: &[f32]| row[0] * row[1] + (3.0 * row[2]).sin() + 0.3 * row[3];
    let y: Vec<f32> = x.as_slice().chunks_exact(8).map(target).collect();
    let weights: Vec<f32> = x.as_slice().chunks_exact(8).map(|row| row[7].abs() + 0.1).collect();
    let x = x.to(&device).unwrap();
    let directions = Some(vec![0, 0, 0, 1, 0, 0, 0, 0]);
    let of = |loss| GradientBoostingRegressor::default().loss(loss).alpha(0.8);
    for (name, boosting, is_weighted, most_waits) in [
        ("weighted medians", of(RegressionLoss::AbsoluteError), true, 7.5),
        ("weighted quantiles of a sample", of(RegressionLoss::Quantile).subsample(0.5), true, 7.5),
        ("huber", of(RegressionLoss::Huber), false, 7.5),
        ("weighted huber", of(RegressionLoss::Huber), true, 7.5),
        // The host settles splits with directions: a wait a level, for any loss.
        ("directed quantiles", of(RegressionLoss::Quantile).monotonic_cst(directions.clone()), false, 11.5),
        ("directed huber", of(RegressionLoss::Huber).monotonic_cst(directions), true, 11.5),
    ] {
        let fit = |trees: usize| {
            let options = if is_weighted { Fit::default().sample_weight(&weights) } else { Fit::default() };
            boosting.clone().n_estimators(trees).fit_with(&x, &y, options).unwrap();
        };
        let [bytes, waits] = of_tree(fit, &device);
        assert!(bytes < 100_000.0, "{name}: {bytes} bytes a tree, where {rows} rows are {} of f32", 4 * rows);
        assert!(waits <= most_waits, "{name}: {waits} waits");
    }
}

#[test]
fn a_tree_of_31_leaves_waits_a_handful_of_times() {
    let device = gpu_with(DeviceOptions::default());
    let x = matrix(20_000, 8, 85);
    let target = |row: &[f32]| row[0] * row[1] + (3.0 * row[2]).sin() + 0.3 * row[3];
    let y: Vec<f32> = x.as_slice().chunks_exact(8).map(target).collect();
    let x = x.to(&device).unwrap();
    let fit = |trees: usize| {
        GradientBoostingRegressor::default().max_leaf_nodes(Some(31)).n_estimators(trees).fit(&x, &y).unwrap();
    };
    let [_, waits] = of_tree(fit, &device);
    assert!(waits <= 6.0, "{waits} waits");
}

#[test]
fn the_trees_of_a_round_wait_at_once() {
    let device = gpu_with(DeviceOptions::default());
    let x = matrix(20_000, 8, 87);
    let class =
        |row: &[f32]| [-0.5, 0.0, 0.5].iter().filter(|cut| row[0] * row[1] + 0.3 * row[2] > **cut).count() as u32;
    let codes: Vec<u32> = x.as_slice().chunks_exact(8).map(class).collect();
    let (x, y) = (x.to(&device).unwrap(), Labels::from(&codes[..]));
    let fit = |rounds: usize| {
        GradientBoostingClassifier::default().n_estimators(rounds).fit(&x, &y).unwrap();
    };
    let [_, waits] = of_tree(fit, &device);
    assert!(waits <= 8.0, "{waits} waits for four trees");
}

/// What `fit` moves, both ways.
fn bytes_of(device: &Device, fit: impl Fn()) -> (Profile, u64) {
    device.profile(true);
    fit();
    let profile = device.profile_report();
    let bytes = profile.upload_bytes + profile.readback_bytes;
    (profile, bytes)
}

#[test]
fn nothing_as_long_as_the_rows_crosses_the_bus_for_a_tree_of_a_forest() {
    let device = gpu_with(DeviceOptions::default());
    let (rows, depth) = (20_000, 6);
    let x = matrix(rows, 12, 91).to(&device).unwrap();
    let numbers = matrix(rows, 1, 92);
    let codes: Vec<u32> = numbers.as_slice().iter().map(|value| u32::from(*value > 0.3)).collect();
    let (y, numbers) = (Labels::from(&codes[..]), numbers.as_slice());
    let grow = |kind: &str, trees: usize| match kind {
        "classes" => drop(RandomForestClassifier::new(trees).max_depth(depth).fit(&x, &y).unwrap()),
        "random" => drop(ExtraTreesClassifier::new(trees).max_depth(depth).bootstrap(true).fit(&x, &y).unwrap()),
        _ => drop(RandomForestRegressor::new(trees).max_depth(depth).fit(&x, numbers).unwrap()),
    };
    // Of a split 9 bytes come back at most, of one of numbers 14; of their leaves 20. A level waits once, but where nodes with histograms
    // and nodes without them have levels of their own; there is one more for nodes of more rows than are counted without.
    let depth_waits = depth as u64 + 1;
    let kinds = [("classes", 9, 0, depth_waits), ("random", 9, 0, depth_waits), ("numbers", 14, 20, 2 * depth_waits)];
    for (kind, of_split, of_leaf, waits) in kinds {
        let fit = |trees: usize| bytes_of(&device, || grow(kind, trees));
        let (few, more) = (fit(2), fit(6));
        let of_tree = (more.1 - few.1) as f64 / 4.0;
        // 63 nodes that are split at most; the rows of a sample alone are 50 kB.
        assert!(of_tree <= 63.0 * 400.0, "{kind}: {of_tree}");
        assert!(more.0.readbacks <= waits, "{kind}: {}", more.0.readbacks);
        let back = (more.0.readback_bytes - few.0.readback_bytes) as f64 / 4.0;
        // Large leaves are added up in pieces of 4,096 rows.
        let most = f64::from(63 * of_split + 64 * of_leaf) + (rows / 4096 * of_leaf as usize) as f64;
        assert!(back <= most, "{kind}: {back} bytes back a tree");
    }
}

#[test]
fn a_deep_level_of_a_forest_comes_back_in_six_bytes_a_node() {
    let device = gpu_with(DeviceOptions::default());
    let (rows, depth) = (8192, 10);
    let x = matrix(rows, 6, 95).to(&device).unwrap();
    let numbers = matrix(rows, 1, 96);
    let codes: Vec<u32> = numbers.as_slice().iter().map(|value| u32::from(*value > 0.0)).collect();
    let (y, numbers) = (Labels::from(&codes[..]), numbers.as_slice());
    let back = |fit: &dyn Fn(usize)| {
        let [few, more] = [1, 3].map(|trees| bytes_of(&device, || fit(trees)).0.readback_bytes);
        (more - few) as f64 / 2.0
    };
    let classes = back(&|trees| drop(RandomForestClassifier::new(trees).max_depth(depth).fit(&x, &y).unwrap()));
    let of_numbers = back(&|trees| drop(RandomForestRegressor::new(trees).max_depth(depth).fit(&x, numbers).unwrap()));
    // At most 1023 nodes are split: 19 bits of a rule, and four numbers that are no larger than the node's own.
    assert!(classes <= f64::from(1023 * 6), "{classes} bytes a tree of classes");
    // 13 bytes a split and the lesser of 20 bytes a leaf and 4 a row of the sample.
    assert!(of_numbers <= f64::from(1023 * 13) + 4.0 * 0.65 * rows as f64, "{of_numbers} bytes a tree of numbers");
}

#[test]
fn a_round_of_ada_boost_moves_the_weights_of_its_rows_and_no_more() {
    let device = gpu_with(DeviceOptions::default());
    let rows = 5000;
    let x = matrix(rows, 16, 93).to(&device).unwrap();
    let targets: Vec<f32> = matrix(rows, 2, 94).as_slice().chunks(2).map(|pair| pair[0] + 0.1 * pair[1]).collect();
    let codes: Vec<u32> = targets.iter().map(|value| u32::from(*value > 0.3)).collect();
    let y = Labels::from(&codes[..]);
    let classes = |rounds: usize| {
        bytes_of(&device, || drop(AdaBoostClassifier::default().n_estimators(rounds).fit(&x, &y).unwrap()))
    };
    let (few, more) = (classes(2), classes(4));
    assert!(more.0.kernels.contains_key("tree/forest/target_split"), "{:?}", more.0.kernels.keys());
    let of_round = (more.1 - few.1) / 2;
    // A class, a weight and a count of each row go up; of the stump its split comes back.
    assert!(of_round <= 12 * rows as u64 + 4096, "{of_round}");
    assert!(more.0.readbacks - few.0.readbacks <= 2, "{} and {}", few.0.readbacks, more.0.readbacks);
    let numbers = |rounds: usize| {
        bytes_of(&device, || drop(AdaBoostRegressor::default().n_estimators(rounds).fit(&x, &targets[..]).unwrap()))
    };
    let (few, more) = (numbers(2), numbers(4));
    let of_round = (more.1 - few.1) / 2;
    // How often each row is drawn goes up; sums of leaves come back.
    assert!(of_round <= 4 * rows as u64 + 16_384, "{of_round}");
}
