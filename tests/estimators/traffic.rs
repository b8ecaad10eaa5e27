//! What crosses the bus: rows that came from the host go up once and never come down.

use gristmill::device::Profile;
use gristmill::ops;
use gristmill::prelude::*;
use gristmill::preprocessing::{MinMaxScaler, RobustScaler, StandardScaler};

use crate::support::{matrix, open_gpu};

const ROWS: usize = 600;
const COLUMNS: usize = 64;
const X_BYTES: u64 = 4 * (ROWS * COLUMNS) as u64;

/// What `work` moves with rows that came from the host, and with rows that only the device has.
fn moved(work: impl Fn(&DeviceMatrix)) -> (Profile, Profile) {
    let device = open_gpu(DeviceOptions::default());
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
    let device = open_gpu(DeviceOptions::default());
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
    let device = open_gpu(DeviceOptions::default());
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
