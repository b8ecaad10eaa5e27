//! Scores against scikit-learn's, and what they refuse.

mod classification;
mod clustering;
mod fixtures;
mod probability;
mod ranking;
mod regression;
mod report;

use gristmill::Error;

/// Within 1e-6 of the expected number, or of its size where that is above one.
#[track_caller]
fn near(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{got}, expected {expected}");
}

#[track_caller]
fn all_near(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{got:?}, expected {expected:?}");
    got.iter().zip(expected).for_each(|(got, expected)| near(*got, *expected));
}

#[track_caller]
fn is_shape<T: std::fmt::Debug>(result: gristmill::Result<T>) {
    assert!(matches!(result, Err(Error::Shape { .. })), "{result:?}");
}

#[track_caller]
fn is_param<T: std::fmt::Debug>(result: gristmill::Result<T>) {
    assert!(matches!(result, Err(Error::Param { .. })), "{result:?}");
}

#[track_caller]
fn is_not_finite<T: std::fmt::Debug>(result: gristmill::Result<T>, place: (usize, usize)) {
    let found = result.map(|_| ()).map_err(|error| match error {
        Error::NotFinite { row, column, .. } => Some((row, column)),
        _ => None,
    });
    assert_eq!(found, Err(Some(place)));
}
