//! Kernel ridge for many penalties from one factorisation.

use nalgebra::{DMatrix, DVector};

use super::System;
use crate::cpu::linalg::band::BandReduced;
use crate::cpu::linalg::corrected::Corrected;
use crate::error::{Error, Result};
use crate::linalg::Eigen;

/// Rows up to which the eigendecomposition in f64 costs nothing to speak of.
const SMALL: usize = 256;
/// Roundings of the reduction are random: their share in the mean over n rows is about this over √n, for a penalty of the mean
/// diagonal, and 1e-5 of it may be lost.
const SINGLE_SHARE: f64 = 0.03;
/// A penalty below this share of the mean diagonal asks for coefficients from a kernel matrix in f64.
const EXACT_SHARE: f64 = 0.05;
/// Rows whose entry of the inverse's diagonal is checked by solving for it, and how far it may be off: by a share of itself,
/// and by what the rounding of the matrix does to it, which is random and averages out over the rows.
const CHECKED: usize = 4;
const TRUSTED: f64 = 5e-6;
const ROUNDING: f64 = 4e-7;

/// D·K·D + alpha·I, D the roots of the weights, factored for every alpha at once.
pub(super) enum RidgePath {
    /// In f32, a band and the rotation to it, with the matrix for corrections.
    Band { reduced: BandReduced, matrix: Vec<f32>, exact: Option<Vec<f64>>, mean_diagonal: f64 },
    /// In f64, for few rows and for penalties that f32 cannot see.
    Spectrum { values: DVector<f64>, vectors: DMatrix<f64> },
}

impl RidgePath {
    /// Factors the matrix of the system for penalties from `least` on. About 2n³/3 multiply-adds in f32; where that does not
    /// do, about 9n³ operations in f64.
    fn new(system: &System<'_>, least: f64) -> Result<RidgePath> {
        let (n, mean) = (system.x.rows() as f64, system.mean_diagonal()?);
        if least < SINGLE_SHARE / n.sqrt() * mean {
            return RidgePath::in_f64(system);
        }
        let mut path = RidgePath::in_f32(system)?.map_or_else(|| RidgePath::in_f64(system), Ok)?;
        if let RidgePath::Band { exact, .. } = &mut path
            && least < EXACT_SHARE * mean
        {
            *exact = Some(exact_matrix(system)?.as_slice().to_vec());
        }
        Ok(path)
    }

    /// In f32; nothing for so few rows that it saves nothing.
    pub(super) fn in_f32(system: &System<'_>) -> Result<Option<RidgePath>> {
        let n = system.x.rows();
        if n <= SMALL {
            return Ok(None);
        }
        let (matrix, mean_diagonal) = (system.weighted_gram()?, system.mean_diagonal()?);
        Ok(Some(RidgePath::Band {
            reduced: BandReduced::reduce(matrix.clone(), n),
            matrix,
            exact: None,
            mean_diagonal,
        }))
    }

    fn in_f64(system: &System<'_>) -> Result<RidgePath> {
        let (values, vectors) = Eigen::factor(&exact_matrix(system)?)?.into_parts();
        Ok(RidgePath::Spectrum { values, vectors })
    }

    /// The solutions for some right-hand sides; nothing where f32 is not enough for this penalty.
    pub(super) fn solve(&self, alpha: f64, sides: &[Vec<f64>]) -> Option<Corrected> {
        match self {
            RidgePath::Band { reduced, matrix, .. } => reduced.solve(matrix, alpha, sides),
            RidgePath::Spectrum { values, vectors } => {
                let solve = |side: &Vec<f64>| {
                    let mut turned = vectors.tr_mul(&DVector::from_column_slice(side));
                    turned.iter_mut().zip(values).for_each(|(turned, value)| *turned /= value.max(0.0) + alpha);
                    (vectors * turned).as_slice().to_vec()
                };
                let x: Vec<Vec<f64>> = sides.iter().map(solve).collect();
                let finite = x.iter().flatten().all(|value| value.is_finite());
                finite.then_some(Corrected { x, residual: 0.0, corrections: 0 })
            }
        }
    }

    /// For each penalty the diagonal of the inverse; nothing where f32 is not enough.
    fn inverse_diagonals(&self, alphas: &[f64]) -> Option<Vec<Vec<f64>>> {
        match self {
            RidgePath::Band { reduced, mean_diagonal, .. } => {
                let found = reduced.inverse_diagonals(alphas)?;
                let least = (0..alphas.len()).min_by(|&a, &b| alphas[a].total_cmp(&alphas[b]))?;
                let allowed = TRUSTED + ROUNDING * mean_diagonal / alphas[least];
                self.agrees(alphas[least], &found[least], allowed).then_some(found)
            }
            RidgePath::Spectrum { values, vectors } => {
                let squares = vectors.map(|value| value * value);
                let share = |at: usize, alpha: usize| 1.0 / (values[at].max(0.0) + alphas[alpha]);
                let all = squares * DMatrix::from_fn(values.len(), alphas.len(), share);
                Some(all.column_iter().map(|column| column.iter().copied().collect()).collect())
            }
        }
    }

    /// Whether some entries of the diagonal are what solving for them gives.
    fn agrees(&self, alpha: f64, diagonal: &[f64], allowed: f64) -> bool {
        let n = diagonal.len();
        (0..CHECKED.min(n)).all(|at| {
            let row = at * (n - 1) / (CHECKED - 1).max(1);
            let mut unit = vec![0.0; n];
            unit[row] = 1.0;
            let solved = self.solve(alpha, &[unit]);
            solved.is_some_and(|solved| (solved.x[0][row] / diagonal[row] - 1.0).abs() <= allowed)
        })
    }
}

/// D·K·D in f64.
fn exact_matrix(system: &System<'_>) -> Result<DMatrix<f64>> {
    let matrix = system.host_matrix()?;
    if system.weights.is_none() {
        return Ok(matrix);
    }
    let roots = system.roots();
    Ok(DMatrix::from_fn(roots.len(), roots.len(), |i, j| matrix[(i, j)] * roots[i] * roots[j]))
}

/// Coefficients and the diagonal of the inverse for each of the penalties.
pub(super) type Solutions = Vec<(Corrected, Vec<f64>)>;

/// All penalties: in f32 where that does, else in f64.
pub(super) fn solve_all(system: &System<'_>, alphas: &[f64], sides: &[Vec<f64>]) -> Result<Solutions> {
    let least = alphas.iter().copied().fold(f64::INFINITY, f64::min);
    let path = RidgePath::new(system, least)?;
    let first = all_of(&path, alphas, sides);
    let found = match (first, path) {
        (None, RidgePath::Band { .. }) => all_of(&RidgePath::in_f64(system)?, alphas, sides),
        (found, _) => found,
    };
    found.ok_or_else(|| Error::Singular {
        what: format!("the kernel matrix of {} plus the least of alphas", system.kernel.kernel()),
        condition: f64::INFINITY,
    })
}

fn all_of(path: &RidgePath, alphas: &[f64], sides: &[Vec<f64>]) -> Option<Solutions> {
    let diagonals = path.inverse_diagonals(alphas)?;
    let solved = match path {
        RidgePath::Band { reduced, matrix, exact, .. } => {
            let mut all = vec![Corrected { x: vec![], residual: 0.0, corrections: 0 }; alphas.len()];
            for side in sides {
                let solved = match exact {
                    Some(exact) => reduced.solve_shifts(exact, alphas, side)?,
                    None => reduced.solve_shifts(matrix, alphas, side)?,
                };
                for (all, (x, residual)) in all.iter_mut().zip(solved) {
                    all.x.push(x);
                    all.residual = all.residual.max(residual);
                }
            }
            all
        }
        RidgePath::Spectrum { .. } => {
            alphas.iter().map(|&alpha| path.solve(alpha, sides)).collect::<Option<Vec<Corrected>>>()?
        }
    };
    Some(solved.into_iter().zip(diagonals).collect())
}
