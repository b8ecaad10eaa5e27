//! How certain the coefficients of least squares are.

use nalgebra::{DMatrix, DVector};

use super::linear_regression::LinearRegressionModel;
use crate::error::{Error, Result};
use crate::estimator::{FitReport, Rows};
use crate::model_file::Container;

/// How certain the coefficients of a [`LinearRegressionModel`] are: with independent errors of equal variance σ² (over the
/// weight of a row), the covariance of the coefficients is σ²·(XᵀX)⁻¹ of the centred rows, and σ² is estimated by
/// `RSS/(n − m)`, m being the rank and one for the intercept.
///
/// Of dependent columns (XᵀX)⁺ takes the place of the inverse. Accurate as f64 for small tables; to 1e-7·κ² or better for
/// large ones, with three digits at least.
///
/// ```
/// use gristmill::prelude::*;
/// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
/// let model = LinearRegression::default().fit(&x, &[1.0, 3.0, 4.0, 8.0])?;
/// let found = model.statistics().ok_or("one column")?;
/// assert_eq!(found.degrees_of_freedom(), 2);
/// assert!((found.residual_variance(0).ok_or("more rows than unknowns")? - 0.9).abs() < 1e-12);
/// assert!((found.leverage(&x)?[0] - 0.7).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// (XᵀX)⁺ of the centred rows, d×d.
    pub(super) inverse: DMatrix<f64>,
    /// The mean of each column; zeros without an intercept.
    pub(super) mean: Vec<f64>,
    /// Σw, if there is an intercept.
    pub(super) weight: Option<f64>,
    pub(super) residual_squares: Vec<f64>,
    pub(super) degrees: usize,
    pub(super) condition: f64,
}

impl Statistics {
    /// Rows of weight above 0 less the unknowns, n − m.
    pub fn degrees_of_freedom(&self) -> usize {
        self.degrees
    }

    /// RSS, the weighted sum of squares that each of the p outputs leaves.
    pub fn residual_squares(&self) -> &[f64] {
        &self.residual_squares
    }

    /// σ̂² = RSS/(n − m) of one output; `None` where the rows are no more than the unknowns.
    pub fn residual_variance(&self, output: usize) -> Option<f64> {
        (self.degrees > 0).then(|| self.residual_squares[output] / self.degrees as f64)
    }

    /// The covariance of the coefficients of one output, d×d.
    pub fn covariance(&self, output: usize) -> Option<DMatrix<f64>> {
        self.residual_variance(output).map(|variance| &self.inverse * variance)
    }

    /// The standard error of each of the d coefficients of one output.
    pub fn standard_errors(&self, output: usize) -> Option<Vec<f64>> {
        let variance = self.residual_variance(output)?;
        Some(self.inverse.diagonal().iter().map(|own| (variance * own).max(0.0).sqrt()).collect())
    }

    /// The standard error of the intercept of one output; `None` without an intercept too.
    pub fn intercept_standard_error(&self, output: usize) -> Option<f64> {
        let zero = DVector::zeros(self.mean.len());
        Some((self.residual_variance(output)? * (1.0 / self.weight? + self.about_mean(&zero))).sqrt())
    }

    /// The ratio of the largest singular value of the centred rows to the smallest; infinite where columns are dependent
    /// or constant. Of large tables estimated by 1-norms, and of sparse rows after the columns were brought to like
    /// lengths.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// The leverage of each row: `1/Σw + (x − mean)ᵀ·(XᵀX)⁺·(x − mean)`, without the first term if there is no intercept. Of
    /// fitted rows, times their weight, it is the diagonal of the hat matrix. n·d² operations on the host.
    pub fn leverage<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<f64>> {
        let x = self.rows(x.into())?;
        Ok((0..x.nrows()).map(|row| self.first() + self.about_mean(&x.row(row).transpose())).collect())
    }

    /// The matrix that makes predictions of targets, ŷ = H·y, for the n rows that were fitted without weights: n×n. It is
    /// its own square, and its trace is the number of unknowns.
    pub fn hat_matrix<'a>(&self, x: impl Into<Rows<'a>>) -> Result<DMatrix<f64>> {
        let mut x = self.rows(x.into())?;
        for (mut column, mean) in x.column_iter_mut().zip(&self.mean) {
            column.add_scalar_mut(-mean);
        }
        Ok((&x * &self.inverse * x.transpose()).add_scalar(self.first()))
    }

    fn rows(&self, x: Rows<'_>) -> Result<DMatrix<f64>> {
        const OP: &str = "Statistics";
        if x.column_info().1 != self.mean.len() {
            let expected = format!("{} columns, as in the data that was fitted", self.mean.len());
            return Err(Error::shape(OP, expected, format!("{} columns", x.column_info().1)));
        }
        match x {
            Rows::Sparse(x) => Ok(x.to_dense()?.to_dmatrix()),
            x => {
                let x = x.complete(OP)?;
                Ok(x.to_matrix(&mut x.device().stream())?.to_dmatrix())
            }
        }
    }

    fn first(&self) -> f64 {
        self.weight.map_or(0.0, f64::recip)
    }

    fn about_mean(&self, row: &DVector<f64>) -> f64 {
        let row = row - DVector::from_column_slice(&self.mean);
        row.dot(&(&self.inverse * &row))
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        let columns = self.mean.len();
        container.insert("statistics_inverse", &[columns, columns], self.inverse.as_slice().to_vec())?;
        container.insert("statistics_mean", &[columns], self.mean.clone())?;
        container.insert("statistics_squares", &[self.residual_squares.len()], self.residual_squares.clone())?;
        // Infinity is not written: 0 is no condition.
        let condition = if self.condition.is_finite() { self.condition } else { 0.0 };
        container.insert("statistics", &[3], vec![self.weight.unwrap_or(0.0), self.degrees as f64, condition])
    }

    /// Nothing where the file has none; `(outputs, columns)` is the shape of the coefficients.
    pub(super) fn restore(container: &mut Container, (outputs, columns): (usize, usize)) -> Result<Option<Statistics>> {
        if !container.contains("statistics") {
            return Ok(None);
        }
        let inverse: Vec<f64> = container.take("statistics_inverse", &[columns, columns])?;
        let mean = container.take("statistics_mean", &[columns])?;
        let residual_squares: Vec<f64> = container.take("statistics_squares", &[outputs])?;
        let numbers: Vec<f64> = container.take("statistics", &[3])?;
        if numbers.iter().chain(&residual_squares).any(|value| *value < 0.0) || numbers[1].fract() != 0.0 {
            return Err(container.refuse(format!("weight, degrees of freedom and condition {numbers:?}")));
        }
        Ok(Some(Statistics {
            inverse: DMatrix::from_vec(columns, columns, inverse),
            mean,
            weight: (numbers[0] > 0.0).then_some(numbers[0]),
            residual_squares,
            degrees: numbers[1] as usize,
            condition: if numbers[2] > 0.0 { numbers[2] } else { f64::INFINITY },
        }))
    }
}

/// The numbers of a fit without a penalty.
pub(super) fn linear_report(model: &LinearRegressionModel) -> FitReport {
    let report = FitReport::default().with_number("rank", model.rank() as f64);
    let Some(found) = model.statistics() else { return report };
    let mut report = report.with_number("condition", Some(found.condition).filter(|value| value.is_finite()));
    if let (1, Some(variance), Some(errors)) =
        (found.residual_squares.len(), found.residual_variance(0), found.standard_errors(0))
    {
        report = report.with_number("residual_variance", variance).with_row("standard_errors", errors);
        report = report.with_number("intercept_standard_error", found.intercept_standard_error(0));
    }
    report
}
