//! Conjugate gradients on the kernel system, preconditioned by a low-rank factor: with products of a matrix that is never
//! stored, or of one that is.

use nalgebra::DMatrix;

use super::{KernelRidge, OP, Solved, System};
use crate::array::Matrix;
use crate::cpu::linalg::corrected::Corrected;
use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::cpu::linalg::gemv::{gemv, gemv_transposed};
use crate::cpu::linalg::symmetric::symmetric_product;
use crate::error::{Error, Result};
use crate::estimator::Reporter;
use crate::kernel_methods::pivoted::{LowRank, factor, pivoted_cholesky};
use crate::linalg::Cholesky;

/// Columns of the preconditioner's factor at most, and numbers in it: 192 MiB.
const MOST_RANK: usize = 1024;
const MOST_NUMBERS: usize = 48 << 20;
/// The least penalty of the preconditioner, as a share of the mean diagonal: it divides by it.
const LEAST_SHARE: f64 = 1e-7;
/// For a matrix that is there: columns of the factor at most, when it ends, and after how many iterations it gives up.
const STORED_RANK: usize = 512;
const STORED_TOLERANCE: f64 = 1e-9;
const STORED_ITERATIONS: usize = 60;

/// With products of the kernel on the device.
pub(super) fn solve(
    system: &System<'_>,
    y: &Matrix,
    params: &KernelRidge,
    reporter: &mut Reporter<'_>,
) -> Result<Solved> {
    if system.kernel.kernel().is_precomputed() {
        return Err(Error::param("solver", "exact for a precomputed kernel: its matrix is there anyway", "pcg"));
    }
    let (n, p) = (system.x.rows(), y.columns());
    let (alpha, roots) = (params.alpha, system.roots());
    let mut low = pivoted_cholesky(OP, system.kernel, (system.x, system.rows), rank(n), params.seed)?;
    for column in low.columns.chunks_exact_mut(n.max(1)) {
        column.iter_mut().zip(&roots).for_each(|(value, &root)| *value *= root as f32);
    }
    let preconditioner = Preconditioner::new(low, n, alpha.max(LEAST_SHARE * system.mean_diagonal()?))?;
    let b: Vec<f64> = (0..n * p).map(|at| f64::from(y.as_slice()[at]) * roots[at / p]).collect();
    let product = |v: &[f64]| multiply(system, alpha, v, &roots, p);
    let found = descend(&b, p, &preconditioner, product, (params.tol, params.max_iter), &mut |count, worst| {
        reporter.report(count, Some(worst), count as f64 / params.max_iter as f64)
    })?;
    let Some(Descent { x, residuals, worst }) = found else {
        let what = format!(
            "the kernel matrix of {} plus alpha·I is not positive definite; raise alpha, or use another kernel",
            system.kernel.kernel()
        );
        return Err(Error::Singular { what, condition: f64::INFINITY });
    };
    let converged = worst <= params.tol;
    if !converged {
        log::warn!("{OP}: residual {worst:.1e} after {} iterations; raise max_iter or alpha", residuals.len());
    }
    // What was carried along drifts away from the residual, so that is made anew for the report.
    let rest: Vec<f64> = b.iter().zip(product(&x)?).map(|(b, product)| b - product).collect();
    let residual = share(&lengths(&rest, p), &lengths(&b, p));
    let coef: Vec<f64> = x.iter().enumerate().map(|(at, x)| x * roots[at / p]).collect();
    Ok(Solved { coef: Matrix::from_f64(n, p, &coef)?, residual, iterations: residuals.len(), converged, residuals })
}

/// On a matrix that is there, n×n, to 1e-9; nothing where that takes too many iterations to be worth it.
pub(super) fn solve_stored(matrix: &[f32], n: usize, alpha: f64, sides: &[Vec<f64>]) -> Result<Option<Corrected>> {
    let diagonal: Vec<f64> = (0..n).map(|at| f64::from(matrix[at * n + at])).collect();
    let mean = diagonal.iter().sum::<f64>() / n.max(1) as f64;
    let low = factor(diagonal, STORED_RANK.min(n / 8), 0, |chosen| {
        Ok(chosen.iter().flat_map(|&row| &matrix[row * n..(row + 1) * n]).copied().collect())
    })?;
    let preconditioner = Preconditioner::new(low, n, alpha.max(LEAST_SHARE * mean))?;
    let mut all = Corrected { x: vec![], residual: 0.0, corrections: 0 };
    for b in sides {
        let product = |v: &[f64]| Ok(symmetric_product(matrix, n, |at| f64::from(matrix[at * n + at]) + alpha, v));
        let limits = (STORED_TOLERANCE, STORED_ITERATIONS);
        match descend(b, 1, &preconditioner, product, limits, &mut |_, _| Ok(false))? {
            Some(found) if found.worst <= STORED_TOLERANCE => {
                all.residual = all.residual.max(found.worst);
                all.corrections = all.corrections.max(found.residuals.len());
                all.x.push(found.x);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// What conjugate gradients found: the solution, n×p, the residuals of the iterations, and the last of them.
struct Descent {
    x: Vec<f64>,
    residuals: Vec<f64>,
    worst: f64,
}

/// Solves for b, n×p, until the residual is `tol` of it. `report` may stop it. Nothing where the matrix is not positive definite.
fn descend(
    b: &[f64],
    p: usize,
    preconditioner: &Preconditioner,
    product: impl Fn(&[f64]) -> Result<Vec<f64>>,
    (tol, max_iter): (f64, usize),
    report: &mut dyn FnMut(usize, f64) -> Result<bool>,
) -> Result<Option<Descent>> {
    let sizes = lengths(b, p);
    let mut x = vec![0.0; b.len()];
    let mut rest = b.to_vec();
    let mut step = preconditioner.apply(&rest, p)?;
    let mut direction = step.clone();
    let mut slope = dots(&rest, &step, p);
    let mut residuals = vec![];
    let mut worst = share(&lengths(&rest, p), &sizes);
    while worst > tol && residuals.len() < max_iter {
        let product = product(&direction)?;
        let curvature = dots(&direction, &product, p);
        let rates: Vec<f64> = slope.iter().zip(&curvature).map(|(&slope, &bend)| ratio(slope, bend)).collect();
        if curvature.iter().zip(&slope).any(|(&bend, &slope)| bend <= 0.0 && slope > 0.0) {
            return Ok(None);
        }
        add_scaled(&mut x, &direction, &rates, 1.0);
        let before = rest.clone();
        add_scaled(&mut rest, &product, &rates, -1.0);
        step = preconditioner.apply(&rest, p)?;
        // Polak and Ribière's rule: the preconditioner works in f32, so it is not quite the same at each step.
        let gained: Vec<f64> = rest.iter().zip(&before).map(|(now, before)| now - before).collect();
        let (fresh, along) = (dots(&rest, &step, p), dots(&gained, &step, p));
        let keep: Vec<f64> = along.iter().zip(&slope).map(|(&along, &slope)| ratio(along, slope).max(0.0)).collect();
        for (at, direction) in direction.iter_mut().enumerate() {
            *direction = step[at] + keep[at % p] * *direction;
        }
        slope = fresh;
        worst = share(&lengths(&rest, p), &sizes);
        residuals.push(worst);
        if report(residuals.len(), worst)? {
            break;
        }
    }
    Ok(Some(Descent { x, residuals, worst }))
}

/// (D·K·D + alpha·I)·v, n×p: one product on the device, one wait.
fn multiply(system: &System<'_>, alpha: f64, v: &[f64], roots: &[f64], p: usize) -> Result<Vec<f64>> {
    let n = roots.len();
    // f32 has too small a range for directions of tiny length, so they are scaled to about 1.
    let size = v.iter().fold(0.0_f64, |largest, value| largest.max(value.abs())).max(f64::MIN_POSITIVE);
    let scaled: Vec<f64> = v.iter().enumerate().map(|(at, v)| v * roots[at / p] / size).collect();
    let device = system.x.device();
    let mut stream = device.stream();
    let v_device = Matrix::from_f64(n, p, &scaled)?.to(device)?;
    let product = system.kernel.product(&mut stream, (system.rows, system.rows), &v_device)?.to_matrix(&mut stream)?;
    let values = product.as_slice().iter().enumerate();
    Ok(values.map(|(at, &sum)| f64::from(sum) * size * roots[at / p] + alpha * v[at]).collect())
}

/// Columns of the preconditioner's factor for so many rows.
pub(super) fn rank(rows: usize) -> usize {
    let rank = (4.0 * (rows as f64).sqrt()) as usize;
    rank.clamp(1, MOST_RANK).min(MOST_NUMBERS / rows.max(1)).max(1)
}

/// (F·Fᵀ + alpha·I)⁻¹ with F from randomly pivoted Cholesky.
struct Preconditioner {
    low: LowRank,
    /// The factor of FᵀF + alpha·I.
    inner: Cholesky,
    alpha: f64,
}

impl Preconditioner {
    fn new(low: LowRank, n: usize, alpha: f64) -> Result<Preconditioner> {
        let alpha = alpha.max(f64::MIN_POSITIVE);
        let mut products = vec![0.0; low.rank * low.rank];
        gemm(Layout::NT, 1.0, &low.columns, (low.rank, n), &low.columns, (low.rank, n), 0.0, &mut products);
        let mut inner = DMatrix::from_fn(low.rank, low.rank, |i, j| f64::from(products[i * low.rank + j]));
        (0..low.rank).for_each(|at| inner[(at, at)] += alpha);
        Ok(Preconditioner { inner: Cholesky::factor_with_jitter(&inner)?, low, alpha })
    }

    /// (v − F·(FᵀF + alpha·I)⁻¹·Fᵀ·v)/alpha.
    fn apply(&self, v: &[f64], p: usize) -> Result<Vec<f64>> {
        let (n, r) = (v.len() / p, self.low.rank);
        let size = v.iter().fold(0.0_f64, |largest, value| largest.max(value.abs())).max(f64::MIN_POSITIVE);
        let scaled: Vec<f32> = v.iter().map(|value| (value / size) as f32).collect();
        let mut inside = vec![0.0; r * p];
        match p {
            1 => gemv(1.0, &self.low.columns, r, n, &scaled, 0.0, &mut inside),
            _ => gemm(Layout::NN, 1.0, &self.low.columns, (r, n), &scaled, (n, p), 0.0, &mut inside),
        }
        let inside = self.inner.solve(&DMatrix::from_fn(r, p, |i, j| f64::from(inside[i * p + j])))?;
        let inside: Vec<f32> = inside.transpose().iter().map(|&value| value as f32).collect();
        let mut back = vec![0.0; n * p];
        match p {
            1 => gemv_transposed(1.0, &self.low.columns, r, n, &inside, 0.0, &mut back),
            _ => gemm(Layout::TN, 1.0, &self.low.columns, (r, n), &inside, (r, p), 0.0, &mut back),
        }
        Ok(v.iter().zip(back).map(|(v, back)| (v - f64::from(back) * size) / self.alpha).collect())
    }
}

/// `a/b`, and 0 where there is nothing to divide by.
fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a / b }
}

/// aᵀ·b of each of the p columns.
fn dots(a: &[f64], b: &[f64], p: usize) -> Vec<f64> {
    let mut sums = vec![0.0; p];
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        sums[at % p] += a * b;
    }
    sums
}

fn lengths(v: &[f64], p: usize) -> Vec<f64> {
    dots(v, v, p).into_iter().map(f64::sqrt).collect()
}

fn share(lengths: &[f64], of: &[f64]) -> f64 {
    lengths.iter().zip(of).map(|(&length, &of)| ratio(length, of)).fold(0.0, f64::max)
}

fn add_scaled(to: &mut [f64], from: &[f64], factors: &[f64], sign: f64) {
    let p = factors.len();
    to.iter_mut().zip(from).enumerate().for_each(|(at, (to, from))| *to += sign * factors[at % p] * from);
}
