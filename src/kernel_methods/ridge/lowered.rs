//! A kernel matrix with its largest eigenvalues lowered, so that f32 keeps the digits of the small ones.

use nalgebra::DMatrix;

use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::error::Result;
use crate::kernel_methods::pivoted::factor;
use crate::linalg::{Cholesky, Eigen};

/// Vectors at first; twice as many where they do not reach below the limit, up to an eighth of the rows.
const FIRST: usize = 32;
const SHARE: usize = 8;
/// Products at most, and residuals, as shares of the limit, that end them.
const MOST_PRODUCTS: usize = 30;
const SETTLED: f64 = 1e-4;

/// Eigenpairs that were lowered to a level: K = K′ + Q·(Λ − level·I)·Qᵀ, and K′·Q = level·Q.
pub(super) struct Lowered {
    values: Vec<f64>,
    /// Qᵀ, k×n.
    vectors: Vec<f32>,
    level: f64,
}

impl Lowered {
    /// Lowers what is above `level` of a symmetric n×n matrix; nothing, and the matrix as it was, where that is too much.
    ///
    /// The vectors are those of subspace iterations in f32 from a pivoted factor. What they miss, a coupling of ρ to the others,
    /// stays in K′, and the inverse is off by ρ/level in the directions of Q alone.
    pub(super) fn lower(matrix: &mut [f32], n: usize, level: f64) -> Result<Option<Lowered>> {
        let mut count = FIRST;
        while count <= n / SHARE {
            match leading(matrix, n, level, count)? {
                Found::TooFew => count *= 2,
                Found::Unsettled => return Ok(None),
                Found::Pairs(values, vectors) => {
                    let mut scaled = vectors.clone();
                    for (row, value) in scaled.chunks_exact_mut(n).zip(&values) {
                        let root = (value - level).sqrt() as f32;
                        row.iter_mut().for_each(|entry| *entry *= root);
                    }
                    let shape = (values.len(), n);
                    gemm(Layout::TN, -1.0, &scaled, shape, &scaled, shape, 1.0, matrix);
                    return Ok(Some(Lowered { values, vectors, level }));
                }
            }
        }
        Ok(None)
    }

    /// The diagonal of (K + alpha·I)⁻¹ from that of (K′ + alpha·I)⁻¹.
    pub(super) fn correct_diagonal(&self, alpha: f64, diagonal: &mut [f64]) {
        for (vector, value) in self.vectors.chunks_exact(diagonal.len()).zip(&self.values) {
            let change = 1.0 / (value + alpha) - 1.0 / (self.level + alpha);
            diagonal.iter_mut().zip(vector).for_each(|(to, &entry)| *to += change * f64::from(entry).powi(2));
        }
    }

    /// (K + alpha·I)⁻¹·b from (K′ + alpha·I)⁻¹·b for each penalty: `b` and `x` are n×count, a column for each.
    pub(super) fn correct_solutions(&self, alphas: &[f64], b: &[f64], x: &mut [f32]) {
        let count = alphas.len();
        for (vector, value) in self.vectors.chunks_exact(b.len() / count).zip(&self.values) {
            let mut along = vec![0.0_f64; count];
            for (&entry, b) in vector.iter().zip(b.chunks_exact(count)) {
                along.iter_mut().zip(b).for_each(|(along, b)| *along += f64::from(entry) * b);
            }
            for (along, alpha) in along.iter_mut().zip(alphas) {
                *along *= 1.0 / (value + alpha) - 1.0 / (self.level + alpha);
            }
            for (&entry, x) in vector.iter().zip(x.chunks_exact_mut(count)) {
                x.iter_mut().zip(&along).for_each(|(x, along)| *x += (f64::from(entry) * along) as f32);
            }
        }
    }
}

enum Found {
    /// More than so many eigenvalues are near the level or above it.
    TooFew,
    Unsettled,
    /// Those above the level, with their vectors as rows.
    Pairs(Vec<f64>, Vec<f32>),
}

/// The eigenpairs above the level by iterations on `count` vectors.
fn leading(matrix: &[f32], n: usize, level: f64, count: usize) -> Result<Found> {
    let diagonal = (0..n).map(|at| f64::from(matrix[at * n + at])).collect();
    let low = factor(diagonal, count, 0, |chosen| {
        Ok(chosen.iter().flat_map(|&row| &matrix[row * n..(row + 1) * n]).copied().collect())
    })?;
    let count = low.rank;
    let mut vectors = orthonormal(&low.columns, count, n)?;
    for _ in 0..MOST_PRODUCTS {
        let mut images = vec![0.0; count * n];
        gemm(Layout::NT, 1.0, &vectors, (count, n), matrix, (n, n), 0.0, &mut images);
        let (values, turn) = Eigen::factor(&inner(&vectors, &images, count, n))?.into_parts();
        let turn: Vec<f32> = turn.iter().map(|&value| value as f32).collect();
        let [turned, turned_images] = [&vectors, &images].map(|rows| {
            let mut out = vec![0.0; count * n];
            gemm(Layout::NN, 1.0, &turn, (count, count), rows, (count, n), 0.0, &mut out);
            out
        });
        if count == 0 || values[count - 1] > 0.5 * level {
            return Ok(Found::TooFew);
        }
        let above = values.iter().take_while(|&&value| value > level).count();
        let residual = |at: usize| {
            let rows = turned[at * n..(at + 1) * n].iter().zip(&turned_images[at * n..]);
            rows.map(|(&q, &image)| (f64::from(image) - values[at] * f64::from(q)).powi(2)).sum::<f64>().sqrt()
        };
        if (0..above).all(|at| residual(at) <= SETTLED * level + 1e-6 * values[0]) {
            let kept = orthonormal(&turned[..above * n], above, n)?;
            return Ok(Found::Pairs(values.iter().take(above).copied().collect(), kept));
        }
        vectors = orthonormal(&turned_images, count, n)?;
    }
    Ok(Found::Unsettled)
}

/// The products of the rows of two matrices, count×n, made symmetric.
fn inner(left: &[f32], right: &[f32], count: usize, n: usize) -> DMatrix<f64> {
    let mut products = vec![0.0; count * count];
    gemm(Layout::NT, 1.0, left, (count, n), right, (count, n), 0.0, &mut products);
    let entry = |i: usize, j: usize| f64::from(products[i * count + j]);
    DMatrix::from_fn(count, count, |i, j| 0.5 * (entry(i, j) + entry(j, i)))
}

/// The rows made orthonormal, in their order.
fn orthonormal(rows: &[f32], count: usize, n: usize) -> Result<Vec<f32>> {
    let mut rows = rows.to_vec();
    // Twice, because once leaves the rounding of their products.
    for _ in 0..2 {
        let lower = Cholesky::factor_with_jitter(&inner(&rows, &rows, count, n))?;
        let inverse = lower.solve_lower(&DMatrix::identity(count, count))?;
        let inverse: Vec<f32> = inverse.transpose().iter().map(|&value| value as f32).collect();
        let mut out = vec![0.0; count * n];
        gemm(Layout::NN, 1.0, &inverse, (count, count), &rows, (count, n), 0.0, &mut out);
        rows = out;
    }
    Ok(rows)
}
