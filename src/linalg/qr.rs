//! Householder QR with column pivoting: the careful way to least squares.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
    apply_block_householder_sequence_transpose_on_the_left_in_place_scratch,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::col_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, Par};
use nalgebra::DMatrix;

use super::triangular::{Triangle, solve_in_place, solve_slice};
use super::{check_finite, check_rows, check_solution, from_faer, inverse_norm_1, sum_abs, to_faer};
use crate::error::{Error, Result};

/// A D P = Q R of an m×n matrix: D makes the columns about equally long, P puts the most independent ones first.
///
/// D holds powers of two, so it rounds nothing, and neither the pivots nor the rank depend on the units of the columns.
/// About 2n²(m − n/3) operations. Least squares by QR loses digits like the condition number of A; by the normal
/// equations without refinement like its square.
///
/// ```
/// use gristmill::linalg::Qr;
/// use nalgebra::DMatrix;
/// let a = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 1.0, 2.0]);
/// let qr = Qr::factor(&a)?;
/// let line = qr.least_squares(&DMatrix::from_row_slice(3, 1, &[1.0, 3.0, 5.0]))?;
/// assert!((line - DMatrix::from_row_slice(2, 1, &[1.0, 2.0])).amax() < 1e-14);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Qr {
    /// Householder vectors below the diagonal, R on and above it.
    packed: Mat<f64>,
    /// The block reflectors' triangular factors.
    blocks: Mat<f64>,
    /// R alone, k×n.
    r: Mat<f64>,
    /// Column j of A D P is column `order[j]` of A D.
    order: Vec<usize>,
    /// The diagonal of D.
    scale: Vec<f64>,
}

impl Qr {
    /// Factors `a`.
    pub fn factor(a: &DMatrix<f64>) -> Result<Qr> {
        let (m, n) = a.shape();
        let k = m.min(n);
        check_finite(a)?;
        let scale: Vec<f64> = (0..n).map(|column| column_scale(&a.as_slice()[column * m..(column + 1) * m])).collect();
        let mut packed = to_faer(a, 1.0);
        for (column, factor) in scale.iter().enumerate() {
            packed.col_as_slice_mut(column).iter_mut().for_each(|value| *value *= factor);
        }
        let block = recommended_block_size::<f64>(m.max(1), n.max(1));
        let mut blocks = Mat::zeros(block, k);
        let mut order = (0..n).collect::<Vec<usize>>();
        // faer divides by the longest column, so a zero matrix would come out as NaN; it is its own R.
        if packed.as_ref().norm_max() > 0.0 {
            let mut back = vec![0_usize; n];
            let need = qr_in_place_scratch::<usize, f64>(m, n, block, Par::Seq, Default::default());
            let mut memory = MemBuffer::new(need);
            let stack = MemStack::new(&mut memory);
            let params = Default::default();
            qr_in_place(packed.as_mut(), blocks.as_mut(), &mut order, &mut back, Par::Seq, stack, params);
        }
        let r = Mat::from_fn(k, n, |row, column| if row <= column { packed[(row, column)] } else { 0.0 });
        Ok(Qr { packed, blocks, r, order, scale })
    }

    /// Q, m×k with orthonormal columns, k = min(m, n).
    pub fn q(&self) -> DMatrix<f64> {
        let (m, k) = (self.packed.nrows(), self.r.nrows());
        let mut q = Mat::from_fn(m, k, |row, column| f64::from(u8::from(row == column)));
        if self.rank(0.0) > 0 {
            let block = self.blocks.nrows();
            let need = apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(m, block, k);
            let mut memory = MemBuffer::new(need);
            apply_block_householder_sequence_on_the_left_in_place_with_conj(
                self.packed.as_ref().subcols(0, k),
                self.blocks.as_ref(),
                Conj::No,
                q.as_mut(),
                Par::Seq,
                MemStack::new(&mut memory),
            );
        }
        from_faer(&q)
    }

    /// R, k×n upper triangular, its diagonal of falling magnitude.
    pub fn r(&self) -> DMatrix<f64> {
        from_faer(&self.r)
    }

    /// P as indices: column j of Q R is column `order()[j]` of A times its [`Qr::scale`].
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The powers of two by which the n columns of A were multiplied.
    pub fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// How many diagonal entries of R are above `tolerance` times the first; negative or NaN counts as 0.
    pub fn rank(&self, tolerance: f64) -> usize {
        let k = self.r.nrows();
        let threshold = if k == 0 { 0.0 } else { tolerance.max(0.0) * self.r[(0, 0)].abs() };
        (0..k).take_while(|&i| self.r[(i, i)].abs() > threshold).count()
    }

    /// max(m, n)·ε, what rounding alone can leave on the diagonal of R.
    pub fn default_tolerance(&self) -> f64 {
        self.packed.nrows().max(self.packed.ncols()) as f64 * f64::EPSILON
    }

    /// The 1-norm condition of R (of A with its columns scaled), estimated in O(n²); infinite when singular or m < n.
    pub fn condition(&self) -> f64 {
        let n = self.packed.ncols();
        if n == 0 {
            return 1.0;
        }
        if self.rank(0.0) < n {
            return f64::INFINITY;
        }
        let norm = (0..n).map(|j| sum_abs(self.r.col_as_slice(j))).fold(0.0, f64::max);
        let (mut one, mut two) = (Mat::zeros(n, 1), Mat::zeros(n, 1));
        let r = self.r.as_ref();
        norm * inverse_norm_1(
            n,
            |x| solve_slice(r, Triangle::Upper, x, &mut one),
            |x| solve_slice(r, Triangle::UpperTransposed, x, &mut two),
        )
    }

    /// The X (n×p) that minimises ‖A X − B‖ for each of the p columns of the m×p `b`, m ≥ n.
    ///
    /// Columns that are dependent to rounding are [`Error::Singular`]: there [`super::Svd::least_squares`] still gives
    /// the shortest solution.
    pub fn least_squares(&self, b: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        let (m, n) = self.packed.shape();
        check_rows("Qr::least_squares", m, b)?;
        check_finite(b)?;
        if m < n {
            return Err(Error::shape("Qr::least_squares", "at least as many rows as columns", format!("{m}×{n}")));
        }
        let rank = self.rank(self.default_tolerance());
        if rank < n {
            let what = format!("the columns are dependent: rank {rank} of {n}, column {} first", self.order[rank]);
            return Err(Error::Singular { what, condition: self.condition() });
        }
        let p = b.ncols();
        if n == 0 || p == 0 {
            return Ok(DMatrix::zeros(n, p));
        }
        let mut x = to_faer(b, 1.0);
        let block = self.blocks.nrows();
        let need = apply_block_householder_sequence_transpose_on_the_left_in_place_scratch::<f64>(m, block, p);
        let mut memory = MemBuffer::new(need);
        apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
            self.packed.as_ref(),
            self.blocks.as_ref(),
            Conj::No,
            x.as_mut(),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        let mut top = x.as_ref().subrows(0, n).to_owned();
        solve_in_place(self.r.as_ref(), Triangle::Upper, top.as_mut());
        let mut result = DMatrix::zeros(n, p);
        for column in 0..p {
            for (value, &to) in top.col_as_slice(column).iter().zip(&self.order) {
                result[(to, column)] = value * self.scale[to];
            }
        }
        check_solution("the least squares problem", result)
    }
}

/// The power of two that brings a column's length near 1; 1 for a zero column.
fn column_scale(column: &[f64]) -> f64 {
    let largest = column.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    let length = largest * column.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt();
    2.0_f64.powi((-length.log2()).round().clamp(-1020.0, 1020.0) as i32)
}
