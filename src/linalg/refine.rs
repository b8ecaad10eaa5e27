//! Symmetric positive definite systems by an f32 factor and f64 refinement, with the f64 factor to fall back on.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, Par};
use nalgebra::DMatrix;

use super::residual::residual;
use super::{Cholesky, check_finite, check_rows, check_square, inverse_norm_1, sum_abs};
use crate::error::{Error, Result};

/// Above this condition an f32 factor (ε = 6e-8) shrinks the error too little in each step to be worth it.
pub(super) const SINGLE_LIMIT: f64 = 1e6;
/// Corrections at most; at the limit above each gains about one digit.
const MAX_ITERATIONS: usize = 30;
/// Corrections that stop shrinking must be below this share of the solution.
const SETTLED: f64 = 1e-13;

/// Rows and columns that are mirrored at a time.
const TILE: usize = 32;

/// Which factor the solution came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Path {
    /// The f32 factor, refined with f64 residuals.
    Refined,
    /// The f64 factor, refined too.
    Double,
}

/// The solution of a linear system and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// d×k, one column for each right-hand side.
    pub x: DMatrix<f64>,
    /// Corrections after the first solve, the most over the right-hand sides.
    pub iterations: usize,
    /// Estimated 1-norm condition of the matrix after its diagonal was scaled to about 1: what the accuracy depends on.
    pub condition: f64,
    /// Which factor was used.
    pub path: Path,
}

/// Solves A X = B for a symmetric positive definite d×d `a` and the columns of the d×k `b`.
///
/// Factors in f32, then corrects with residuals of twice the f64 precision until the corrections vanish: the result is
/// right to about 1e-15 whatever the condition, where a plain f64 solve loses as many digits as the condition has. When
/// the condition is above 1e6 or the corrections do not shrink, the same with an f64 factor; when that fails too,
/// [`Error::Singular`]. Only the lower triangle of `a` is used.
///
/// d³/3 operations in f32 and some 100d² in f64. On the host that is no faster than a plain f64 solve up to d = 2000
/// (measured); it buys the digits and the condition. The f32 factor may come from a device: [`SingleFactor`].
///
/// ```
/// use gristmill::linalg::{Path, solve_positive_definite};
/// use nalgebra::DMatrix;
/// let a = DMatrix::from_row_slice(2, 2, &[4.0, 2.0, 2.0, 5.0]);
/// let solution = solve_positive_definite(&a, &DMatrix::from_row_slice(2, 1, &[8.0, 12.0]))?;
/// assert_eq!(solution.path, Path::Refined);
/// assert!((solution.x - DMatrix::from_row_slice(2, 1, &[1.0, 2.0])).amax() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn solve_positive_definite(a: &DMatrix<f64>, b: &DMatrix<f64>) -> Result<Solution> {
    let system = System::new("solve_positive_definite", a, b)?;
    let single = SingleFactor::of(&system.matrix, system.scale.clone());
    if let Some(solution) = single.and_then(|factor| factor.refine_system(&system)) {
        return Ok(solution);
    }
    let factor = Cholesky::factor(&system.matrix)?;
    let condition = factor.condition();
    let solve = |x: &mut [f64]| double_solve(&factor, x);
    system.refine(solve, condition, Path::Double).ok_or_else(|| Error::Singular {
        what: "the positive definite system is singular to rounding: refinement does not converge".to_string(),
        condition,
    })
}

/// An f32 Cholesky factor of D A D, made here or on a device, that [`SingleFactor::refine`] solves with.
#[derive(Debug, Clone)]
pub struct SingleFactor {
    lower: Mat<f32>,
    scale: Vec<f64>,
}

impl SingleFactor {
    /// The diagonal of D: powers of two that bring the diagonal of D A D near 1, so that f32 can hold it.
    ///
    /// [`Error::Singular`] when an entry of the diagonal is not positive.
    pub fn scaling(a: &DMatrix<f64>) -> Result<Vec<f64>> {
        let size = check_square("SingleFactor::scaling", a)?;
        let power = |value: f64| 2.0_f64.powi((-value.log2() / 2.0).round() as i32);
        match (0..size).find(|&i| !(a[(i, i)] > 0.0 && a[(i, i)].is_finite())) {
            None => Ok((0..size).map(|i| power(a[(i, i)])).collect()),
            Some(i) => Err(Error::Singular {
                what: format!("the matrix is not positive definite: its diagonal holds {} in row {i}", a[(i, i)]),
                condition: f64::INFINITY,
            }),
        }
    }

    /// Takes a given lower factor of D A D; what is above its diagonal is not read.
    pub fn from_lower(lower: &DMatrix<f32>, scale: Vec<f64>) -> Result<SingleFactor> {
        if lower.nrows() != lower.ncols() || scale.len() != lower.nrows() {
            return Err(Error::shape(
                "SingleFactor::from_lower",
                format!("a {0}×{0} factor", scale.len()),
                format!("{}×{}", lower.nrows(), lower.ncols()),
            ));
        }
        let lower = Mat::from_fn(scale.len(), scale.len(), |row, column| lower[(row, column)]);
        Ok(SingleFactor { lower, scale })
    }

    /// Solves A X = B with this factor and f64 residuals; `None` when it is not good enough and f64 is needed.
    pub fn refine(&self, a: &DMatrix<f64>, b: &DMatrix<f64>) -> Result<Option<Solution>> {
        let system = System::new("SingleFactor::refine", a, b)?;
        check_rows("SingleFactor::refine", self.scale.len(), a)?;
        Ok(if system.scale == self.scale { self.refine_system(&system) } else { None })
    }

    /// Rounds D A D to f32 and factors it; `None` when it is not positive definite at that precision.
    pub(super) fn of(scaled: &DMatrix<f64>, scale: Vec<f64>) -> Option<SingleFactor> {
        let size = scaled.nrows();
        let mut lower = Mat::<f32>::zeros(size, size);
        for column in 0..size {
            let from = &scaled.as_slice()[column * size + column..(column + 1) * size];
            let to = &mut lower.col_as_slice_mut(column)[column..];
            to.iter_mut().zip(from).for_each(|(to, value)| *to = *value as f32);
        }
        if size > 0 {
            let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f32>(size, Par::Seq, Default::default()));
            let stack = MemStack::new(&mut memory);
            cholesky_in_place(lower.as_mut(), Default::default(), Par::Seq, stack, Default::default()).ok()?;
        }
        (0..size).all(|i| lower[(i, i)] > 0.0 && lower[(i, i)].is_finite()).then_some(SingleFactor { lower, scale })
    }

    /// Solves in place with D A D. The vector is brought to unit size first: f32 underflows early.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let largest = x.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if largest == 0.0 {
            return;
        }
        let mut column = Mat::from_fn(x.len(), 1, |row, _| (x[row] / largest) as f32);
        solve_lower_triangular_in_place(self.lower.as_ref(), column.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(self.lower.as_ref().transpose(), column.as_mut(), Par::Seq);
        x.iter_mut().zip(column.col_as_slice(0)).for_each(|(to, value)| *to = f64::from(*value) * largest);
    }

    fn refine_system(&self, system: &System<'_>) -> Option<Solution> {
        let inverse_norm = inverse_norm_1(self.scale.len(), |x| self.solve(x), |x| self.solve(x));
        let condition = condition_of(&system.matrix, inverse_norm);
        if condition > SINGLE_LIMIT {
            return None;
        }
        system.refine(|x| self.solve(x), condition, Path::Refined)
    }
}

/// D A D, mirrored from the lower triangle, with D and the right-hand sides.
struct System<'a> {
    matrix: DMatrix<f64>,
    scale: Vec<f64>,
    b: &'a DMatrix<f64>,
}

impl<'a> System<'a> {
    fn new(op: &'static str, a: &DMatrix<f64>, b: &'a DMatrix<f64>) -> Result<System<'a>> {
        let size = check_square(op, a)?;
        check_rows(op, size, b)?;
        check_finite(a)?;
        check_finite(b)?;
        let scale = SingleFactor::scaling(a)?;
        Ok(System { matrix: scale_both_sides(a, &scale), scale, b })
    }

    fn refine(&self, mut solve: impl FnMut(&mut [f64]), condition: f64, path: Path) -> Option<Solution> {
        let size = self.scale.len();
        let mut x = DMatrix::zeros(size, self.b.ncols());
        let mut iterations = 0;
        for column in 0..self.b.ncols() {
            let b: Vec<f64> = (0..size).map(|row| self.b[(row, column)] * self.scale[row]).collect();
            let gradient = |x: &[f64], out: &mut [f64]| residual(&self.matrix, x, &b, out);
            let (solution, steps) = iterate(size, gradient, &mut solve, |size| SETTLED * size)?;
            iterations = iterations.max(steps);
            (0..size).for_each(|row| x[(row, column)] = solution[row] * self.scale[row]);
        }
        check_finite(&x).ok()?;
        Some(Solution { x, iterations, condition, path })
    }
}

/// Iterative refinement from zero: x += solve(residual(x)) until the corrections vanish or stop shrinking.
///
/// Gives the solution and the number of corrections after the first; `None` when they stop shrinking above
/// `settled(‖x‖)`. A correction that does not shrink is not applied.
pub(super) fn iterate(
    size: usize,
    mut residual: impl FnMut(&[f64], &mut [f64]),
    solve: &mut impl FnMut(&mut [f64]),
    mut settled: impl FnMut(f64) -> f64,
) -> Option<(Vec<f64>, usize)> {
    let (mut x, mut correction) = (vec![0.0; size], vec![0.0; size]);
    let mut before = f64::INFINITY;
    for step in 0..=MAX_ITERATIONS {
        residual(&x, &mut correction);
        solve(&mut correction);
        let norm = norm_max(&correction);
        if !norm.is_finite() {
            return None;
        }
        if norm > 0.5 * before {
            return (norm <= settled(norm_max(&x))).then_some((x, step));
        }
        x.iter_mut().zip(&correction).for_each(|(x, correction)| *x += correction);
        if norm <= f64::EPSILON * norm_max(&x) {
            return Some((x, step));
        }
        before = norm;
    }
    (before <= settled(norm_max(&x))).then_some((x, MAX_ITERATIONS))
}

/// D A D in full from the lower triangle of `a`; by tiles, because the mirror image is written across columns.
pub(super) fn scale_both_sides(a: &DMatrix<f64>, scale: &[f64]) -> DMatrix<f64> {
    let size = scale.len();
    let from = a.as_slice();
    let mut to = vec![0.0; size * size];
    for first_column in (0..size).step_by(TILE) {
        for first_row in (first_column..size).step_by(TILE) {
            for column in first_column..size.min(first_column + TILE) {
                for row in first_row.max(column)..size.min(first_row + TILE) {
                    let value = from[column * size + row] * scale[column] * scale[row];
                    to[column * size + row] = value;
                    to[row * size + column] = value;
                }
            }
        }
    }
    DMatrix::from_vec(size, size, to)
}

pub(super) fn condition_of(matrix: &DMatrix<f64>, inverse_norm: f64) -> f64 {
    let columns = matrix.as_slice().chunks_exact(matrix.nrows().max(1));
    let norm = columns.map(sum_abs).fold(0.0, f64::max);
    if matrix.nrows() == 0 { 1.0 } else { norm * inverse_norm }
}

/// Solves in place with an f64 factor; what overflows becomes NaN and ends the refinement.
pub(super) fn double_solve(factor: &Cholesky, x: &mut [f64]) {
    match factor.solve(&DMatrix::from_column_slice(x.len(), 1, x)) {
        Ok(solution) => x.copy_from_slice(solution.as_slice()),
        Err(_) => x.fill(f64::NAN),
    }
}

/// NaN counts as infinite here.
pub(super) fn norm_max(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest, value| if value.is_nan() { f64::INFINITY } else { value.abs().max(largest) })
}
