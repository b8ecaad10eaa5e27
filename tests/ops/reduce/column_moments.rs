use gristmill::ops::{self, ColumnMoments};
use gristmill::prelude::*;

use crate::support::{EPS, devices, matrix, numbers};

fn moments(device: &Device, x: &Matrix, weights: Option<&[f32]>) -> Result<ColumnMoments> {
    let weights = weights.map(|weights| DeviceVec::from_slice(weights, device)).transpose()?;
    ops::column_moments(&mut device.stream(), &x.to(device)?, weights.as_ref())
}

fn check(name: &str, found: &ColumnMoments, x: &Matrix, weights: &[f64]) {
    let total: f64 = weights.iter().sum();
    for column in 0..x.columns() {
        let values = || (0..x.rows()).map(|row| x.get(row, column) as f64).zip(weights);
        let mean = values().map(|(x, w)| w * x).sum::<f64>() / total;
        let size = values().map(|(x, w)| w * x.abs()).sum::<f64>() / total;
        let variance = values().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / total;
        let label = format!("{name}: {}×{}, column {column}", x.rows(), x.columns());
        assert!((found.mean[column] - mean).abs() <= 132.0 * EPS * size, "{label}: {} for {mean}", found.mean[column]);
        // Rounding the data's distance from the mean costs a little more where they are far off-centre.
        let bound = 140.0 * EPS * variance + (2.0 * EPS * size).powi(2);
        let error = (found.variance[column] - variance).abs();
        assert!(error <= bound, "{label}: {} for {variance}", found.variance[column]);
    }
}

#[test]
fn moments_at_edge_sizes_match_the_oracle_also_off_centre() {
    for (name, device) in devices() {
        for rows in [1, 2, 63, 64, 65, 511, 512, 513, 3000] {
            for (columns, shift) in [(1, 0.0), (5, 1e4), (64, -300.0)] {
                let mut x = matrix(rows, columns, 87);
                x.as_mut_slice().iter_mut().for_each(|value| *value += shift);
                check(name, &moments(device, &x, None).unwrap(), &x, &vec![1.0; rows]);
                let weights: Vec<f32> = numbers(rows, 88).iter().map(|value| value.abs() + 0.1).collect();
                let wide: Vec<f64> = weights.iter().map(|weight| *weight as f64).collect();
                check(name, &moments(device, &x, Some(&weights)).unwrap(), &x, &wide);
            }
        }
    }
}

#[test]
fn no_rows_and_no_weight_give_zeros() {
    for (name, device) in devices() {
        let none = moments(device, &Matrix::zeros(0, 3).unwrap(), None).unwrap();
        assert_eq!((none.mean, none.variance, none.count), (vec![0.0; 3], vec![0.0; 3], 0), "{name}");
        let weightless = moments(device, &matrix(4, 3, 89), Some(&[0.0; 4])).unwrap();
        assert_eq!((weightless.mean, weightless.variance), (vec![0.0; 3], vec![0.0; 3]), "{name}");
    }
}

#[test]
fn bad_weights_are_errors_that_name_the_row() {
    for (name, device) in devices() {
        let x = matrix(3, 2, 90);
        let refused = moments(device, &x, Some(&[1.0, -0.5, 1.0])).unwrap_err();
        assert!(refused.to_string().contains("row 1"), "{name}: {refused}");
        assert!(matches!(moments(device, &x, Some(&[1.0])), Err(Error::Shape { .. })), "{name}");
    }
}
