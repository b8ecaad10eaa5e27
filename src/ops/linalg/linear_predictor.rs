//! The prediction of a linear model for each row.

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::{Layout, gemm, gemv};

/// X·coefᵀ + intercept, n×p, for X of n×d and `coef` of p×d, row by row; p ≥ 1.
///
/// On the CPU each is summed in f64 and rounded once; on a GPU the product is [`gemv`]'s or [`gemm`]'s, within
/// (d + 3)·2⁻²⁴·Σ|x·coef| of that, and the intercept is added on the host.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let x = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]])?.to(&Device::Cpu)?;
/// let found = ops::linear_predictor(&mut Device::Cpu.stream(), &x, &[10.0, 1.0], &[0.5])?;
/// assert_eq!(found.as_slice(), [12.5, 34.5]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn linear_predictor(stream: &mut Stream, x: &DeviceMatrix, coef: &[f64], intercept: &[f64]) -> Result<Matrix> {
    let op = "linear_predictor";
    x.complete_on(stream, op)?;
    let (columns, outputs) = (x.columns(), intercept.len());
    if outputs == 0 || coef.len() != outputs * columns {
        let expected = format!("at least one intercept, and {columns} coefficients for each");
        return Err(Error::shape(op, expected, format!("{outputs} and {}", coef.len())));
    }
    let predicted = match stream.gpu().is_some() {
        false => {
            let mut predicted = Matrix::zeros(x.rows(), outputs)?;
            let out = predicted.as_mut_slice();
            crate::cpu::linalg::linear_predictor::linear_predictor(x.values()?, columns, coef, intercept, out);
            predicted
        }
        true => on_gpu(stream, x, &Matrix::from_f64(outputs, columns, coef)?, intercept)?,
    };
    predicted.check_finite()?;
    Ok(predicted)
}

fn on_gpu(stream: &mut Stream, x: &DeviceMatrix, coef: &Matrix, intercept: &[f64]) -> Result<Matrix> {
    let outputs = intercept.len();
    let mut predicted = if outputs == 1 {
        let coef = DeviceVec::from_slice(coef.as_slice(), x.device())?;
        let product = gemv(stream, x, &coef)?;
        Matrix::from_vec(x.rows(), 1, product.to_vec(stream)?)?
    } else {
        gemm(stream, Layout::NT, x, &coef.to(x.device())?)?.to_matrix(stream)?
    };
    for row in predicted.as_mut_slice().chunks_exact_mut(outputs) {
        row.iter_mut().zip(intercept).for_each(|(value, intercept)| *value = (f64::from(*value) + intercept) as f32);
    }
    Ok(predicted)
}
