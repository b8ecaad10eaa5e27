//! What kernel models for numbers predict by: Σ coefficient·k(x, row) over rows of the fit.

use std::sync::{Arc, Mutex};

use super::{FittedKernel, KernelRows};
use crate::array::{DeviceMatrix, Matrix};
use crate::device::{Device, Stream, health};
use crate::error::{Error, Result};
use crate::estimator::{OwnedRows, Rows};
use crate::model_file::Container;
use crate::ops::{self, Layout};

/// Columns of coefficients from which on a GPU stores K: each four of them would make it again.
const MANY_COLUMNS: usize = 8;
/// Numbers of K that are stored for that.
const STORED_NUMBERS: usize = 1 << 26;

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

    /// Over all rows of a fit, or the chosen ones, with a row of coefficients for each. Of a given matrix no rows are kept:
    /// it has a column for each row of the fit, and those that were not chosen count nothing.
    pub(crate) fn over(
        kernel: FittedKernel,
        x: &Matrix,
        chosen: Option<&[usize]>,
        coef: Matrix,
    ) -> Result<KernelExpansion> {
        if !kernel.kernel().is_precomputed() {
            let rows = chosen.map_or_else(|| Ok(x.clone()), |chosen| x.select(chosen))?;
            return Ok(KernelExpansion::new(kernel, rows, coef));
        }
        let rows = Matrix::zeros(0, x.columns())?;
        let Some(chosen) = chosen else { return Ok(KernelExpansion::new(kernel, rows, coef)) };
        let p = coef.columns();
        let mut all = Matrix::zeros(x.columns(), p)?;
        for (from, to) in chosen.iter().enumerate() {
            all.as_mut_slice()[to * p..(to + 1) * p].copy_from_slice(coef.row(from));
        }
        Ok(KernelExpansion::new(kernel, rows, all))
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
        let x = x.queries(op, self.kernel.columns())?;
        let mut stream = x.device().stream();
        self.product(op, &mut stream, &x)?.to_matrix(&mut stream)
    }

    /// The same less an offset for each output, as a transformer returns it.
    pub(crate) fn transform(&self, op: &'static str, x: Rows<'_>, offsets: Option<&[f64]>) -> Result<OwnedRows> {
        let on_device = x.queries(op, self.kernel.columns())?;
        let mut stream = on_device.device().stream();
        let mut made = self.product(op, &mut stream, &on_device)?;
        if let Some(offsets) = offsets {
            made = ops::affine(&mut stream, &made, &offsets.iter().map(|offset| (*offset, 1.0, 0.0)).collect())?;
        }
        match (x, on_device.device()) {
            (Rows::Device(_), Device::Gpu(_)) => Ok(OwnedRows::Device(made)),
            (Rows::Device(_), Device::Cpu) => made.to_matrix(&mut stream).map(|_| OwnedRows::Device(made)),
            _ => made.to_matrix(&mut stream).map(OwnedRows::Host),
        }
    }

    fn product(&self, op: &'static str, stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceMatrix> {
        let ready = self.on(op, x.device())?;
        let queries = self.kernel.rows(op, x)?;
        let stored = matches!(x.device(), Device::Gpu(_))
            && self.coef.columns() >= MANY_COLUMNS
            && x.rows().saturating_mul(self.coef.rows()) <= STORED_NUMBERS;
        if stored {
            let matrix = self.kernel.matrix(stream, &queries, &ready.rows)?;
            return ops::gemm(stream, Layout::NN, &matrix, &ready.coef);
        }
        self.kernel.product(stream, (&queries, &ready.rows), &ready.coef)
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
