use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, devices, matrix, numbers};

#[test]
fn centres_move_by_sum_over_count_and_empty_ones_stay() {
    for (name, device) in devices() {
        for (k, d) in [(1, 1), (2, 3), (64, 32), (257, 5), (1000, 33)] {
            let (old, sums) = (matrix(k, d, 51), matrix(k, d, 52));
            let counts: Vec<f32> = numbers(k, 53).iter().map(|value| (3.0 * value).round().max(0.0)).collect();
            let mut stream = device.stream();
            let mut centers = old.to(device).unwrap();
            let device_counts = DeviceVec::from_slice(&counts, device).unwrap();
            let shift =
                ops::center_shift(&mut stream, &mut centers, &sums.to(device).unwrap(), &device_counts).unwrap();
            let new = centers.to_matrix(&mut stream).unwrap();
            let mut wanted_shift = 0.0;
            for (cluster, &count) in counts.iter().enumerate() {
                for column in 0..d {
                    let (from, to) = (old.get(cluster, column), new.get(cluster, column));
                    let by = if count > 0.0 { f64::from(sums.get(cluster, column)) / f64::from(count) } else { 0.0 };
                    let wanted = f64::from(from) + by;
                    // WGSL allows a division to be off by 2.5 units in the last place.
                    let bound = EPS * (wanted.abs() + 6.0 * by.abs());
                    assert!((f64::from(to) - wanted).abs() <= bound, "{name}: {k}×{d}: {to} for {wanted}");
                    wanted_shift += by * by;
                }
            }
            assert!((shift - wanted_shift).abs() <= 1e-5 * wanted_shift + 1e-12, "{name}: {shift} for {wanted_shift}");
        }
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused_alike() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let mut centers = matrix(3, 2, 1).to(device).unwrap();
        let counts = DeviceVec::from_slice(&[1.0_f32; 2], device).unwrap();
        let sums = matrix(3, 2, 2).to(device).unwrap();
        let result = ops::center_shift(&mut stream, &mut centers, &sums, &counts);
        assert!(matches!(result, Err(Error::Shape { .. })), "{name}");
    }
}
