use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use crate::support::{gpu, matrix, open_gpu};

#[test]
fn a_thousand_small_dispatches_take_a_handful_of_submits() {
    let device = open_gpu(DeviceOptions::default());
    let mut stream = device.stream();
    let mut x = matrix(16, 16, 61).to(&device).unwrap();
    stream.flush().unwrap();
    device.profile(true);
    for _ in 0..1000 {
        x = ops::transpose(&mut stream, &x).unwrap();
    }
    assert!(x.to_matrix(&mut stream).unwrap() == matrix(16, 16, 61));
    let profile = device.profile_report();
    assert_eq!(profile.kernels["linalg/transpose"].dispatches, 1000);
    assert!(profile.submits <= 5, "{} submits", profile.submits);
    assert_eq!(profile.readbacks, 1);
}

#[test]
fn a_profile_counts_what_ran() {
    let device = open_gpu(DeviceOptions::default());
    let x = matrix(100, 64, 62);
    device.profile(true);
    let mut stream = device.stream();
    let uploaded = x.to(&device).unwrap();
    let product = ops::gemm(&mut stream, Layout::NT, &uploaded, &uploaded).unwrap();
    product.to_matrix(&mut stream).unwrap();
    let profile = device.profile_report();
    assert_eq!((profile.uploads, profile.upload_bytes), (1, 4 * 100 * 64));
    assert_eq!((profile.readbacks, profile.readback_bytes), (1, 4 * 100 * 100));
    let (name, kernel) = profile.kernels.iter().next().unwrap();
    assert!(name.starts_with("linalg/gemm"), "{name}");
    assert_eq!((kernel.dispatches, kernel.operations), (1, 2 * 100 * 100 * 64));
    if device.info().timestamps {
        assert!(kernel.seconds.unwrap() > 0.0);
    }
    device.profile(false);
    assert_eq!(device.profile_report().submits, 0);
}

#[test]
fn work_recorded_on_another_stream_is_refused_until_it_is_submitted() {
    let device = gpu();
    let mut first = device.stream();
    let mut second = device.stream();
    let x = matrix(10, 4, 63).to(device).unwrap();
    let product = ops::gemm(&mut first, Layout::NT, &x, &x).unwrap();
    let refused = product.to_matrix(&mut second).unwrap_err();
    assert!(matches!(refused, Error::WrongDevice { .. }) && refused.to_string().contains("flush"), "{refused}");
    first.flush().unwrap();
    assert!(product.to_matrix(&mut second).is_ok());
}

#[test]
fn a_dropped_stream_has_submitted_its_work() {
    let device = gpu();
    let x = matrix(10, 4, 64).to(device).unwrap();
    let product = ops::gemm(&mut device.stream(), Layout::NT, &x, &x).unwrap();
    assert!(product.to_matrix(&mut device.stream()).is_ok());
}

#[test]
fn finishing_a_stream_proves_its_work() {
    for device in [&Device::Cpu, gpu()] {
        let mut stream = device.stream();
        let x = matrix(10, 4, 65).to(device).unwrap();
        ops::gemm(&mut stream, Layout::NT, &x, &x).unwrap();
        stream.finish().unwrap();
    }
}

#[test]
fn an_array_that_another_stream_has_yet_to_read_is_not_overwritten() {
    let device = gpu();
    let (mut first, mut second) = (device.stream(), device.stream());
    let x = matrix(10, 10, 66).to(device).unwrap();
    let mut shared = matrix(10, 10, 67).to(device).unwrap();
    let product = ops::gemm(&mut first, Layout::NT, &x, &shared).unwrap();
    let refused = ops::gemm_into(&mut second, Layout::NT, (1.0, &x), &x, (0.0, &mut shared)).unwrap_err();
    assert!(matches!(refused, Error::WrongDevice { .. }), "{refused}");
    first.flush().unwrap();
    assert!(ops::gemm_into(&mut second, Layout::NT, (1.0, &x), &x, (0.0, &mut shared)).is_ok());
    second.flush().unwrap();
    let alone = ops::gemm(&mut second, Layout::NT, &x, &matrix(10, 10, 67).to(device).unwrap()).unwrap();
    assert!(product.to_matrix(&mut second).unwrap() == alone.to_matrix(&mut second).unwrap());
}
