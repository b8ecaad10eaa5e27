//! Cholesky: A = L Lᵀ of a symmetric positive definite matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::llt::inverse::{inverse, inverse_scratch};
use faer::{Mat, Par};
use nalgebra::{DMatrix, DVector};

use super::triangular::{Triangle, solve_in_place, solve_slice};
use super::{
    check_finite, check_rows, check_solution, check_square, from_faer, inverse_norm_1, lower_to_faer, power_scale,
    sum_abs, to_faer,
};
use crate::error::{Error, Result};

/// The first rung of the jitter ladder, as a share of the mean of the diagonal; each next rung is ten times higher.
const FIRST_JITTER: f64 = 1e-12;
/// Rungs of the ladder: 1e-12 to 1e-4 of the mean of the diagonal. More would be another model, not a repair.
const RUNGS: i32 = 9;

/// The lower factor of a symmetric positive definite d×d matrix.
///
/// Only the lower triangle of the input is used. Factoring costs d³/3, a solve 2d² for each right-hand side.
///
/// ```
/// use gristmill::linalg::Cholesky;
/// use nalgebra::DMatrix;
/// let a = DMatrix::from_row_slice(2, 2, &[4.0, 2.0, 2.0, 5.0]);
/// let cholesky = Cholesky::factor(&a)?;
/// assert_eq!(cholesky.lower(), DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 1.0, 2.0]));
/// assert_eq!(cholesky.solve(&DMatrix::from_row_slice(2, 1, &[8.0, 12.0]))?, DMatrix::from_row_slice(2, 1, &[1.0, 2.0]));
/// assert!((cholesky.log_determinant() - 16.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cholesky {
    lower: Mat<f64>,
    norm_1: f64,
    jitter: f64,
}

impl Cholesky {
    /// Factors `a`.
    ///
    /// [`Error::Singular`] when a pivot is not above d·ε times its diagonal entry: what is left there is rounding, as
    /// with collinear columns, and a solution from it would be noise. The test does not depend on the columns' units.
    pub fn factor(a: &DMatrix<f64>) -> Result<Cholesky> {
        check_square("Cholesky::factor", a)?;
        let largest = check_finite(a)?;
        factor_shifted(a, largest, 0.0)
    }

    /// Factors `a + jitter·I` for the least jitter that works: 0, then 1e-12 times the mean of the diagonal, then ten
    /// times that, up to 1e-4. [`Cholesky::jitter`] tells which.
    ///
    /// For kernel matrices and covariances, positive semi-definite in theory and a little less in rounding. A matrix
    /// with clearly negative eigenvalues is still [`Error::Singular`].
    ///
    /// ```
    /// use gristmill::linalg::Cholesky;
    /// use nalgebra::DMatrix;
    /// let twice_the_same_point = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0]);
    /// assert!(Cholesky::factor(&twice_the_same_point).is_err());
    /// assert_eq!(Cholesky::factor_with_jitter(&twice_the_same_point)?.jitter(), 1e-12);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn factor_with_jitter(a: &DMatrix<f64>) -> Result<Cholesky> {
        let size = check_square("Cholesky::factor_with_jitter", a)?;
        let largest = check_finite(a)?;
        let mean = (0..size).map(|i| a[(i, i)] / size as f64).sum::<f64>();
        let mut outcome = factor_shifted(a, largest, 0.0);
        for rung in 0..RUNGS {
            // A negative diagonal no rung can lift: without this, the "jitter" would be negative too.
            if outcome.is_ok() || mean <= 0.0 {
                break;
            }
            outcome = factor_shifted(a, largest, FIRST_JITTER * 10.0_f64.powi(rung) * mean);
        }
        outcome
    }

    /// What was added to the diagonal; 0 unless [`Cholesky::factor_with_jitter`] had to.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// d, the number of rows and columns.
    pub fn size(&self) -> usize {
        self.lower.nrows()
    }

    /// L, d×d, zero above the diagonal.
    pub fn lower(&self) -> DMatrix<f64> {
        from_faer(&self.lower)
    }

    /// Solves A X = B for several right-hand sides, the columns of the d×k `b`.
    pub fn solve(&self, b: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let x = self.start("Cholesky::solve", b)?;
        self.finish(x, &[Triangle::Lower, Triangle::LowerTransposed])
    }

    /// Solves A x = b for one right-hand side of d numbers.
    pub fn solve_vector(&self, b: &DVector<f64>) -> Result<DVector<f64>> {
        let x = self.solve(&DMatrix::from_column_slice(b.len(), 1, b.as_slice()))?;
        Ok(DVector::from_column_slice(x.as_slice()))
    }

    /// Solves L X = B: half of [`Cholesky::solve`]. ‖L⁻¹(x−μ)‖² is the Mahalanobis distance, L⁻¹ whitens.
    pub fn solve_lower(&self, b: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let x = self.start("Cholesky::solve_lower", b)?;
        self.finish(x, &[Triangle::Lower])
    }

    /// Solves Lᵀ X = B: the other half of [`Cholesky::solve`].
    pub fn solve_lower_transposed(&self, b: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let x = self.start("Cholesky::solve_lower_transposed", b)?;
        self.finish(x, &[Triangle::LowerTransposed])
    }

    /// ln det A = 2 Σ ln Lᵢᵢ, which neither overflows nor underflows; 0 for an empty matrix.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.size()).map(|i| self.lower[(i, i)].ln()).sum::<f64>()
    }

    /// A⁻¹, exactly symmetric, in 2d³/3. To apply it, [`Cholesky::solve`] is cheaper and more accurate.
    pub fn inverse(&self) -> Result<DMatrix<f64>> {
        let size = self.size();
        if size == 0 {
            return Ok(DMatrix::zeros(0, 0));
        }
        let mut out = Mat::zeros(size, size);
        let mut memory = MemBuffer::new(inverse_scratch::<f64>(size, Par::Seq));
        inverse(out.as_mut(), self.lower.as_ref(), Par::Seq, MemStack::new(&mut memory));
        let mut result = from_faer(&out);
        result.fill_upper_triangle_with_lower_triangle();
        check_solution("the inverse of the matrix", result)
    }

    /// The condition number ‖A‖₁‖A⁻¹‖₁, estimated from the factor in O(d²); see [`inverse_norm_1`].
    pub fn condition(&self) -> f64 {
        let size = self.size();
        let mut column = Mat::zeros(size, 1);
        let mut other = column.clone();
        let both = |x: &mut [f64], column: &mut Mat<f64>| {
            solve_slice(self.lower.as_ref(), Triangle::Lower, x, column);
            solve_slice(self.lower.as_ref(), Triangle::LowerTransposed, x, column);
        };
        let inverse_norm = inverse_norm_1(size, |x| both(x, &mut column), |x| both(x, &mut other));
        if size == 0 { 1.0 } else { self.norm_1 * inverse_norm }
    }

    fn start(&self, op: &'static str, b: &DMatrix<f64>) -> Result<Mat<f64>> {
        check_rows(op, self.size(), b)?;
        check_finite(b)?;
        Ok(to_faer(b, 1.0))
    }

    fn finish(&self, mut x: Mat<f64>, triangles: &[Triangle]) -> Result<DMatrix<f64>> {
        for triangle in triangles {
            solve_in_place(self.lower.as_ref(), *triangle, x.as_mut());
        }
        check_solution("the positive definite system", from_faer(&x))
    }
}

/// One attempt: A + jitter·I, scaled by a power of four so that squares stay in range.
fn factor_shifted(a: &DMatrix<f64>, largest: f64, jitter: f64) -> Result<Cholesky> {
    let size = a.nrows();
    let scale = power_scale(largest);
    let mut lower = lower_to_faer(a, scale);
    (0..size).for_each(|i| lower[(i, i)] += jitter * scale);
    let norm_1 = symmetric_norm_1(&lower) / scale;
    let diagonal: Vec<f64> = (0..size).map(|i| lower[(i, i)]).collect();
    if size > 0 {
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut memory);
        cholesky_in_place(lower.as_mut(), Default::default(), Par::Seq, stack, Default::default())
            .map_err(|LltError::NonPositivePivot { index }| not_positive(index, f64::INFINITY))?;
    }
    let share = |i: usize| lower[(i, i)] * lower[(i, i)] / diagonal[i];
    // NaN sorts above every number as a share, so it is turned into 0: no pivot at all.
    let worst =
        (0..size).map(|i| (i, if share(i).is_nan() { 0.0 } else { share(i) })).min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((index, share)) = worst.filter(|(_, share)| *share <= size as f64 * f64::EPSILON) {
        return Err(not_positive(index, 1.0 / share));
    }
    let unscale = scale.sqrt().recip();
    for column in 0..size {
        let values = lower.col_as_slice_mut(column);
        values[..column].fill(0.0);
        values[column..].iter_mut().for_each(|value| *value *= unscale);
    }
    Ok(Cholesky { lower, norm_1, jitter })
}

fn not_positive(index: usize, condition: f64) -> Error {
    let what = format!(
        "the matrix is not positive definite: column {index} depends on those before it, or an eigenvalue is negative"
    );
    Error::Singular { what, condition }
}

/// ‖A‖₁ from the lower triangle.
fn symmetric_norm_1(lower: &Mat<f64>) -> f64 {
    let mut sums = vec![0.0; lower.nrows()];
    for column in 0..lower.ncols() {
        let values = lower.col_as_slice(column);
        sums[column] += sum_abs(&values[column..]);
        let below = column + 1;
        sums[below..].iter_mut().zip(&values[below..]).for_each(|(sum, value)| *sum += value.abs());
    }
    sums.into_iter().fold(0.0, f64::max)
}
