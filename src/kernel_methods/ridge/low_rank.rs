//! A kernel matrix that is of low rank to f64: that of a linear or polynomial kernel always, of a smooth one with few columns.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::System;
use crate::error::Result;
use crate::kernel_methods::Kernel;
use crate::linalg::Eigen;

/// What may be left of the trace, as a share of the least penalty. With K = F·Fᵀ + R, R ⪰ 0, the diagonal of the inverse is that of
/// F·Fᵀ + alpha·I to ‖R‖/alpha ≤ trace(R)/alpha of itself.
const LEFT: f64 = 1e-6;
/// Of how many rows one may be a pivot: with more, a reduction of the whole matrix costs less.
const SHARE: usize = 8;
/// Numbers of the factor at most, half a gigabyte.
const MOST_NUMBERS: usize = 1 << 26;
/// Columns after which it is asked whether the trace falls fast enough.
const LOOKED_AT: usize = 48;
/// Rows that a task brings up to date.
const ROWS: usize = 128;
const LANES: usize = 8;

/// D·K·D = W·Wᵀ with WᵀW = diag(λ), n×r.
pub(super) struct LowRank {
    values: DVector<f64>,
    columns: DMatrix<f64>,
}

impl LowRank {
    pub(super) fn rank(&self) -> usize {
        self.values.len()
    }

    /// (W·Wᵀ + alpha·I)⁻¹·b = (b − W·(diag(λ) + alpha·I)⁻¹·Wᵀ·b)/alpha.
    pub(super) fn solve(&self, alpha: f64, b: &[f64]) -> Vec<f64> {
        let mut turned = self.columns.tr_mul(&DVector::from_column_slice(b));
        turned.iter_mut().zip(&self.values).for_each(|(turned, value)| *turned /= value + alpha);
        b.iter().zip(&(&self.columns * turned)).map(|(b, known)| (b - known) / alpha).collect()
    }

    /// The diagonal of the inverse for each penalty.
    pub(super) fn inverse_diagonals(&self, alphas: &[f64]) -> Vec<Vec<f64>> {
        let squares = self.columns.map(|value| value * value);
        let share = |at: usize, alpha: usize| 1.0 / (self.values[at] + alphas[alpha]);
        let known = squares * DMatrix::from_fn(self.rank(), alphas.len(), share);
        let diagonal = |(column, alpha): (usize, &f64)| known.column(column).map(|known| (1.0 - known) / alpha);
        alphas.iter().enumerate().map(|at| diagonal(at).as_slice().to_vec()).collect()
    }
}

/// The factor of the matrix to `LEFT·least`; nothing where it would have an eighth of the rows or more, or where the kernel is not
/// known to be positive semi-definite. About n·r² operations in f64.
pub(super) fn low_rank(system: &System<'_>, least: f64) -> Result<Option<LowRank>> {
    let kernel = system.kernel.kernel();
    let opaque = |part: &&Kernel| matches!(part, Kernel::Precomputed | Kernel::Function(_));
    if kernel.is_indefinite() || kernel.parts().iter().any(opaque) {
        return Ok(None);
    }
    let Some(factor) = pivoted(system, LEFT * least)? else { return Ok(None) };
    let (values, vectors) = Eigen::factor(&(factor.transpose() * &factor))?.into_parts();
    Ok(Some(LowRank { values: values.map(|value| value.max(0.0)), columns: factor * vectors }))
}

/// F of n×r by pivots on the largest of what is left of the diagonal.
fn pivoted(system: &System<'_>, target: f64) -> Result<Option<DMatrix<f64>>> {
    let x = system.x.to_matrix(&mut system.x.device().stream())?;
    let (n, kernel, roots) = (x.rows(), system.kernel.kernel(), system.roots());
    let most = (n / SHARE).min(MOST_NUMBERS / n.max(1));
    let value = |i: usize, j: usize| kernel.value(x.row(i), x.row(j)).map(|value| value * roots[i] * roots[j]);
    let mut left: Vec<f64> = (0..n).map(|row| value(row, row)).collect::<Result<_>>()?;
    let mut factor = vec![0.0_f64; n * most];
    let mut before = left.iter().sum::<f64>();
    for rank in 0..=most {
        let trace: f64 = left.iter().sum();
        if trace <= target {
            return Ok(Some(DMatrix::from_fn(n, rank, |row, column| factor[row * most + column])));
        }
        if rank % LOOKED_AT == 0 && rank > 0 {
            // Traces fall ever more slowly, so that it is hopeless where the last columns' pace would not do.
            let blocks = (most - rank) as f64 / LOOKED_AT as f64;
            if trace * (trace / before).powf(blocks) > target {
                return Ok(None);
            }
            before = trace;
        }
        let pivot = (0..n).fold(0, |best, row| if left[row] > left[best] { row } else { best });
        if rank == most || left[pivot] <= 0.0 {
            return Ok(None);
        }
        let (own, root) = (factor[pivot * most..pivot * most + rank].to_vec(), left[pivot].sqrt());
        let rows = factor.par_chunks_mut(ROWS * most).zip(left.par_chunks_mut(ROWS)).enumerate();
        rows.try_for_each(|(part, (factor, left))| -> Result<()> {
            for (at, (row, left)) in factor.chunks_exact_mut(most).zip(left).enumerate() {
                let entry = (value(part * ROWS + at, pivot)? - dot(&row[..rank], &own)) / root;
                row[rank] = entry;
                *left = (*left - entry * entry).max(0.0);
            }
            Ok(())
        })?;
        left[pivot] = 0.0;
    }
    Ok(None)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (groups, rest) = a.as_chunks::<LANES>();
    let (others, tail) = b.as_chunks::<LANES>();
    for (group, other) in groups.iter().zip(others) {
        for at in 0..LANES {
            lanes[at] += group[at] * other[at];
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().zip(tail).map(|(a, b)| a * b).sum::<f64>()
}
