use gristmill::ops;
use gristmill::prelude::*;

use crate::support::{EPS, bits, devices, gpu_with, matrix};

fn assign(device: &Device, x: &Matrix, centers: &Matrix) -> (Vec<u32>, Vec<f32>) {
    let mut stream = device.stream();
    let (x, centers) = (x.to(device).unwrap(), centers.to(device).unwrap());
    let (labels, distances) = ops::assign(&mut stream, &x, &centers).unwrap();
    (labels.to_vec(&mut stream).unwrap(), distances.to_vec(&mut stream).unwrap())
}

fn squared(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum()
}

/// The label must be a nearest centre but for rounding, and the distance that centre's.
fn check(name: &str, x: &Matrix, centers: &Matrix, (labels, distances): (Vec<u32>, Vec<f32>)) {
    assert_eq!((labels.len(), distances.len()), (x.rows(), x.rows()), "{name}");
    let bound = (x.columns() as f64 + 4.0) * EPS;
    for row in 0..x.rows() {
        let all: Vec<f64> = (0..centers.rows()).map(|center| squared(x.row(row), centers.row(center))).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let found = all[labels[row] as usize];
        assert!(found <= least * (1.0 + 2.0 * bound), "{name}, row {row}: {found} is not the least, {least}");
        let error = (f64::from(distances[row]) - found).abs();
        assert!(error <= bound * found, "{name}, row {row}: {} for {found}", distances[row]);
    }
}

#[test]
fn the_nearest_centre_is_found_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 63, 64, 65, 255, 256, 257] {
            // Rows of up to 64, up to 128 and more columns are kept in three ways.
            let short = [(1, 1), (2, 3), (7, 8), (24, 5), (25, 33), (64, 4), (129, 16), (257, 2), (4200, 4)];
            // More than 96 centres of 16 columns and more go by the product form.
            let long = [(9, 64), (8, 65), (25, 70), (17, 128), (5, 129), (97, 16), (300, 37), (130, 128)];
            for (k, d) in short.into_iter().chain(long) {
                let (x, centers) = (matrix(rows, d, 31), matrix(k, d, 32));
                check(&format!("{name}: {rows}×{d}, k = {k}"), &x, &centers, assign(device, &x, &centers));
            }
        }
    }
}

#[test]
fn ties_go_to_the_lowest_centre() {
    for (name, device) in devices() {
        for (k, d) in [(2, 6), (5, 6), (24, 6), (25, 6), (130, 6), (300, 6), (100, 20), (300, 20)] {
            let x = matrix(300, d, 33);
            let centers = Matrix::from_vec(k, d, matrix(1, d, 34).as_slice().repeat(k)).unwrap();
            assert!(assign(device, &x, &centers).0.iter().all(|label| *label == 0), "{name}: {k}");
        }
    }
}

#[test]
fn data_far_off_centre_is_assigned_as_in_double_precision() {
    for (name, device) in devices() {
        let shift = |seed, rows| {
            let values = matrix(rows, 16, seed).as_slice().iter().map(|value| value + 1e4).collect();
            Matrix::from_vec(rows, 16, values).unwrap()
        };
        let x = shift(35, 400);
        for k in [40, 400] {
            let centers = shift(36, k);
            check(name, &x, &centers, assign(device, &x, &centers));
        }
    }
}

#[test]
fn the_product_form_has_the_labels_and_bits_of_the_direct_form() {
    // Rows on centres, between two of them, far from all, of all sizes; centres twice, and centres next to each other.
    let (k, d) = (200, 24);
    for (scale, offset) in [(1.0, 0.0), (1.0, 300.0), (1e-18, 0.0), (1e15, 0.0), (1e17, 0.0), (1e-3, 1e3)] {
        let mut centers = matrix(k, d, 41);
        let twice = centers.row(7).to_vec();
        centers.as_mut_slice()[150 * d..151 * d].copy_from_slice(&twice);
        let next: Vec<f32> = centers.row(9).iter().map(|value| value * (1.0 + 1e-6)).collect();
        centers.as_mut_slice()[170 * d..171 * d].copy_from_slice(&next);
        let mut x = matrix(1000, d, 42);
        for row in 0..200 {
            let (a, b) = (centers.row(row % k).to_vec(), centers.row((row * 7 + 1) % k).to_vec());
            let share = if row < 100 { 0.0 } else { 0.5 };
            let between: Vec<f32> = a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect();
            x.as_mut_slice()[row * d..(row + 1) * d].copy_from_slice(&between);
        }
        for values in [centers.as_mut_slice(), x.as_mut_slice()] {
            values.iter_mut().for_each(|value| *value = *value * scale + offset);
        }
        for device in [crate::support::gpu(), crate::support::baseline()] {
            let (labels, distances) = assign(device, &x, &centers);
            let mut stream = device.stream();
            let (x, centers) = (x.to(device).unwrap(), centers.to(device).unwrap());
            let direct = ops::sq_euclidean(&mut stream, &x, &centers).unwrap();
            let direct = direct.to_matrix(&mut stream).unwrap();
            for row in 0..x.rows() {
                let least = direct.row(row).iter().copied().fold(f32::INFINITY, f32::min);
                let first = direct.row(row).iter().position(|distance| *distance == least).unwrap();
                assert_eq!((labels[row], distances[row]), (first as u32, least), "{scale} {offset}, row {row}");
            }
        }
    }
}

#[test]
fn more_rows_than_one_dimension_of_workgroups_holds() {
    // 128 rows a workgroup at baseline limits: nine million rows are 70,313 of them.
    for (name, device) in devices() {
        let rows = 9_000_000;
        let x = Matrix::from_vec(rows, 1, (0..rows).map(|row| (row % 7) as f32).collect()).unwrap();
        let centers = Matrix::from_rows(&[[0.0], [3.0], [6.0]]).unwrap();
        let (labels, _) = assign(device, &x, &centers);
        let wanted = [0, 0, 1, 1, 1, 2, 2];
        assert!(labels.iter().enumerate().all(|(row, label)| *label == wanted[row % 7]), "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let (x, centers) = (matrix(3000, 30, 37), matrix(50, 30, 38));
    let wanted = assign(crate::support::gpu(), &x, &centers);
    let same = |device: &Device, what: &str| {
        let (labels, distances) = assign(device, &x, &centers);
        assert_eq!((labels, bits(&distances)), (wanted.0.clone(), bits(&wanted.1)), "{what}");
    };
    for rows in [1, 2, 7, 64, 1000] {
        same(&gpu_with(DeviceOptions::default().chunk_rows(rows).mark_outputs(true)), &format!("{rows} rows"));
    }
    for mebibytes in [1, 16, 128] {
        let options = DeviceOptions::default().memory_budget(mebibytes << 20).mark_outputs(true);
        same(&gpu_with(options), &format!("{mebibytes} MiB"));
    }
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let x = matrix(4, 3, 1).to(device).unwrap();
        for centers in [matrix(2, 4, 2), Matrix::zeros(0, 3).unwrap()] {
            let result = ops::assign(&mut stream, &x, &centers.to(device).unwrap());
            assert!(matches!(result, Err(Error::Shape { .. })), "{name}");
        }
        let missing = Matrix::from_rows(&[[1.0, f32::NAN, 0.0]]).unwrap().to(device).unwrap();
        let result = ops::assign(&mut stream, &missing, &x);
        assert!(matches!(result, Err(Error::NotFinite { row: 0, column: 1, .. })), "{name}");
    }
}

#[test]
fn distances_beyond_f32_are_an_error_when_read() {
    for (name, device) in devices() {
        let x = Matrix::from_rows(&[[1e30_f32]]).unwrap().to(device).unwrap();
        let centers = Matrix::from_rows(&[[-1e30_f32], [0.0]]).unwrap().to(device).unwrap();
        let mut stream = device.stream();
        let (_, distances) = ops::assign(&mut stream, &x, &centers).unwrap();
        assert!(matches!(distances.to_vec(&mut stream), Err(Error::NotFinite { .. })), "{name}");
    }
}
