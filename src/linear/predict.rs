//! A fitted plane: coefficients, intercepts and predictions.

use nalgebra::DMatrix;

use crate::array::{Matrix, SparseMatrix};
use crate::cpu::sparse::multiply;
use crate::error::{Error, Result};
use crate::estimator::Rows;
use crate::model_file::Container;
use crate::ops;

/// Gives a model that holds a `linear` plane what every such model can do; a function may give its report.
macro_rules! linear_model {
    ($model:ident $(, $report:ident)?) => {
        impl $model {
            /// The coefficients, p×d: one row for each output.
            pub fn coef(&self) -> &nalgebra::DMatrix<f64> {
                self.linear.coef()
            }

            /// The intercept of each of the p outputs; zeros without one.
            pub fn intercept(&self) -> &[f64] {
                self.params.in_unit_of_target(self.linear.intercept())
            }

            /// The prediction for f64 rows, n×d, in f64: n×p.
            pub fn predict_f64(&self, x: &nalgebra::DMatrix<f64>) -> Result<nalgebra::DMatrix<f64>> {
                self.linear.predict_f64(OP, x, self.intercept())
            }
        }

        impl crate::estimator::Predict for $model {
            type Output = crate::array::Matrix;
        }

        impl crate::estimator::Model for $model {
            /// n×p. On the CPU each is summed in f64 and rounded once; on a GPU within (d + 3)·2⁻²⁴·Σ|x·coef| of that.
            fn predict_rows(&self, x: Rows<'_>, _: &mut dyn crate::estimator::Observer) -> Result<Prediction> {
                Ok(self.linear.predict(OP, x)?.into())
            }

            fn text(&self, columns: &crate::estimator::InputColumns) -> Option<String> {
                Some(self.linear.equation(&columns.names, self.intercept()))
            }

            $(
                fn report(&self) -> crate::estimator::FitReport {
                    $report(self)
                }
            )?
        }
    };
}

pub(super) use linear_model;

/// p planes over d columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Linear {
    /// p×d.
    coef: DMatrix<f64>,
    /// p.
    intercept: Vec<f64>,
}

impl Linear {
    /// From p×d coefficients and p intercepts; a coefficient that is not finite is no model.
    pub(super) fn new(coef: DMatrix<f64>, intercept: Vec<f64>) -> Result<Linear> {
        if coef.iter().chain(&intercept).all(|value| value.is_finite()) {
            return Ok(Linear { coef, intercept });
        }
        let what = "the coefficients are beyond the range of f64".to_string();
        Err(Error::Singular { what, condition: f64::INFINITY })
    }

    /// The planes of several as those of one.
    pub(super) fn stacked(planes: &[Linear]) -> Result<Linear> {
        let columns = planes.first().map_or(0, |plane| plane.coef.ncols());
        let rows = planes.iter().flat_map(|plane| plane.coef.transpose().as_slice().to_vec());
        let intercept: Vec<f64> = planes.iter().flat_map(|plane| plane.intercept.clone()).collect();
        Linear::new(DMatrix::from_row_iterator(intercept.len(), columns, rows), intercept)
    }

    pub(super) fn coef(&self) -> &DMatrix<f64> {
        &self.coef
    }

    pub(super) fn intercept(&self) -> &[f64] {
        &self.intercept
    }

    /// One number an output and row, where the rows live.
    pub(super) fn predict(&self, op: &'static str, x: Rows<'_>) -> Result<Matrix> {
        if let Rows::Sparse(x) = x {
            return self.of_sparse(op, x);
        }
        let x = x.queries(op, self.coef.ncols())?;
        let coef = self.coef.transpose();
        ops::linear_predictor(&mut x.device().stream(), &x, coef.as_slice(), &self.intercept)
    }

    fn of_sparse(&self, op: &'static str, x: &SparseMatrix) -> Result<Matrix> {
        let (outputs, columns) = self.coef.shape();
        if x.columns() != columns {
            let expected = format!("{columns} columns, as in the data that was fitted");
            return Err(Error::shape(op, expected, format!("{} columns", x.columns())));
        }
        // nalgebra keeps the outputs of a column together.
        let mut predicted = multiply(x.into(), self.coef.as_slice(), outputs);
        for row in predicted.chunks_exact_mut(outputs) {
            row.iter_mut().zip(&self.intercept).for_each(|(value, intercept)| *value += intercept);
        }
        Matrix::from_f64(x.rows(), outputs, &predicted)
    }

    pub(super) fn predict_f64(&self, op: &'static str, x: &DMatrix<f64>, intercept: &[f64]) -> Result<DMatrix<f64>> {
        if x.ncols() != self.coef.ncols() {
            let expected = format!("{} columns, as in the data that was fitted", self.coef.ncols());
            return Err(Error::shape(op, expected, format!("{} columns", x.ncols())));
        }
        let mut predicted = x * self.coef.transpose();
        for (mut column, intercept) in predicted.column_iter_mut().zip(intercept) {
            column.add_scalar_mut(*intercept);
        }
        Ok(predicted)
    }

    /// A line of text for each output: `12.3 + 0.5·age − 2·height`.
    pub(super) fn equation(&self, columns: &[String], intercept: &[f64]) -> String {
        let name = |column: usize| columns.get(column).map_or_else(|| format!("x{column}"), String::clone);
        let line = |(output, constant): (usize, &f64)| {
            let weights = self.coef.row(output);
            let terms = weights.iter().enumerate().map(|(column, weight)| {
                let sign = if *weight < 0.0 { '−' } else { '+' };
                format!(" {sign} {:.6}·{}", weight.abs(), name(column))
            });
            format!("{constant:.6}{}", terms.collect::<String>())
        };
        intercept.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        let (outputs, columns) = self.coef.shape();
        container.insert("coef", &[outputs, columns], self.coef.transpose().as_slice().to_vec())?;
        container.insert("intercept", &[outputs], self.intercept.clone())
    }

    pub(super) fn restore(container: &mut Container) -> Result<Linear> {
        let [outputs, columns] = container.shape("coef")?;
        if outputs == 0 || columns == 0 {
            return Err(container.refuse(format!("{outputs}×{columns} coefficients")));
        }
        let coef: Vec<f64> = container.take("coef", &[outputs, columns])?;
        let intercept = container.take("intercept", &[outputs])?;
        Ok(Linear { coef: DMatrix::from_row_slice(outputs, columns, &coef), intercept })
    }
}
