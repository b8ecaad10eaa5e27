//! The normal equations of all columns, from which every subset is solved.

use nalgebra::{DMatrix, DVector};

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::linalg::Cholesky;

/// Correlations of the columns with each other and with the target, in f64: columns are centred and of length 1, so that a
/// constant is part of every model and one tolerance fits all.
pub(super) struct NormalSystem {
    pub(super) rows: usize,
    /// M×M.
    pub(super) gram: DMatrix<f64>,
    /// With the target.
    pub(super) moments: DVector<f64>,
    /// The sum of squares of the target around its mean.
    pub(super) total: f64,
}

impl NormalSystem {
    /// Of the data's columns; one target, complete dense rows, more rows than columns.
    pub(super) fn of(data: &Dataset) -> Result<NormalSystem> {
        let (n, columns) = (data.rows(), data.columns());
        let target = data.values()?;
        if target.columns() != 1 {
            return Err(Error::shape("best_subset", "one target", target.columns()));
        }
        if data.sparse.is_some() {
            return Err(Error::shape("best_subset", "dense rows", "sparse ones; make them dense with to_dense"));
        }
        if columns == 0 || n < columns + 2 {
            let expected = format!("one column at least, and {} rows for {columns} columns", columns + 2);
            return Err(Error::shape("best_subset", expected, format!("{n} rows")));
        }
        if let Some((row, column)) = data.x.check_finite()? {
            return Err(Error::NotFinite { row, column, value: f64::from(data.x.get(row, column)) });
        }
        let centred = |value: &dyn Fn(usize) -> f64| {
            let mean = (0..n).map(value).sum::<f64>() / n as f64;
            (0..n).map(|row| value(row) - mean).collect::<Vec<f64>>()
        };
        let y = DVector::from_vec(centred(&|row| target.get_f64(row, 0)));
        let mut x = DMatrix::zeros(n, columns);
        for column in 0..columns {
            let own = DVector::from_vec(centred(&|row| data.x.get_f64(row, column)));
            let length = own.norm();
            if length == 0.0 {
                let why = "not constant; drop it, as a constant is part of every model";
                return Err(Error::param("column", why, format!("column {}", column + 1)));
            }
            x.set_column(column, &(own / length));
        }
        Ok(NormalSystem { rows: n, gram: x.transpose() * &x, moments: x.transpose() * &y, total: y.norm_squared() })
    }

    pub(super) fn columns(&self) -> usize {
        self.gram.ncols()
    }

    /// The residual sum of squares of these columns; an error where they are collinear.
    pub(super) fn residual(&self, columns: &[usize]) -> Result<f64> {
        if columns.is_empty() {
            return Ok(self.total);
        }
        let gram = self.gram.select_rows(columns).select_columns(columns);
        let moments = self.moments.select_rows(columns);
        let coefficients = Cholesky::factor(&gram)?.solve_vector(&moments)?;
        // One step of refinement: y is what is left after the first solve.
        let left = &moments - &gram * &coefficients;
        let coefficients = &coefficients + Cholesky::factor(&gram)?.solve_vector(&left)?;
        Ok((self.total - moments.dot(&coefficients)).max(0.0))
    }

    /// RSS/(N − M − 1) of the model with all columns.
    pub(super) fn noise_variance(&self) -> Result<f64> {
        let all: Vec<usize> = (0..self.columns()).collect();
        Ok(self.residual(&all)? / (self.rows - self.columns() - 1) as f64)
    }
}
