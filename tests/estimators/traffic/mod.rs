//! What crosses the bus: rows that came from the host go up once and never come down.

mod trees;

use gristmill::device::Profile;
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
