use gristmill::ops::decomposition::map_update::map_update;
use gristmill::prelude::*;

use crate::support::{devices, gpu_with, matrix, numbers};

fn found(device: &Device, units: &Matrix, sums: &Matrix, counts: &[f32]) -> Matrix {
    let mut stream = device.stream();
    let mut units = units.to(device).unwrap();
    let counts = DeviceVec::from_slice(counts, device).unwrap();
    map_update(&mut stream, &mut units, &sums.to(device).unwrap(), &counts).unwrap();
    units.to_matrix(&mut stream).unwrap()
}

#[test]
fn units_go_to_their_means_and_those_without_a_count_stay() {
    for (name, device) in devices() {
        for (k, d) in [(1, 1), (2, 3), (63, 4), (64, 5), (65, 1), (256, 7), (1000, 3)] {
            let (units, sums) = (matrix(k, d, 1), matrix(k, d, 2));
            let counts: Vec<f32> = numbers(k, 3).into_iter().map(|value| (4.0 * value).floor().max(0.0)).collect();
            let made = found(device, &units, &sums, &counts);
            for (unit, count) in counts.iter().enumerate() {
                for column in 0..d {
                    let exact = match *count > 0.0 {
                        true => sums.get(unit, column) / count,
                        false => units.get(unit, column),
                    };
                    // Shaders may divide within 2.5 units of the last place.
                    let got = made.get(unit, column);
                    assert!((got - exact).abs() <= 3e-7 * exact.abs(), "{name} {k}×{d}: {got} for {exact}");
                }
            }
        }
    }
}

#[test]
fn chunks_do_not_change_a_bit_and_wrong_shapes_are_errors() {
    let (units, sums, counts) = (matrix(100, 9, 1), matrix(100, 9, 2), vec![3.0; 100]);
    let whole = found(crate::support::gpu(), &units, &sums, &counts);
    for rows in [1, 7, 64] {
        let device = gpu_with(DeviceOptions::default().chunk_rows(rows).mark_outputs(true));
        assert_eq!(found(&device, &units, &sums, &counts), whole);
    }
    for (name, device) in devices() {
        let mut units = units.to(device).unwrap();
        let counts = DeviceVec::from_slice(&[1.0_f32; 99], device).unwrap();
        let wrong = map_update(&mut device.stream(), &mut units, &sums.to(device).unwrap(), &counts);
        assert!(wrong.is_err(), "{name}");
    }
}
