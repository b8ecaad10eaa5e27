//! What kernel models for numbers predict by: Σ coefficient·k(x, row) over rows of the fit.

use std::sync::Mutex;

use super::{FittedKernel, KernelRows};
use crate::array::{DeviceMatrix, Matrix};
use crate::device::{Device, health};
use crate::error::{Error, Result};
use crate::estimator::Rows;
use crate::model_file::Container;
use std::sync::Arc;

/// The rows a prediction is compared with, and the coefficient of each for each output.
#[derive(Debug)]
pub(crate) struct KernelExpansion {
    kernel: FittedKernel,
    rows: Matrix,
    /// m×p.
    coef: Matrix,
    /// The rows and coefficients on the device of the last prediction.
    ready: Mutex<Option<Arc<Ready>>>,
}

#[derive(Debug)]
struct Ready {
    device: Device,
    rows: KernelRows,
    coef: DeviceMatrix,
}

impl Clone for KernelExpansion {
    fn clone(&self) -> KernelExpansion {
        KernelExpansion::new(self.kernel.clone(), self.rows.clone(), self.coef.clone())
    }
}

impl KernelExpansion {
    pub(crate) fn new(kernel: FittedKernel, rows: Matrix, coef: Matrix) -> KernelExpansion {
        KernelExpansion { kernel, rows, coef, ready: Mutex::new(None) }
    }

    pub(crate) fn kernel(&self) -> &FittedKernel {
        &self.kernel
    }

    /// The rows that predictions are compared with, m×d.
    pub(crate) fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// The coefficients, m×p.
    pub(crate) fn coef(&self) -> &Matrix {
        &self.coef
    }

    /// n×p, on the device of the rows.
    pub(crate) fn predict(&self, op: &'static str, x: Rows<'_>) -> Result<Matrix> {
        let columns = if self.kernel.kernel().is_precomputed() { self.coef.rows() } else { self.rows.columns() };
        let x = x.queries(op, columns)?;
        let mut stream = x.device().stream();
        let ready = self.on(op, x.device())?;
        let queries = self.kernel.rows(op, &x)?;
        self.kernel.product(&mut stream, (&queries, &ready.rows), &ready.coef)?.to_matrix(&mut stream)
    }

    fn on(&self, op: &'static str, device: &Device) -> Result<Arc<Ready>> {
        let mut ready = health::lock(&self.ready);
        match &*ready {
            Some(ready) if ready.device.same(device) => Ok(ready.clone()),
            _ => {
                let rows = match self.kernel.kernel().is_precomputed() {
                    true => KernelRows::Given(Matrix::zeros(0, self.coef.rows())?.to(device)?),
                    false => self.kernel.rows(op, &self.rows.to(device)?)?,
                };
                let made = Arc::new(Ready { device: device.clone(), rows, coef: self.coef.to(device)? });
                *ready = Some(made.clone());
                Ok(made)
            }
        }
    }

    pub(crate) fn store(&self, container: &mut Container) -> Result<()> {
        self.kernel.store(container)?;
        let (rows, columns) = (self.rows.rows(), self.rows.columns());
        container.insert("rows", &[rows, columns], self.rows.as_slice().to_vec())?;
        container.insert("dual_coef", &[self.coef.rows(), self.coef.columns()], self.coef.as_slice().to_vec())
    }

    pub(crate) fn restore(container: &mut Container) -> Result<KernelExpansion> {
        let kernel = FittedKernel::restore(container)?;
        let [count, columns] = container.shape("rows")?;
        let rows: Vec<f32> = container.take("rows", &[count, columns])?;
        let [coefs, outputs] = container.shape("dual_coef")?;
        let coef: Vec<f32> = container.take("dual_coef", &[coefs, outputs])?;
        if (coefs != count && !kernel.kernel().is_precomputed()) || outputs == 0 || columns != kernel.columns() {
            return Err(container.refuse(format!("{coefs}×{outputs} coefficients for {count} rows")));
        }
        let refuse = |error: Error| container.refuse(error.to_string());
        let rows = Matrix::from_vec(count, columns, rows).map_err(refuse)?;
        let coef = Matrix::from_vec(coefs, outputs, coef).map_err(refuse)?;
        Ok(KernelExpansion::new(kernel, rows, coef))
    }
}
