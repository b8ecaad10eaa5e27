//! The fixed points: rotations of white rows whose components are farthest from normal.

use nalgebra::{DMatrix, DVector};

use super::FastIca;
use crate::array::DeviceMatrix;
use crate::cpu::random::HostRng;
use crate::decomposition::columns::upload;
use crate::device::Stream;
use crate::error::Result;
use crate::estimator::Reporter;
use crate::linalg::Eigen;
use crate::ops::decomposition::contrast::contrast;

/// The stream of random numbers for the first directions.
const STREAM: u32 = 0x6963_0000;

/// Where a search ended.
pub(super) struct Course {
    /// k×k, orthogonal.
    pub(super) rotation: DMatrix<f64>,
    pub(super) iterations: usize,
    pub(super) converged: bool,
}

/// All directions at once; `z` has the white rows as columns, k×n.
pub(super) fn parallel(
    ica: &FastIca,
    stream: &mut Stream,
    z: &DeviceMatrix,
    reporter: &mut Reporter<'_>,
) -> Result<Course> {
    let k = z.rows();
    let mut rotation = decorrelated(&first(ica, k))?;
    for iteration in 1..=ica.max_iter {
        let moved = decorrelated(&step(ica, stream, z, &rotation)?)?;
        let turn = (0..k).map(|row| (moved.row(row).dot(&rotation.row(row)).abs() - 1.0).abs()).fold(0.0, f64::max);
        rotation = moved;
        if turn < ica.tol {
            return Ok(Course { rotation, iterations: iteration, converged: true });
        }
        if reporter.report(iteration, Some(turn), iteration as f64 / ica.max_iter as f64)? {
            return Ok(Course { rotation, iterations: iteration, converged: false });
        }
    }
    Ok(Course { rotation, iterations: ica.max_iter, converged: false })
}

/// One direction after the other, each orthogonal to those before.
pub(super) fn deflation(
    ica: &FastIca,
    stream: &mut Stream,
    z: &DeviceMatrix,
    reporter: &mut Reporter<'_>,
) -> Result<Course> {
    let k = z.rows();
    let start = first(ica, k);
    let mut rotation = DMatrix::zeros(k, k);
    let (mut most, mut converged) = (0, true);
    for component in 0..k {
        let mut direction = orthogonal(start.row(component).transpose(), &rotation, component);
        let (mut settled, mut iterations) = (false, 0);
        while !settled && iterations < ica.max_iter {
            let row = DMatrix::from_row_slice(1, k, direction.as_slice());
            let moved = step(ica, stream, z, &row)?.row(0).transpose();
            let moved = orthogonal(moved, &rotation, component);
            settled = (moved.dot(&direction).abs() - 1.0).abs() < ica.tol;
            direction = moved;
            iterations += 1;
        }
        most = most.max(iterations);
        converged &= settled;
        rotation.row_mut(component).copy_from(&direction.transpose());
        reporter.check_stopped(component + 1, (component + 1) as f64 / k as f64)?;
    }
    Ok(Course { rotation, iterations: most, converged })
}

/// E[g(w·z)·z] − E[g′(w·z)]·w for each row w.
fn step(ica: &FastIca, stream: &mut Stream, z: &DeviceMatrix, rotation: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    let (m, k) = rotation.shape();
    let n = z.columns() as f64;
    let w = upload(m, k, rotation.transpose().as_slice(), stream.device())?;
    let (products, slopes) = contrast(stream, ica.contrast(), z, &w)?;
    let mut moved = DMatrix::from_row_slice(m, k, &products) / n;
    for (row, slope) in slopes.iter().enumerate() {
        let away = rotation.row(row) * (slope / n);
        let mut target = moved.row_mut(row);
        target -= away;
    }
    Ok(moved)
}

/// Normal numbers.
fn first(ica: &FastIca, k: usize) -> DMatrix<f64> {
    let mut rng = HostRng::new(ica.seed, STREAM);
    DMatrix::from_fn(k, k, |_, _| {
        let radius = (-2.0 * (1.0 - rng.uniform()).max(f64::MIN_POSITIVE).ln()).sqrt();
        radius * (std::f64::consts::TAU * rng.uniform()).cos()
    })
}

/// (W·Wᵀ)^−½·W: the nearest rotation.
fn decorrelated(w: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    let (values, vectors) = Eigen::factor(&(w * w.transpose()))?.into_parts();
    let roots = DVector::from_iterator(values.len(), values.iter().map(|value| 1.0 / value.max(1e-300).sqrt()));
    Ok(&vectors * DMatrix::from_diagonal(&roots) * vectors.transpose() * w)
}

/// What is left of a direction beside the first rows of a rotation, of length 1.
fn orthogonal(mut direction: DVector<f64>, rotation: &DMatrix<f64>, rows: usize) -> DVector<f64> {
    for _ in 0..2 {
        for row in 0..rows {
            let other = rotation.row(row).transpose();
            let share = other.dot(&direction);
            direction.axpy(-share, &other, 1.0);
        }
    }
    let norm = direction.norm();
    direction / if norm > 0.0 { norm } else { 1.0 }
}
