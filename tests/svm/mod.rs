//! Support vector machines: against LIBSVM's numbers, by their optimality conditions, at the edges.

mod calibrated;
mod edges;
mod forms;
mod libsvm;
mod more;
mod notes;
mod search;
mod steps;

use gristmill::prelude::*;

/// The rows of a data set with columns of mean 0 and deviation 1.
pub fn standardised(data: &Dataset) -> Matrix {
    StandardScaler::default().fit(&data.x).unwrap().transform(&data.x).unwrap()
}

/// Numbers that agree to a tolerance.
#[track_caller]
pub fn assert_near(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ± {tolerance}");
    }
}
