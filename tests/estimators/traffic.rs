//! What crosses the bus: rows that came from the host go up once and never come down.

use gristmill::device::Profile;
use gristmill::ensemble::{AdaBoostClassifier, AdaBoostRegressor, Growth, RegressionLoss};
use gristmill::ops;
use gristmill::prelude::*;
use gristmill::preprocessing::{MinMaxScaler, RobustScaler, StandardScaler};

use crate::support::{gpu_with, matrix};

const ROWS: usize = 600;
const COLUMNS: usize = 64;
const X_BYTES: u64 = 4 * (ROWS * COLUMNS) as u64;

/// What `work` moves with rows that came from the host, and with rows that only the device has.
fn moved(work: impl Fn(&DeviceMatrix)) -> (Profile, Profile) {
    let device = gpu_with(DeviceOptions::default());
    let x = matrix(ROWS, COLUMNS, 81);
    let profiled = |rows: &dyn Fn() -> DeviceMatrix| {
        device.profile(true);
        let rows = rows();
        work(&rows);
        device.profile_report()
    };
    let from_host = profiled(&|| x.to(&device).unwrap());
    let lines = (0..COLUMNS).map(|_| (0.0, 1.0, 0.0)).collect();
    let of_device = profiled(&|| {
        let mut stream = device.stream();
        ops::affine(&mut stream, &x.to(&device).unwrap(), &lines).unwrap()
    });
    (from_host, of_device)
}

fn labels() -> Labels {
    let codes: Vec<u32> = matrix(ROWS, 1, 82).as_slice().iter().map(|value| u32::from(*value > 0.0)).collect();
    Labels::from(&codes[..])
}

#[test]
fn boosting_takes_its_rows_from_the_host_they_came_from() {
    let y = labels();
    let fit = |x: &DeviceMatrix| {
        GradientBoostingClassifier::default().n_estimators(3).fit(x, &y).unwrap();
    };
    let (from_host, of_device) = moved(fit);
    assert_eq!((from_host.matrix_uploads, from_host.matrix_readbacks), (1, 0));
    // Rows that only the device has come down once; nothing else differs.
    assert_eq!(of_device.matrix_readbacks, 1);
    assert_eq!(of_device.readback_bytes - from_host.readback_bytes, X_BYTES);
}

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

#[test]
fn neighbours_are_fitted_and_asked_where_the_rows_are() {
    let y = labels();
    let fit = |x: &DeviceMatrix| {
        let model = KNeighborsClassifier::new(5).fit(x, &y).unwrap();
        model.predict(x).unwrap();
    };
    let (from_host, of_device) = moved(fit);
    assert_eq!(from_host.matrix_uploads, 1);
    assert!(from_host.upload_bytes < X_BYTES + 1024, "{}", from_host.upload_bytes);
    // Five indices and distances a row, the distances padded to eight; neither kind of rows comes down.
    for profile in [from_host, of_device] {
        assert_eq!(profile.readback_bytes, 4 * (5 + 8) * ROWS as u64);
    }
}

#[test]
fn outliers_are_found_with_rows_that_went_up_once() {
    let fit = |x: &DeviceMatrix| {
        LocalOutlierFactor::default().n_neighbors(5).fit(x).unwrap();
    };
    let (from_host, of_device) = moved(fit);
    assert_eq!(from_host.matrix_uploads, 1);
    assert!(from_host.upload_bytes < X_BYTES + 1024, "{}", from_host.upload_bytes);
    for profile in [from_host, of_device] {
        assert_eq!(profile.readback_bytes, 4 * (6 + 8) * ROWS as u64);
    }
}

#[test]
fn a_neighbour_model_of_rows_that_only_the_device_has_can_be_saved() {
    let device = gpu_with(DeviceOptions::default());
    let mut stream = device.stream();
    let x = matrix(ROWS, COLUMNS, 81);
    let lines = (0..COLUMNS).map(|_| (0.0, 1.0, 0.0)).collect();
    let moved = ops::affine(&mut stream, &x.to(&device).unwrap(), &lines).unwrap();
    stream.flush().unwrap();
    let (there, here) = (NearestNeighbors::new(3).fit(&moved).unwrap(), NearestNeighbors::new(3).fit(&x).unwrap());
    assert!(there.rows().unwrap() == here.rows().unwrap());
    // And searched on another device.
    assert_eq!(there.kneighbors(&x).unwrap(), here.kneighbors(&x).unwrap());
}

#[test]
fn scalers_work_where_the_rows_are() {
    let device = gpu_with(DeviceOptions::default());
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("c{column}")).collect();
    let mut x = matrix(ROWS, COLUMNS, 83).with_names(names).unwrap();
    x.as_mut_slice()[5] = f32::NAN;
    let there = x.to(&device).unwrap();
    let standard = StandardScaler::default().fit(&x).unwrap();
    let min_max = MinMaxScaler::default().fit(&x).unwrap();
    let robust = RobustScaler::default().fit(&x).unwrap();
    device.profile(true);
    let scaled =
        [standard.transform(&there).unwrap(), min_max.transform(&there).unwrap(), robust.transform(&there).unwrap()];
    let profile = device.profile_report();
    assert_eq!((profile.matrix_uploads, profile.readbacks), (0, 0));
    let wanted = [standard.transform(&x).unwrap(), min_max.transform(&x).unwrap(), robust.transform(&x).unwrap()];
    for (scaled, wanted) in scaled.iter().zip(&wanted) {
        let found = scaled.to_matrix(&mut device.stream()).unwrap();
        assert_eq!(found.names(), x.names());
        for (found, wanted) in found.as_slice().iter().zip(wanted.as_slice()) {
            assert!(found.is_nan() && wanted.is_nan() || (found - wanted).abs() <= 1e-6, "{found} for {wanted}");
        }
    }
}

/// Lanes of a workgroup, as the shaders say, for k centres.
fn lanes(kernel: &str, k: usize) -> u64 {
    match kernel {
        "cluster/centroid_sum__merge" | "cluster/assign__centers" => 64,
        "cluster/assign" | "cluster/assign__product" if k <= 64 => 128,
        _ => 256,
    }
}

#[test]
fn k_means_keeps_a_card_busy_and_waits_once_for_eight_iterations() {
    const MILLION: f64 = 1e6;
    // Busy lanes grow with the rows, so that fewer of them show what a million would do.
    for (k, rows) in [(8, 300), (64, 20_000), (1024, 20_000)] {
        let device = gpu_with(DeviceOptions::default());
        let x = matrix(rows, 32, 84).to(&device).unwrap();
        let start = Matrix::from_slice(k, 32, &matrix(rows, 32, 84).as_slice()[..k * 32]).unwrap();
        device.profile(true);
        let fit = |max_iter| {
            let model = KMeans::new(k).init(Init::Centers(start.clone())).max_iter(max_iter).tol(0.0);
            let before = device.profile_report().readbacks;
            model.fit(&x).unwrap();
            device.profile_report().readbacks - before
        };
        // The first look is after one iteration; labels, distances and centres come back in the end. Then there are eight
        // iterations or more between two looks, unless a single one takes long, as with many rows on a software driver.
        let few = fit(1);
        if k == 8 {
            let more = fit(9);
            assert!(more <= few + 1, "{few} and {more}");
        }
        let profile = device.profile_report();
        let per_rows =
            ["cluster/assign__product", "cluster/assign", "cluster/centroid_sum", "cluster/centroid_sum__order"];
        for kernel in per_rows {
            let counts = &profile.kernels[kernel];
            let busy = (counts.workgroups * lanes(kernel, k) / counts.dispatches) as f64 * MILLION / rows as f64;
            assert!(busy >= 16_384.0, "{kernel}, k = {k}: {busy} lanes for a million rows");
        }
    }
}

#[test]
fn k_means_plus_plus_reads_its_centres_and_no_more() {
    let device = gpu_with(DeviceOptions::default());
    let x = matrix(6000, 4, 85).to(&device).unwrap();
    for centers in [100, 1024] {
        device.profile(true);
        ops::plus_plus(&mut device.stream(), &x, None, centers, (1, 0)).unwrap();
        let profile = device.profile_report();
        assert_eq!((profile.readbacks, profile.matrix_uploads), (1, 0));
        assert_eq!(profile.kernels["cluster/plus_plus"].dispatches, centers as u64);
    }
}

#[test]
fn ridge_waits_four_times_whatever_the_rows() {
    let device = gpu_with(DeviceOptions::default());
    // Three groups of 65,536 rows.
    let x = matrix(150_000, 4, 86);
    let y: Vec<f32> = (0..x.rows()).map(|row| x.get(row, 0) - 2.0 * x.get(row, 3)).collect();
    device.profile(true);
    Ridge::default().fit(&x.to(&device).unwrap(), &y).unwrap();
    let profile = device.profile_report();
    assert!(profile.readbacks <= 4, "{profile:?}");
    assert_eq!((profile.matrix_uploads, profile.upload_bytes / (16 * x.rows() as u64)), (1, 1));
    assert!(profile.readback_bytes < 1 << 20, "{}", profile.readback_bytes);
}

#[test]
fn mini_batches_leave_the_centres_on_the_device() {
    let device = gpu_with(DeviceOptions::default());
    let x = matrix(4000, 8, 87).to(&device).unwrap();
    let fit = |steps: usize| {
        device.profile(true);
        let params = MiniBatchKMeans::new(5).batch_size(400).max_iter(steps).max_no_improvement(None);
        params.reassignment_ratio(0.0).fit(&x).unwrap();
        device.profile_report()
    };
    let (few, more) = (fit(1), fit(2));
    // Ten more batches: no matrix goes up, none comes down, and a look is for up to eight of them.
    assert_eq!((few.matrix_uploads, few.matrix_readbacks), (more.matrix_uploads, more.matrix_readbacks));
    assert!(more.readbacks - few.readbacks <= 2, "{} and {}", few.readbacks, more.readbacks);
    assert!(more.readback_bytes - few.readback_bytes <= 10 * 64, "{}", more.readback_bytes - few.readback_bytes);
}

#[test]
fn centres_that_are_moved_about_come_out_as_if_every_batch_were_looked_at() {
    // Six of ten centres begin far from all rows, so that batches behind a reassignment were made in vain.
    let x = matrix(3000, 6, 88);
    let mut start = Matrix::from_slice(10, 6, &x.as_slice()[..60]).unwrap();
    start.as_mut_slice()[24..].iter_mut().for_each(|value| *value += 50.0);
    let params =
        MiniBatchKMeans::new(10).init(Init::Centers(start)).batch_size(100).max_iter(2).reassignment_ratio(0.3);
    let device = gpu_with(DeviceOptions::default());
    let (here, there) = (params.fit(&x).unwrap(), params.fit(&x.to(&device).unwrap()).unwrap());
    assert_eq!((here.iterations(), here.converged()), (there.iterations(), there.converged()));
    for (here, there) in here.cluster_centers().as_slice().iter().zip(there.cluster_centers().as_slice()) {
        assert!((here - there).abs() <= 1e-3, "{here} and {there}");
    }
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
    // Of a split 12 bytes come back, of one of numbers 16, or 20 of a large node; of their leaves 20.
    for (kind, of_split, of_leaf, more_waits) in [("classes", 12, 0, 0), ("random", 12, 0, 0), ("numbers", 16, 20, 1)] {
        let fit = |trees: usize| bytes_of(&device, || grow(kind, trees));
        let (few, more) = (fit(2), fit(6));
        let of_tree = (more.1 - few.1) as f64 / 4.0;
        // 63 nodes that are split at most; the rows of a sample alone are 50 kB.
        assert!(of_tree <= 63.0 * 400.0, "{kind}: {of_tree}");
        assert!(more.0.readbacks <= 1 + 2 * depth as u64 + more_waits, "{kind}: {}", more.0.readbacks);
        let back = (more.0.readback_bytes - few.0.readback_bytes) as f64 / 4.0;
        // Large leaves are added up in pieces of 4,096 rows.
        let most = f64::from(63 * of_split + 64 * of_leaf) + (rows / 4096 * of_leaf as usize) as f64;
        assert!(back <= most, "{kind}: {back} bytes back a tree");
    }
}

#[test]
fn a_deep_level_of_a_forest_comes_back_in_eight_bytes_a_node() {
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
    // At most 1023 nodes are split; 63 of them may have 256 rows and more, and take 12 bytes.
    assert!(classes <= f64::from(1023 * 8 + 63 * 4), "{classes} bytes a tree of classes");
    // 16 bytes a split and the lesser of 20 bytes a leaf and 4 a row of the sample.
    assert!(of_numbers <= f64::from(1023 * 16) + 4.0 * 0.65 * rows as f64, "{of_numbers} bytes a tree of numbers");
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
