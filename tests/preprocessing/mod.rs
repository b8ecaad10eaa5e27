//! Every transformer against scikit-learn's numbers, and the properties that must hold.

mod basis;
mod bins;
mod encoders;
mod fixtures;
mod imputer;
mod refused;
mod round_trip;
mod scalers;
mod small_transformers;

use gristmill::Matrix;

/// A matrix of `columns` columns from f64 values; NaN stays.
fn matrix(columns: usize, values: &[f64]) -> Matrix {
    Matrix::from_vec(values.len() / columns, columns, values.iter().map(|value| *value as f32).collect()).unwrap()
}

/// Values within `tolerance` of each other, relative to 1 or to the expected one; missing where missing is expected.
fn assert_close(got: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        let near = (f64::from(*got) - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(near || (got.is_nan() && expected.is_nan()), "value {at}: {got} instead of {expected}");
    }
}

/// The same for f64.
fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        let near = (got - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(near, "value {at}: {got} instead of {expected}");
    }
}
