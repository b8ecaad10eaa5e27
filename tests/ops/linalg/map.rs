use gristmill::ops::{self, Combine, Map};
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu, gpu_with, numbers};

/// The exact value, or the size of its terms.
type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

const SIZES: [usize; 14] = [0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 1000, 4095, 4097, 70_000];

fn map(device: &Device, function: Map, y: &[f32]) -> Vec<f32> {
    let mut stream = device.stream();
    let mut y = DeviceVec::from_slice(y, device).unwrap();
    ops::map(&mut stream, function, &mut y).unwrap();
    y.to_vec(&mut stream).unwrap()
}

fn combine(device: &Device, function: Combine, x: &[f32], y: &[f32]) -> Vec<f32> {
    let mut stream = device.stream();
    let x = DeviceVec::from_slice(x, device).unwrap();
    let mut y = DeviceVec::from_slice(y, device).unwrap();
    ops::combine(&mut stream, function, &x, &mut y).unwrap();
    y.to_vec(&mut stream).unwrap()
}

#[test]
fn functions_of_one_number_match_the_oracle() {
    for (name, device) in devices() {
        for count in SIZES {
            let y: Vec<f32> = numbers(count, 1).iter().map(|y| 20.0 * y).collect();
            let cases: [(Map, OfOne, OfOne); 4] = [
                (Map::Line(-1.5, 0.25), |y| -1.5 * y + 0.25, |y| 2.0 * (1.5 * y.abs() + 0.25)),
                (Map::Clamp(-3.0, 7.5), |y| y.clamp(-3.0, 7.5), |_| 0.0),
                (Map::Square, |y| y * y, |y| y * y),
                (Map::Exponential, f64::exp, |y| 8.0 * y.exp()),
            ];
            for (function, exact, size) in cases {
                for (found, y) in map(device, function, &y).iter().zip(&y) {
                    let (error, y) = (*found as f64 - exact(*y as f64), *y as f64);
                    assert!(error.abs() <= EPS * size(y), "{name}: {function:?} of {y} is {found}");
                }
            }
        }
    }
}

#[test]
fn functions_of_two_numbers_match_the_oracle() {
    for (name, device) in devices() {
        for count in SIZES {
            let (x, y) = (numbers(count, 2), numbers(count, 3));
            let cases: [(Combine, OfTwo, OfTwo); 5] = [
                (Combine::Sum(2.5, -0.75), |x, y| 2.5 * x - 0.75 * y, |x, y| 3.0 * (2.5 * x.abs() + 0.75 * y.abs())),
                (Combine::Product, |x, y| x * y, |x, y| (x * y).abs()),
                (Combine::Minimum, f64::min, |_, _| 0.0),
                (Combine::Maximum, f64::max, |_, _| 0.0),
                // A shader may divide within 2.5 units of the last place.
                (Combine::Quotient(0.25), |x, y| x / y.max(0.25), |x, y| 5.0 * (x / y.max(0.25)).abs()),
            ];
            for (function, exact, size) in cases {
                let found = combine(device, function, &x, &y);
                for (found, (x, y)) in found.iter().zip(x.iter().zip(&y)) {
                    let (x, y) = (*x as f64, *y as f64);
                    let error = (*found as f64 - exact(x, y)).abs();
                    assert!(error <= EPS * size(x, y), "{name}: {function:?} of {x} and {y} is {found}");
                }
            }
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_change_a_bit() {
    let (x, y) = (numbers(1_000_003, 4), numbers(1_000_003, 5));
    let run = |device: &Device| {
        let line = map(device, Map::Line(1.1, -0.3), &y);
        (bits(&line), bits(&combine(device, Combine::Sum(0.7, 1.0), &x, &line)))
    };
    let whole = run(gpu());
    let split = [1, 7, 1000].map(|blocks| DeviceOptions::default().chunk_rows(blocks));
    let tight = [1, 16].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for options in split.into_iter().chain(tight) {
        assert!(run(&gpu_with(options.mark_outputs(true))) == whole);
    }
}

#[test]
fn axpy_steps_follow_each_other_without_a_read_back() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = DeviceVec::from_slice(&[1.0, -2.0, 4.0, 8.0, 16.0], device).unwrap();
        let mut y = DeviceVec::from_slice(&[0.0; 5], device).unwrap();
        for _ in 0..10 {
            ops::axpy(&mut stream, 0.5, &x, &mut y).unwrap();
        }
        ops::map(&mut stream, Map::Line(2.0, 0.0), &mut y).unwrap();
        assert_eq!(y.to_vec(&mut stream).unwrap(), [10.0, -20.0, 40.0, 80.0, 160.0], "{name}");
    }
}

#[test]
fn what_is_refused() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = DeviceVec::from_slice(&[1.0, 2.0], device).unwrap();
        let mut y = DeviceVec::from_slice(&[1.0, f32::NAN, 2.0], device).unwrap();
        let refused = ops::map(&mut stream, Map::Square, &mut y).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 1, .. }), "{name}: {refused}");
        let mut y = DeviceVec::from_slice(&[1.0, 2.0, 3.0], device).unwrap();
        let refused = ops::axpy(&mut stream, 1.0, &x, &mut y).unwrap_err();
        assert!(matches!(refused, Error::Shape { op: "combine", .. }), "{name}: {refused}");
        for wrong in [Map::Clamp(2.0, 1.0), Map::Line(f32::INFINITY, 0.0), Map::Line(1.0, f32::NAN)] {
            let refused = ops::map(&mut stream, wrong, &mut y).unwrap_err();
            assert!(matches!(refused, Error::Param { .. }), "{name}: {refused}");
        }
        let mut large = DeviceVec::from_slice(&[1e30, 1.0], device).unwrap();
        ops::map(&mut stream, Map::Square, &mut large).unwrap();
        let refused = large.to_vec(&mut stream).unwrap_err();
        assert!(matches!(refused, Error::NotFinite { row: 0, .. }), "{name}: {refused}");
    }
}
