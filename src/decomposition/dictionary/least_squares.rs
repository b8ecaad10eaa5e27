//! The lecture's program: codes and atoms by least squares in turn, and codes shrunk to few that are not 0.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::DictionaryLearning;
use super::model::{Atoms, normalise};
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::random::HostRng;
use crate::decomposition::columns::upload;
use crate::device::Stream;
use crate::error::Result;
use crate::estimator::Reporter;
use crate::linalg::{Eigen, product, transposed_product};
use crate::ops::{self, Layout};

/// The stream of random numbers for the first codes.
const STREAM: u32 = 0x646c_3000;
/// Eigenvalues, as shares of the largest, that count as none.
const RANK: f64 = 1e-9;

pub(super) fn search(
    settings: &DictionaryLearning,
    stream: &mut Stream,
    x: &DeviceMatrix,
    reporter: &mut Reporter<'_>,
) -> Result<Atoms> {
    let (n, d, k) = (x.rows(), x.columns(), settings.n_components);
    let nonzeros = settings.transform_n_nonzero_coefs.unwrap_or(k / 2).clamp(1, k);
    let mut rng = HostRng::new(settings.seed, STREAM);
    let first: Vec<f64> = (0..n * k).map(|_| rng.uniform()).collect();
    let mut codes = upload(n, k, &first, stream.device())?;
    let squares = super::learning::mean_square(stream, x)?;
    let mut atoms = DMatrix::zeros(k, d);
    let (mut objective, mut converged) = (vec![], false);
    for iteration in 1..=settings.max_iter {
        let with_each = ops::gemm(stream, Layout::TN, &codes, &codes)?.to_matrix(stream)?.to_dmatrix();
        let with_rows = ops::gemm(stream, Layout::TN, &codes, x)?.to_matrix(stream)?.to_dmatrix();
        atoms = product(&inverse(&with_each)?, &with_rows);
        // ‖X − C·D‖² where D is best for C.
        let loss = squares - with_rows.dot(&atoms) / n as f64;
        let turned = atoms.transpose();
        let map = product(&turned, &inverse(&transposed_product(&turned, &turned))?);
        let map = upload(d, k, map.transpose().as_slice(), stream.device())?;
        let found = ops::gemm(stream, Layout::NN, x, &map)?;
        codes = match nonzeros < k {
            true => shrunk(found.to_matrix(stream)?, nonzeros)?.to(stream.device())?,
            false => found,
        };
        converged = objective.last().is_some_and(|before: &f64| (before - loss).abs() <= settings.tol * before.abs());
        objective.push(loss);
        if converged || reporter.report(iteration, Some(loss), iteration as f64 / settings.max_iter as f64)? {
            break;
        }
    }
    let mut values = Matrix::from_f64(k, d, atoms.transpose().as_slice())?;
    values.as_mut_slice().chunks_exact_mut(d).for_each(normalise);
    Ok(Atoms { values, objective, converged })
}

/// The pseudo-inverse of a symmetric matrix: codes and atoms may be fewer than they seem.
fn inverse(a: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    let (values, vectors) = Eigen::factor(a)?.into_parts();
    let floor = values[0].max(0.0) * RANK;
    let mut scaled = vectors.clone();
    for (mut column, value) in scaled.column_iter_mut().zip(values.iter()) {
        column *= if *value > floor { 1.0 / value } else { 0.0 };
    }
    Ok(product(&scaled, &vectors.transpose()))
}

/// Each row of codes, soft-thresholded by the size of the first that is left out.
fn shrunk(mut codes: Matrix, nonzeros: usize) -> Result<Matrix> {
    let k = codes.columns();
    codes.as_mut_slice().par_chunks_exact_mut(k).for_each(|row| {
        let mut sizes: Vec<f32> = row.iter().map(|value| value.abs()).collect();
        let (_, threshold, _) = sizes.select_nth_unstable_by(nonzeros, |a, b| b.total_cmp(a));
        let threshold = *threshold;
        row.iter_mut().for_each(|value| *value = value.signum() * (value.abs() - threshold).max(0.0));
    });
    Ok(codes)
}
