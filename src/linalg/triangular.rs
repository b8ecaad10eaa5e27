//! Solves with a triangular matrix.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par};
use nalgebra::DMatrix;

use super::{check_finite, check_rows, check_solution, check_square, from_faer, to_faer};
use crate::error::{Error, Result};

/// Which half of a square matrix is meant, and whether the system is with the half or with its transpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Triangle {
    /// L x = b.
    Lower,
    /// Lᵀ x = b, with L as it is stored.
    LowerTransposed,
    /// U x = b.
    Upper,
    /// Uᵀ x = b, with U as it is stored.
    UpperTransposed,
}

impl Triangle {
    fn holds(self, row: usize, column: usize) -> bool {
        match self {
            Triangle::Lower | Triangle::LowerTransposed => row >= column,
            Triangle::Upper | Triangle::UpperTransposed => row <= column,
        }
    }
}

/// Solves a d×d triangular system for several right-hand sides (the columns of the d×k `b`), in O(d²k).
///
/// Only the named half of `t` is read: the other may hold anything, another factor for instance. A zero on the
/// diagonal, or a solution beyond the range of `f64`, is [`Error::Singular`].
///
/// ```
/// use gristmill::linalg::{Triangle, solve_triangular};
/// use nalgebra::DMatrix;
/// let l = DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 1.0, 4.0]);
/// let column = |values: &[f64]| DMatrix::from_column_slice(2, 1, values);
/// assert_eq!(solve_triangular(&l, Triangle::Lower, &column(&[2.0, 9.0]))?, column(&[1.0, 2.0]));
/// assert_eq!(solve_triangular(&l, Triangle::LowerTransposed, &column(&[4.0, 8.0]))?, column(&[1.0, 2.0]));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn solve_triangular(t: &DMatrix<f64>, triangle: Triangle, b: &DMatrix<f64>) -> Result<DMatrix<f64>> {
    let size = check_square("solve_triangular", t)?;
    check_rows("solve_triangular", size, b)?;
    check_half(t, triangle)?;
    check_finite(b)?;
    let mut x = to_faer(b, 1.0);
    solve_in_place(to_faer(t, 1.0).as_ref(), triangle, x.as_mut());
    check_solution("the triangular system", from_faer(&x))
}

/// The same on faer's matrices, without checks.
pub(super) fn solve_in_place(t: MatRef<'_, f64>, triangle: Triangle, x: MatMut<'_, f64>) {
    if t.nrows() == 0 || x.ncols() == 0 {
        return;
    }
    match triangle {
        Triangle::Lower => solve_lower_triangular_in_place(t, x, Par::Seq),
        Triangle::LowerTransposed => solve_upper_triangular_in_place(t.transpose(), x, Par::Seq),
        Triangle::Upper => solve_upper_triangular_in_place(t, x, Par::Seq),
        Triangle::UpperTransposed => solve_lower_triangular_in_place(t.transpose(), x, Par::Seq),
    }
}

/// The same for one vector in a slice, through a column that the caller keeps.
pub(super) fn solve_slice(t: MatRef<'_, f64>, triangle: Triangle, x: &mut [f64], column: &mut Mat<f64>) {
    column.col_as_slice_mut(0).copy_from_slice(x);
    solve_in_place(t, triangle, column.as_mut());
    x.copy_from_slice(column.col_as_slice(0));
}

fn check_half(t: &DMatrix<f64>, triangle: Triangle) -> Result<()> {
    for column in 0..t.ncols() {
        for row in 0..t.nrows() {
            let value = t[(row, column)];
            if !value.is_finite() && triangle.holds(row, column) {
                return Err(Error::NotFinite { row, column, value });
            }
        }
    }
    match (0..t.nrows()).find(|&i| t[(i, i)] == 0.0) {
        None => Ok(()),
        Some(i) => Err(Error::Singular {
            what: format!("the triangular matrix has a zero on its diagonal in row {i}"),
            condition: f64::INFINITY,
        }),
    }
}
