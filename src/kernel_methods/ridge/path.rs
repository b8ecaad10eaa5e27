//! Kernel ridge for many penalties from one factorisation.

use nalgebra::{DMatrix, DVector};

use super::System;
use super::low_rank::{LowRank, low_rank};
use crate::cpu::linalg::band::BandReduced;
use crate::cpu::linalg::corrected::Corrected;
use crate::error::{Error, Result};
use crate::linalg::Eigen;

/// Rows up to which the eigendecomposition in f64 costs nothing to speak of.
const SMALL: usize = 256;
/// The reduction in f32 moves an entry of the inverse's diagonal by about ε·‖K‖/alpha of itself, at random: the mean over n rows
/// stays within 1e-5 while alpha is above this share of ‖K‖/√n.
const BAND_SHARE: f64 = 3e-3;
/// The share of ‖K‖ from which a reduction in f64 is enough: its rotation is in f32, and corrections shrink by ε·‖K‖/alpha.
const EXACT_BAND_SHARE: f64 = 3e-7;
/// A penalty below this share of the mean diagonal asks for coefficients from a kernel matrix in f64.
const EXACT_SHARE: f64 = 0.05;
/// Rows whose entry of the inverse's diagonal is checked by solving for it, and the share of it that each may be off.
const CHECKED: usize = 4;
const TRUSTED: f64 = 1e-3;

/// D·K·D + alpha·I, D the roots of the weights, factored for every alpha at once.
pub(super) enum RidgePath {
    /// A band, in f32 or f64, and the rotation to it in f32, with the matrix for corrections.
    Band { reduced: BandReduced, matrix: Vec<f32>, exact: Option<Vec<f64>> },
    /// In f64, a factor of few columns.
    LowRank(LowRank),
    /// In f64, for few rows and for penalties that f32 cannot see.
    Spectrum { values: DVector<f64>, vectors: DMatrix<f64> },
}

impl RidgePath {
    /// Factors the matrix of the system for penalties from `least` on. A matrix of a low rank r takes n·r² operations; others
    /// about 2n³/3 multiply-adds in f32, or in f64 for small penalties, and where that does not do, about 9n³ operations in f64.
    fn new(system: &System<'_>, least: f64) -> Result<RidgePath> {
        let n = system.x.rows();
        if n <= SMALL {
            return RidgePath::in_f64(system);
        }
        if let Some(found) = low_rank(system, least)? {
            return Ok(RidgePath::LowRank(found));
        }
        let matrix = system.weighted_gram()?;
        // The largest sum of a row bounds ‖K‖.
        let row_sum = |row: &[f32]| row.iter().map(|value| f64::from(value.abs())).sum::<f64>();
        let norm = matrix.chunks_exact(n).map(row_sum).fold(0.0, f64::max);
        if least < EXACT_BAND_SHARE * norm {
            return RidgePath::in_f64(system);
        }
        if least < BAND_SHARE * norm / (n as f64).sqrt() {
            let exact = exact_matrix(system)?.as_slice().to_vec();
            return Ok(RidgePath::Band { reduced: BandReduced::reduce_exactly(&exact, n), matrix, exact: Some(exact) });
        }
        let exact = match least < EXACT_SHARE * system.mean_diagonal()? {
            true => Some(exact_matrix(system)?.as_slice().to_vec()),
            false => None,
        };
        Ok(RidgePath::Band { reduced: BandReduced::reduce(matrix.clone(), n), matrix, exact })
    }

    /// In f32, for solutions alone, which are corrected; nothing for so few rows that it saves nothing.
    pub(super) fn in_f32(system: &System<'_>) -> Result<Option<RidgePath>> {
        let n = system.x.rows();
        if n <= SMALL {
            return Ok(None);
        }
        let matrix = system.weighted_gram()?;
        let reduced = BandReduced::reduce(matrix.clone(), n);
        Ok(Some(RidgePath::Band { reduced, matrix, exact: None }))
    }

    fn in_f64(system: &System<'_>) -> Result<RidgePath> {
        let (values, vectors) = Eigen::factor(&exact_matrix(system)?)?.into_parts();
        Ok(RidgePath::Spectrum { values, vectors })
    }

    /// The solutions for some right-hand sides; nothing where f32 is not enough for this penalty.
    pub(super) fn solve(&self, alpha: f64, sides: &[Vec<f64>]) -> Option<Corrected> {
        match self {
            RidgePath::Band { exact: Some(_), .. } => self.solve_band(&[alpha], sides)?.pop(),
            RidgePath::Band { reduced, matrix, .. } => reduced.solve(matrix, alpha, sides),
            RidgePath::Spectrum { values, vectors } => {
                let solve = |side: &Vec<f64>| {
                    let mut turned = vectors.tr_mul(&DVector::from_column_slice(side));
                    turned.iter_mut().zip(values).for_each(|(turned, value)| *turned /= value.max(0.0) + alpha);
                    (vectors * turned).as_slice().to_vec()
                };
                finite(sides.iter().map(solve).collect())
            }
            RidgePath::LowRank(found) => finite(sides.iter().map(|side| found.solve(alpha, side)).collect()),
        }
    }

    /// The rank of the factored matrix, the number of rows where that is not looked for.
    fn rank(&self, rows: usize) -> usize {
        if let RidgePath::LowRank(found) = self { found.rank() } else { rows }
    }

    /// For each penalty the diagonal of the inverse; nothing where f32 is not enough.
    fn inverse_diagonals(&self, alphas: &[f64]) -> Option<Vec<Vec<f64>>> {
        match self {
            RidgePath::Band { reduced, .. } => {
                let found = reduced.inverse_diagonals(alphas)?;
                let least = (0..alphas.len()).min_by(|&a, &b| alphas[a].total_cmp(&alphas[b]))?;
                self.agrees(alphas[least], &found[least]).then_some(found)
            }
            RidgePath::Spectrum { values, vectors } => {
                let squares = vectors.map(|value| value * value);
                let share = |at: usize, alpha: usize| 1.0 / (values[at].max(0.0) + alphas[alpha]);
                let all = squares * DMatrix::from_fn(values.len(), alphas.len(), share);
                Some(all.column_iter().map(|column| column.iter().copied().collect()).collect())
            }
            RidgePath::LowRank(found) => Some(found.inverse_diagonals(alphas)),
        }
    }

    /// All penalties by the band, with the more exact matrix where there is one.
    fn solve_band(&self, alphas: &[f64], sides: &[Vec<f64>]) -> Option<Vec<Corrected>> {
        let RidgePath::Band { reduced, matrix, exact } = self else { return None };
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
        Some(all)
    }

    /// Whether some entries of the diagonal are what solving for them gives.
    fn agrees(&self, alpha: f64, diagonal: &[f64]) -> bool {
        let n = diagonal.len();
        (0..CHECKED.min(n)).all(|at| {
            let row = at * (n - 1) / (CHECKED - 1).max(1);
            let mut unit = vec![0.0; n];
            unit[row] = 1.0;
            let solved = self.solve(alpha, &[unit]);
            solved.is_some_and(|solved| (solved.x[0][row] / diagonal[row] - 1.0).abs() <= TRUSTED)
        })
    }
}

fn finite(x: Vec<Vec<f64>>) -> Option<Corrected> {
    let finite = x.iter().flatten().all(|value| value.is_finite());
    finite.then_some(Corrected { x, residual: 0.0, corrections: 0 })
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

/// All penalties, by a low rank or in f32 where that does, else in f64, with the rank.
pub(super) fn solve_all(system: &System<'_>, alphas: &[f64], sides: &[Vec<f64>]) -> Result<(Solutions, usize)> {
    let least = alphas.iter().copied().fold(f64::INFINITY, f64::min);
    let path = RidgePath::new(system, least)?;
    let first = all_of(&path, alphas, sides);
    let rank = path.rank(system.x.rows());
    let found = match (first, path) {
        (None, RidgePath::Band { .. }) => all_of(&RidgePath::in_f64(system)?, alphas, sides),
        (found, _) => found,
    };
    let found = found.ok_or_else(|| Error::Singular {
        what: format!("the kernel matrix of {} plus the least of alphas", system.kernel.kernel()),
        condition: f64::INFINITY,
    })?;
    Ok((found, rank))
}

fn all_of(path: &RidgePath, alphas: &[f64], sides: &[Vec<f64>]) -> Option<Solutions> {
    let diagonals = path.inverse_diagonals(alphas)?;
    let solved = match path {
        RidgePath::Band { .. } => path.solve_band(alphas, sides)?,
        _ => alphas.iter().map(|&alpha| path.solve(alpha, sides)).collect::<Option<Vec<Corrected>>>()?,
    };
    Some(solved.into_iter().zip(diagonals).collect())
}
