//! Randomly pivoted Cholesky: a low-rank factor of a kernel matrix from the columns of rows that it draws.

use nalgebra::DMatrix;

use super::{FittedKernel, KernelRows};
use crate::array::{DeviceMatrix, DeviceVec};
use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::cpu::random::philox::Philox;
use crate::error::Result;
use crate::linalg::Cholesky;
use crate::ops;

/// Rows that are drawn at a time.
const BLOCK: usize = 64;
/// What the draws are for.
const DRAWS: u32 = 0x7063_686f;
/// What is left of the trace, as a share, at which nothing is left to approximate.
const NOTHING: f64 = 1e-7;

/// K ≈ F·Fᵀ with F of n×r.
pub(super) struct LowRank {
    /// F, column by column.
    pub(super) columns: Vec<f32>,
    pub(super) rank: usize,
    /// The rows that were drawn.
    pub(super) pivots: Vec<usize>,
}

/// The factor of the kernel matrix of the rows of a fit, from [`factor`]; the columns come from the device of `x`.
pub(super) fn pivoted_cholesky(
    op: &'static str,
    kernel: &FittedKernel,
    (x, rows): (&DeviceMatrix, &KernelRows),
    rank: usize,
    seed: u64,
) -> Result<LowRank> {
    let device = x.device().clone();
    let mut stream = device.stream();
    let diagonal = kernel.diagonal(&mut stream, rows)?.into_iter().map(f64::from).collect();
    factor(diagonal, rank, seed, |chosen| {
        let picked: Vec<u32> = chosen.iter().map(|&row| row as u32).collect();
        let part = ops::gather_rows(&mut stream, x, &DeviceVec::from_slice(&picked, &device)?)?;
        let part = kernel.rows(op, &part)?;
        Ok(kernel.matrix(&mut stream, &part, rows)?.to_matrix(&mut stream)?.into_vec())
    })
}

/// Draws up to `rank` rows of a positive semi-definite matrix, each with a probability that grows with what the rows before left
/// of its diagonal, and factors their columns. `rows_of` has the matrix's rows of these numbers, b×n. Costs n·rank² operations.
pub(super) fn factor(
    diagonal: Vec<f64>,
    rank: usize,
    seed: u64,
    mut rows_of: impl FnMut(&[usize]) -> Result<Vec<f32>>,
) -> Result<LowRank> {
    let (n, mut left) = (diagonal.len(), diagonal);
    let whole: f64 = left.iter().sum();
    let draws = Philox::new(seed, DRAWS);
    let rank = rank.min(n);
    let mut columns: Vec<f32> = Vec::with_capacity(rank * n);
    let mut pivots: Vec<usize> = vec![];
    let mut drawn = 0;
    while pivots.len() < rank && left.iter().sum::<f64>() > NOTHING * whole {
        let chosen = draw(&left, BLOCK.min(rank - pivots.len()), &draws, &mut drawn);
        if chosen.is_empty() {
            break;
        }
        // The new columns, as rows.
        let mut fresh = rows_of(&chosen)?;
        let (known, b) = (pivots.len(), chosen.len());
        if known > 0 {
            let at: Vec<f32> = chosen
                .iter()
                .flat_map(|&row| (0..known).map(move |k| (k, row)))
                .map(|(k, row)| columns[k * n + row])
                .collect();
            gemm(Layout::NN, -1.0, &at, (b, known), &columns, (known, n), 1.0, &mut fresh);
        }
        let own = DMatrix::from_fn(b, b, |i, j| f64::from(fresh[i * n + chosen[j]].min(f32::MAX)));
        let own = (&own + own.transpose()) * 0.5;
        let Ok(lower) = Cholesky::factor_with_jitter(&own) else { break };
        let inverse = lower.solve_lower(&DMatrix::identity(b, b))?;
        let inverse: Vec<f32> = inverse.transpose().iter().map(|&value| value as f32).collect();
        let mut made = vec![0.0; b * n];
        gemm(Layout::NN, 1.0, &inverse, (b, b), &fresh, (b, n), 0.0, &mut made);
        for row in made.chunks_exact(n) {
            left.iter_mut().zip(row).for_each(|(left, &value)| *left = (*left - f64::from(value).powi(2)).max(0.0));
        }
        chosen.iter().for_each(|&row| left[row] = 0.0);
        columns.extend_from_slice(&made);
        pivots.extend(chosen);
    }
    Ok(LowRank { columns, rank: pivots.len(), pivots })
}

/// Different rows by their shares, in one draw for each; rows without a share are never drawn.
fn draw(left: &[f64], count: usize, draws: &Philox, drawn: &mut u64) -> Vec<usize> {
    let mut sums = Vec::with_capacity(left.len());
    let mut total = 0.0;
    for value in left {
        total += value;
        sums.push(total);
    }
    let mut chosen: Vec<usize> = vec![];
    for _ in 0..2 * count {
        let mut uniform = [0.0_f32; 2];
        draws.fill_uniforms(2 * *drawn, &mut uniform);
        *drawn += 1;
        // Two numbers, because one f32 has too few steps for many rows.
        let at = (f64::from(uniform[0]) + f64::from(uniform[1]) / 16_777_216.0) * total;
        let row = sums.partition_point(|&sum| sum <= at).min(left.len() - 1);
        if left[row] > 0.0 && !chosen.contains(&row) {
            chosen.push(row);
        }
        if chosen.len() == count {
            break;
        }
    }
    chosen.sort_unstable();
    chosen
}
