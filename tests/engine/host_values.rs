//! A matrix that came from the host goes on sharing its values; what is written on the device is read from there.

use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use crate::support::{bits, devices, matrix, open_gpu};

#[test]
fn an_uploaded_matrix_is_on_the_host_without_a_copy() {
    let device = open_gpu(DeviceOptions::default());
    let x = matrix(300, 7, 71);
    device.profile(true);
    let uploaded = x.to(&device).unwrap();
    let back = uploaded.to_matrix(&mut device.stream()).unwrap();
    assert!(std::ptr::eq(back.as_slice(), x.as_slice()) && back == x);
    let profile = device.profile_report();
    assert_eq!((profile.matrix_uploads, profile.uploads, profile.upload_bytes), (1, 1, 4 * 300 * 8));
    assert_eq!((profile.matrix_readbacks, profile.readback_bytes), (0, 0));
    // A clone shares the rows on the device too.
    assert!(std::ptr::eq(uploaded.clone().to_matrix(&mut device.stream()).unwrap().as_slice(), x.as_slice()));
    assert_eq!(device.profile_report().matrix_uploads, 1);
    assert!(uploaded.read_back(&mut device.stream()).unwrap() == x);
    let profile = device.profile_report();
    assert_eq!((profile.matrix_readbacks, profile.readback_bytes), (1, 4 * 300 * 8));
}

#[test]
fn names_and_missing_values_stay_with_it() {
    for (name, device) in devices() {
        let mut x = matrix(5, 2, 72);
        x.as_mut_slice()[3] = f32::NAN;
        let x = x.with_names(["a", "b"]).unwrap();
        let uploaded = x.to(device).unwrap();
        for back in [uploaded.to_matrix(&mut device.stream()), uploaded.read_back(&mut device.stream())] {
            let back = back.unwrap();
            assert!(back == x && back.names() == x.names(), "{name}");
        }
    }
}

#[test]
fn what_an_op_wrote_is_what_comes_back() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let (start, ones) = (matrix(4, 4, 73), Matrix::from_vec(4, 4, vec![1.0; 16]).unwrap());
        let a = ones.to(device).unwrap();
        let mut c = start.to(device).unwrap();
        ops::gemm_into(&mut stream, Layout::NT, (1.0, &a), &a, (0.0, &mut c)).unwrap();
        assert_eq!(c.to_matrix(&mut stream).unwrap().as_slice(), [4.0; 16], "{name}");
        assert!(start == matrix(4, 4, 73), "{name}: the host's matrix is as it was");
        let mut centers = matrix(2, 3, 74).to(device).unwrap();
        let sums = Matrix::from_vec(2, 3, vec![2.0; 6]).unwrap().to(device).unwrap();
        let counts = DeviceVec::from_slice(&[2.0, 0.0], device).unwrap();
        ops::center_shift(&mut stream, &mut centers, &sums, &counts).unwrap();
        let moved = centers.to_matrix(&mut stream).unwrap();
        assert_eq!(moved.row(1), matrix(2, 3, 74).row(1), "{name}");
        assert!((moved.get(0, 0) - matrix(2, 3, 74).get(0, 0) - 1.0).abs() < 1e-6, "{name}");
    }
}

#[test]
fn a_clone_keeps_its_rows_when_the_other_is_written() {
    let split = open_gpu(DeviceOptions::default().chunk_rows(3).mark_outputs(true));
    let tight = open_gpu(DeviceOptions::default().memory_budget(1 << 20));
    let more = [("chunks", &split), ("on the host", &tight)];
    for (name, device) in devices().into_iter().chain(more) {
        let rows = if name == "on the host" { 300 } else { 10 };
        let mut stream = device.stream();
        let (start, other) = (matrix(rows, rows, 75), matrix(rows, rows, 76).to(device).unwrap());
        let mut c = start.to(device).unwrap();
        let kept = c.clone();
        ops::gemm_into(&mut stream, Layout::NN, (1.0, &other), &other, (1.0, &mut c)).unwrap();
        assert!(kept.read_back(&mut stream).unwrap() == start, "{name}");
        let written = c.to_matrix(&mut stream).unwrap();
        assert!(written != start, "{name}");
        // Once more, now that the rows are its own.
        let alone = bits(written.as_slice());
        ops::gemm_into(&mut stream, Layout::NN, (0.0, &other), &other, (1.0, &mut c)).unwrap();
        assert_eq!(bits(c.to_matrix(&mut stream).unwrap().as_slice()), alone, "{name}");
    }
}

#[test]
fn changing_the_host_matrix_does_not_change_the_uploaded_one() {
    for (name, device) in devices() {
        let mut x = matrix(6, 5, 77);
        let uploaded = x.to(device).unwrap();
        x.as_mut_slice().fill(9.0);
        assert!(uploaded.to_matrix(&mut device.stream()).unwrap() == matrix(6, 5, 77), "{name}");
    }
}
