//! Least squares by the normal equations, refined with the data itself so that it is as accurate as QR.

use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use nalgebra::{DMatrix, DVector};

use super::refine::{
    Path, SINGLE_LIMIT, SingleFactor, Solution, condition_of, double_solve, iterate, scale_both_sides,
};
use super::{Cholesky, check_finite, check_rows, from_faer, inverse_norm_1};
use crate::error::{Error, Result};

/// Above this condition of XᵀX the normal equations no longer say enough about X (whose condition is the root of it).
const DOUBLE_LIMIT: f64 = 1e13;
/// Rows of X that are copied and multiplied at a time.
const BLOCK: usize = 1024;

/// The W (d×k) that minimises ‖X W − Y‖² + ridge·‖W‖², for X (n×d) and Y (n×k).
///
/// Makes XᵀX (nd² operations), factors it in f32, and corrects W with f64 residuals of the data, Xᵀ(Y − X W) − ridge·W,
/// at 4nd each. The factor only steers, so its own rounding does not matter as long as the corrections shrink, and W
/// becomes as accurate as QR makes it (Björck, *Numerical Methods for Least Squares Problems*, §6.6). Condition above
/// 1e6: with an f64 factor. Condition above 1e13, or dependent columns: [`Error::Singular`]; then [`super::Qr`] and
/// [`super::Svd`] reach further.
///
/// Does not centre: subtract the means of X and Y first and get the intercept from them.
///
/// ```
/// use gristmill::linalg::solve_least_squares;
/// use nalgebra::DMatrix;
/// let x = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 1.0, 2.0]);
/// let line = solve_least_squares(&x, &DMatrix::from_row_slice(3, 1, &[1.0, 3.0, 5.0]), 0.0)?;
/// assert!((line.x - DMatrix::from_row_slice(2, 1, &[1.0, 2.0])).amax() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn solve_least_squares(x: &DMatrix<f64>, y: &DMatrix<f64>, ridge: f64) -> Result<Solution> {
    check("solve_least_squares", x, y, ridge)?;
    solve(&gram(x), x, y, ridge)
}

/// The same with XᵀX (d×d, lower triangle) given, from a device for instance. f32 accuracy is enough for it; if it
/// proves too rough, it is made again here.
pub fn solve_least_squares_from_gram(
    gram_of_x: &DMatrix<f64>,
    x: &DMatrix<f64>,
    y: &DMatrix<f64>,
    ridge: f64,
) -> Result<Solution> {
    check("solve_least_squares_from_gram", x, y, ridge)?;
    if gram_of_x.shape() != (x.ncols(), x.ncols()) {
        return Err(Error::shape(
            "solve_least_squares_from_gram",
            format!("a Gram matrix of {0}×{0}", x.ncols()),
            format!("{}×{}", gram_of_x.nrows(), gram_of_x.ncols()),
        ));
    }
    check_finite(gram_of_x)?;
    solve(gram_of_x, x, y, ridge).or_else(|_| solve(&gram(x), x, y, ridge))
}

fn check(op: &'static str, x: &DMatrix<f64>, y: &DMatrix<f64>, ridge: f64) -> Result<()> {
    check_rows(op, x.nrows(), y)?;
    check_finite(x)?;
    check_finite(y)?;
    if ridge.is_finite() && ridge >= 0.0 {
        Ok(())
    } else {
        Err(Error::param("ridge", "a finite number, 0 or more", ridge))
    }
}

fn solve(gram: &DMatrix<f64>, x: &DMatrix<f64>, y: &DMatrix<f64>, ridge: f64) -> Result<Solution> {
    let mut gram = gram.clone();
    (0..gram.nrows()).for_each(|i| gram[(i, i)] += ridge);
    if let Err(Error::NotFinite { .. }) = check_finite(&gram) {
        let what = "XᵀX is beyond the range of f64; scale the columns".to_string();
        return Err(Error::Singular { what, condition: f64::INFINITY });
    }
    let scale = SingleFactor::scaling(&gram)?;
    let scaled = scale_both_sides(&gram, &scale);
    let problem = Problem { x, y, ridge, scale: &scale };
    if let Some(factor) = SingleFactor::of(&scaled, scale.clone()) {
        let inverse_norm = inverse_norm_1(scale.len(), |x| factor.solve(x), |x| factor.solve(x));
        let condition = condition_of(&scaled, inverse_norm);
        if condition <= SINGLE_LIMIT
            && let Some(solution) = problem.refine(|x| factor.solve(x), condition, Path::Refined)
        {
            return Ok(solution);
        }
    }
    let factor = Cholesky::factor(&scaled)?;
    let condition = factor.condition();
    let solution = problem.refine(|x| double_solve(&factor, x), condition, Path::Double);
    solution.filter(|_| condition <= DOUBLE_LIMIT).ok_or_else(|| Error::Singular {
        what: "the columns are too nearly dependent for the normal equations".to_string(),
        condition,
    })
}

/// XᵀX in f64, lower triangle, by blocks of rows.
fn gram(x: &DMatrix<f64>) -> DMatrix<f64> {
    let (n, d) = x.shape();
    let mut sum = Mat::zeros(d, d);
    for start in (0..n).step_by(BLOCK) {
        let rows = BLOCK.min(n - start);
        let mut block = Mat::zeros(rows, d);
        for column in 0..d {
            let from = column * n + start;
            block.col_as_slice_mut(column).copy_from_slice(&x.as_slice()[from..from + rows]);
        }
        let (full, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
        matmul(sum.as_mut(), lower, Accum::Add, block.transpose(), full, &block, full, 1.0, Par::Seq);
    }
    from_faer(&sum)
}

/// The data, and the scaling in whose units (W = D V) the corrections are measured.
struct Problem<'a> {
    x: &'a DMatrix<f64>,
    y: &'a DMatrix<f64>,
    ridge: f64,
    scale: &'a [f64],
}

impl Problem<'_> {
    fn refine(&self, mut solve: impl FnMut(&mut [f64]), condition: f64, path: Path) -> Option<Solution> {
        let mut x = DMatrix::zeros(self.scale.len(), self.y.ncols());
        let mut iterations = 0;
        for column in 0..self.y.ncols() {
            let y = self.y.column(column).into_owned();
            let misfit = std::cell::Cell::new(0.0);
            let gradient = |v: &[f64], out: &mut [f64]| misfit.set(self.gradient(v, &y, out));
            // Rounding in Y − X W moves W by ε√κ‖W‖, rounding in Xᵀ(…) by εκ‖Y − X W‖: no corrections are below that.
            let settled = |size: f64| 100.0 * f64::EPSILON * (condition.sqrt() * size + condition * misfit.get());
            let (solution, steps) = iterate(self.scale.len(), gradient, &mut solve, settled)?;
            iterations = iterations.max(steps);
            (0..solution.len()).for_each(|row| x[(row, column)] = solution[row] * self.scale[row]);
        }
        check_finite(&x).ok()?;
        Some(Solution { x, iterations, condition, path })
    }

    /// D(Xᵀ(y − X D v) − ridge·D v) into `out`; gives ‖y − X D v‖.
    fn gradient(&self, v: &[f64], y: &DVector<f64>, out: &mut [f64]) -> f64 {
        let w = DVector::from_iterator(v.len(), v.iter().zip(self.scale).map(|(v, scale)| v * scale));
        let mut misfit = y.clone();
        misfit.gemv(-1.0, self.x, &w, 1.0);
        let mut slope = self.x.tr_mul(&misfit);
        slope.axpy(-self.ridge, &w, 1.0);
        out.iter_mut().zip(slope.iter()).zip(self.scale).for_each(|((out, slope), scale)| *out = slope * scale);
        misfit.norm()
    }
}
