use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use crate::support::matrix;

/// Work with some forty submits: uploads, products, read-backs, sums. Every result that comes back is checked.
fn work(device: &Device, x: &Matrix, wanted: &Matrix) -> Result<()> {
    for _ in 0..10 {
        let mut stream = device.stream();
        let uploaded = x.to(device)?;
        let product = ops::gemm(&mut stream, Layout::NT, &uploaded, &uploaded)?;
        stream.flush()?;
        let squares = ops::sq_euclidean(&mut stream, &uploaded, &uploaded)?;
        let back = product.to_matrix(&mut stream)?;
        assert!(back == *wanted, "a wrong result came back");
        let (index, _) = ops::argmin_rows(&mut stream, &squares)?;
        let index = index.to_vec(&mut stream)?;
        assert!(index.iter().zip(0..).all(|(found, row)| *found == row), "a wrong result came back");
        let ones = DeviceVec::from_slice(&[1.0_f32; 10_000], device)?;
        assert_eq!(ops::sum(&mut stream, &ones)?, 10_000.0, "a wrong result came back");
    }
    Ok(())
}

#[test]
fn a_device_lost_at_any_submit_is_a_typed_error_and_no_timeout() {
    let x = matrix(40, 12, 41);
    let wanted = {
        let device = crate::support::gpu();
        let mut stream = device.stream();
        let x = x.to(device).unwrap();
        ops::gemm(&mut stream, Layout::NT, &x, &x).unwrap().to_matrix(&mut stream).unwrap()
    };
    // With the count of finished workgroups, and with the seal alone.
    for (submit, count) in [1, 2, 3, 4, 5, 8, 13, 20].into_iter().flat_map(|submit| [(submit, u64::MAX), (submit, 0)]) {
        let options = DeviceOptions::default().destroy_at_submit(submit).count_dispatches(count);
        // The self-test makes the first submit, so opening itself may be what fails.
        let lost = match Device::open_with("gpu", options) {
            Err(error) => error,
            Ok(device) => {
                let first = work(&device, &x, &wanted).expect_err("the device was destroyed");
                let again = work(&device, &x, &wanted).expect_err("a lost device stays lost");
                assert_eq!(first, again, "the first error is what every later caller gets");
                first
            }
        };
        // One that waited for the device until its time was up would be `Timeout`.
        assert!(matches!(lost, Error::DeviceLost { .. } | Error::UnverifiedResult { .. }), "submit {submit}: {lost}");
    }
}

#[test]
fn other_devices_go_on_after_one_is_lost() {
    let x = matrix(20, 5, 42);
    let lost = Device::open_with("gpu", DeviceOptions::default().destroy_at_submit(3)).unwrap();
    let used = |device: &Device| -> Result<Matrix> { x.to(device)?.read_back(&mut device.stream()) };
    assert!((0..5).any(|_| used(&lost).is_err()));
    assert!(used(crate::support::gpu()).unwrap() == x);
    assert!(used(&Device::open("gpu").unwrap()).unwrap() == x);
}
