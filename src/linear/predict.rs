//! A fitted plane: coefficients, intercepts and what they say of rows.

use nalgebra::DMatrix;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::error::{Error, Result};
use crate::estimator::Rows;
use crate::model_file::Container;
use crate::ops::{self, Layout};

/// Numbers a task reads at least.
const NUMBERS_PER_TASK: usize = 1 << 16;
/// Sums carried side by side.
const LANES: usize = 16;

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

    pub(super) fn coef(&self) -> &DMatrix<f64> {
        &self.coef
    }

    pub(super) fn intercept(&self) -> &[f64] {
        &self.intercept
    }

    /// One number an output and row, where the rows live.
    pub(super) fn predict(&self, op: &'static str, x: Rows<'_>) -> Result<Matrix> {
        let x = x.queries(op, self.coef.ncols())?;
        let predicted = match x.values() {
            Ok(values) => self.on_cpu(values, x.rows())?,
            Err(_) => self.on_gpu(&x)?,
        };
        predicted.check_finite()?;
        Ok(predicted)
    }

    fn on_cpu(&self, x: &[f32], rows: usize) -> Result<Matrix> {
        let (outputs, columns) = self.coef.shape();
        let mut predicted = Matrix::zeros(rows, outputs)?;
        let turned = self.coef.transpose();
        let at_once = NUMBERS_PER_TASK.div_ceil(columns * outputs);
        let out = predicted.as_mut_slice().par_chunks_mut(at_once * outputs);
        out.zip(x.par_chunks(at_once * columns)).for_each(|(out, x)| {
            Arch::new().dispatch(Planes { x, coef: turned.as_slice(), intercept: &self.intercept, out });
        });
        Ok(predicted)
    }

    fn on_gpu(&self, x: &DeviceMatrix) -> Result<Matrix> {
        let (outputs, columns) = self.coef.shape();
        let coef = Matrix::from_f64(outputs, columns, self.coef.transpose().as_slice())?;
        let mut stream = x.device().stream();
        let mut predicted = if outputs == 1 {
            let coef = DeviceVec::from_slice(coef.as_slice(), x.device())?;
            let product = ops::gemv(&mut stream, x, &coef)?;
            Matrix::from_vec(x.rows(), 1, product.to_vec(&mut stream)?)?
        } else {
            let product = ops::gemm(&mut stream, Layout::NT, x, &coef.to(x.device())?)?;
            product.to_matrix(&mut stream)?
        };
        for row in predicted.as_mut_slice().chunks_exact_mut(outputs) {
            for (value, intercept) in row.iter_mut().zip(&self.intercept) {
                *value = (f64::from(*value) + intercept) as f32;
            }
        }
        Ok(predicted)
    }

    pub(super) fn predict_f64(&self, op: &'static str, x: &DMatrix<f64>) -> Result<DMatrix<f64>> {
        if x.ncols() != self.coef.ncols() {
            let expected = format!("{} columns, as in the data that was fitted", self.coef.ncols());
            return Err(Error::Shape { op, expected, got: format!("{} columns", x.ncols()) });
        }
        let mut predicted = x * self.coef.transpose();
        for (mut column, intercept) in predicted.column_iter_mut().zip(&self.intercept) {
            column.add_scalar_mut(*intercept);
        }
        Ok(predicted)
    }

    /// A line of text for each output: `12.3 + 0.5·age − 2·height`.
    pub(super) fn equation(&self, columns: &[String]) -> String {
        let name = |column: usize| columns.get(column).map_or_else(|| format!("x{column}"), String::clone);
        let line = |(output, constant): (usize, &f64)| {
            let weights = self.coef.row(output);
            let terms = weights.iter().enumerate().map(|(column, weight)| {
                let sign = if *weight < 0.0 { '−' } else { '+' };
                format!(" {sign} {:.6}·{}", weight.abs(), name(column))
            });
            format!("{constant:.6}{}", terms.collect::<String>())
        };
        self.intercept.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
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

/// Some rows on this thread.
struct Planes<'a> {
    x: &'a [f32],
    /// d numbers an output.
    coef: &'a [f64],
    intercept: &'a [f64],
    out: &'a mut [f32],
}

impl WithSimd for Planes<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let (outputs, columns) = (self.intercept.len(), self.coef.len() / self.intercept.len());
        for (x, out) in self.x.chunks_exact(columns).zip(self.out.chunks_exact_mut(outputs)) {
            let planes = self.coef.chunks_exact(columns).zip(self.intercept);
            for (out, (coef, intercept)) in out.iter_mut().zip(planes) {
                *out = (dot(x, coef) + intercept) as f32;
            }
        }
    }
}

/// The inner product in f64, in fixed lanes, for the compiler to vectorise.
#[inline(always)]
pub(super) fn dot(x: &[f32], coef: &[f64]) -> f64 {
    let ((x, x_rest), (coef, coef_rest)) = (x.as_chunks::<LANES>(), coef.as_chunks::<LANES>());
    let mut sums = [0.0_f64; LANES];
    for (x, coef) in x.iter().zip(coef) {
        for ((sum, &x), &coef) in sums.iter_mut().zip(x).zip(coef) {
            *sum += f64::from(x) * coef;
        }
    }
    let rest: f64 = x_rest.iter().zip(coef_rest).map(|(&x, &coef)| f64::from(x) * coef).sum();
    let mut width = LANES / 2;
    while width > 0 {
        let (low, high) = sums.split_at_mut(width);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
        width /= 2;
    }
    sums[0] + rest
}
