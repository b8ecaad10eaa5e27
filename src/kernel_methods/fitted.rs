//! A kernel with what it takes from the rows of a fit: widths, centre, and the passes that compute it.

use std::f64::consts::TAU;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::Kernel;
use super::compile::{Compiled, RowMap, compile};
use super::tangent::tangent_rows;
use crate::array::{DeviceMatrix, Matrix};
use crate::device::{Device, Stream};
use crate::error::{Error, Result};
use crate::model_file::Container;
use crate::ops;
use crate::ops::gram::{self, PairRows};

/// Relative error of a Gaussian that is accepted for squared distances from products, by their proven bound.
/// Summing the differences themselves takes twice the time.
const TOLERANCE: f64 = 1.0 / 8192.0;
/// A kernel value that is not believed: products of it leave the range of f32.
const OVERFLOW: f32 = 1e37;

/// Bytes of the largest matrix of rows with themselves that is made as a whole: that of 32,768 rows.
const WHOLE_BYTES: u64 = 4 << 30;

/// The name for errors of kernels used without a model.
const OP: &str = "Kernel";

/// A kernel that knows the rows it was fitted to.
#[derive(Debug, Clone)]
pub(crate) struct FittedKernel {
    kernel: Kernel,
    columns: usize,
    center: Vec<f64>,
    direct: bool,
    compiled: Compiled,
}

/// Rows as a kernel needs them.
#[derive(Debug)]
pub(crate) enum KernelRows {
    /// On the device, for its passes.
    Pairs(PairRows),
    /// The kernel matrix itself.
    Given(DeviceMatrix),
    /// On the host, for a function of the user's.
    Host(Matrix),
}

impl Kernel {
    /// The Gram matrix k(xᵢ, yⱼ), n×m, on the device of the rows; widths such as `scale` come from the rows of `x`.
    ///
    /// Values are within about 1e-4 of themselves at the worst, for steep Gaussians far from the centre, and usually within
    /// 1e-6. See [`Kernel::symmetric_matrix`] for the rows with themselves.
    ///
    /// ```
    /// use gristmill::kernel_methods::Kernel;
    /// use gristmill::{Device, Matrix};
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [3.0]])?.to(&Device::Cpu)?;
    /// let mut stream = Device::Cpu.stream();
    /// let k = Kernel::rbf(1.0).symmetric_matrix(&mut stream, &x)?.to_matrix(&mut stream)?;
    /// assert_eq!(k.get(0, 0), 1.0);
    /// assert!((k.get(0, 1) - (-1.0_f32).exp()).abs() < 1e-6);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn matrix(&self, stream: &mut Stream, x: &DeviceMatrix, y: &DeviceMatrix) -> Result<DeviceMatrix> {
        let (fitted, rows) = FittedKernel::fit(OP, self, x)?;
        let others = fitted.rows(OP, y)?;
        fitted.matrix(stream, &rows, &others)
    }

    /// The Gram matrix of the rows with themselves, n×n: half of it is computed.
    pub fn symmetric_matrix(&self, stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceMatrix> {
        let (fitted, rows) = FittedKernel::fit(OP, self, x)?;
        fitted.symmetric(stream, &rows)
    }

    /// K(x, y)·v, n×p, for v of m×p, without storing K.
    pub fn product(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        y: &DeviceMatrix,
        v: &DeviceMatrix,
    ) -> Result<DeviceMatrix> {
        let (fitted, rows) = FittedKernel::fit(OP, self, x)?;
        let others = fitted.rows(OP, y)?;
        fitted.product(stream, (&rows, &others), v)
    }

    /// k(xᵢ, xᵢ) of each row.
    pub fn diagonal(&self, stream: &mut Stream, x: &DeviceMatrix) -> Result<Vec<f32>> {
        let (fitted, rows) = FittedKernel::fit(OP, self, x)?;
        fitted.diagonal(stream, &rows)
    }
}

impl FittedKernel {
    /// The kernel for the rows of a fit, and those rows as it needs them.
    pub(crate) fn fit(op: &'static str, kernel: &Kernel, x: &DeviceMatrix) -> Result<(FittedKernel, KernelRows)> {
        kernel.check()?;
        let mut stream = x.device().stream();
        let moments = ops::column_moments(&mut stream, x, None)?;
        let d = x.columns().max(1) as f64;
        let mean = moments.mean.iter().sum::<f64>() / d;
        let spread = |(m, v): (&f64, &f64)| v + (m - mean).powi(2);
        let variance = moments.mean.iter().zip(&moments.variance).map(spread).sum::<f64>() / d;
        let kernel = kernel.resolved(x.columns(), variance);
        let mut fitted = FittedKernel::new(kernel, x.columns(), moments.mean, false)?;
        if fitted.kernel.is_precomputed() && x.rows() != x.columns() {
            let expected = format!("as many columns as rows, {}, in a kernel matrix", x.rows());
            return Err(Error::shape(op, expected, x.columns()));
        }
        let mut rows = fitted.rows(op, x)?;
        if let KernelRows::Pairs(pairs) = &rows
            && fitted.compiled.steepest > 0.0
            && fitted.loses_too_much(&mut stream, pairs)?
        {
            fitted = FittedKernel::new(fitted.kernel, fitted.columns, fitted.center, true)?;
            rows = fitted.rows(op, x)?;
        }
        fitted.refuse_overflow(&rows)?;
        Ok((fitted, rows))
    }

    fn new(kernel: Kernel, columns: usize, center: Vec<f64>, direct: bool) -> Result<FittedKernel> {
        let compiled = compile(&kernel, direct);
        for map in &compiled.maps {
            if let RowMap::Affine(weights, _) = map
                && weights.len() != columns
            {
                let rule = format!("a kernel with one weight in affine for each of {columns} columns");
                return Err(Error::param("kernel", rule, weights.len()));
            }
        }
        Ok(FittedKernel { kernel, columns, center, direct, compiled })
    }

    /// Columns of the rows that were fitted.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The kernel with its widths as numbers.
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn has_function(&self) -> bool {
        self.kernel.parts().iter().any(|part| matches!(part, Kernel::Function(_)))
    }

    /// Whether |x|² + |y|² − 2x·y is too rough: its error is within (min(d, 256) + 18)·ε·(|x|² + |y|²).
    fn loses_too_much(&self, stream: &mut Stream, pairs: &PairRows) -> Result<bool> {
        let side = self.compiled.plan.passes.iter().map(|pass| pass.side).max().unwrap_or(0);
        let mut largest = 0.0_f32;
        for side in 0..=side {
            largest = pairs.squares(side).to_vec(stream)?.into_iter().fold(largest, f32::max);
        }
        let terms = self.columns.min(256) as f64 + 18.0;
        let error = self.compiled.steepest * 2.0 * f64::from(largest) * terms * f64::from(f32::EPSILON) / 2.0;
        Ok(error > TOLERANCE)
    }

    /// |k(x, y)|² ≤ k(x, x)·k(y, y), so what stands on the diagonal bounds all values.
    fn refuse_overflow(&self, rows: &KernelRows) -> Result<()> {
        let KernelRows::Pairs(pairs) = rows else { return Ok(()) };
        if pairs.rows() == 0 {
            return Ok(());
        }
        let mut stream = pairs.squares(0).device().stream();
        let values = gram::diagonal::diagonal(&mut stream, &self.compiled.plan, pairs)?.to_vec(&mut stream)?;
        match values.iter().position(|value| value.is_nan() || value.abs() >= OVERFLOW) {
            None => Ok(()),
            Some(row) => {
                let rule = format!(
                    "a kernel whose values stay within 1e37 (row {} with itself does not): scale the columns, or lower \
                     gamma or the degree",
                    row + 1
                );
                Err(Error::param("kernel", rule, &self.kernel))
            }
        }
    }

    /// Rows of a fit or a prediction as the kernel needs them, on the device of `x`.
    pub(crate) fn rows(&self, op: &'static str, x: &DeviceMatrix) -> Result<KernelRows> {
        if x.columns() != self.columns {
            return Err(Error::shape(op, format!("{} columns", self.columns), x.columns()));
        }
        x.refuse_missing()?;
        let mut stream = x.device().stream();
        if self.kernel.is_precomputed() {
            return Ok(KernelRows::Given(x.clone()));
        }
        if self.has_function() {
            return match x.device() {
                Device::Cpu => Ok(KernelRows::Host(x.to_matrix(&mut stream)?)),
                Device::Gpu(_) => {
                    let why =
                        "a kernel that is a function in Rust runs on the CPU alone; move the rows there".to_string();
                    Err(Error::WrongDevice { op, why })
                }
            };
        }
        let sides = self.compiled.maps.iter().map(|map| self.mapped(&mut stream, map, x)).collect::<Result<_>>()?;
        PairRows::new(&mut stream, sides).map(KernelRows::Pairs)
    }

    fn mapped(&self, stream: &mut Stream, map: &RowMap, x: &DeviceMatrix) -> Result<DeviceMatrix> {
        let device = x.device();
        match map {
            RowMap::Raw => Ok(x.clone()),
            RowMap::Centred => {
                let lines = self.center.iter().map(|&mean| (mean, 1.0, 0.0)).collect();
                ops::affine(stream, x, &lines)
            }
            RowMap::Affine(weights, offset) => {
                let x = x.to_matrix(stream)?;
                let value = |row: usize| {
                    let sum: f64 = x.row(row).iter().zip(weights).map(|(&x, &w)| f64::from(x) * f64::from(w)).sum();
                    (sum + f64::from(*offset)) as f32
                };
                Matrix::from_vec(x.rows(), 1, (0..x.rows()).map(value).collect())?.to(device)
            }
            RowMap::Waves(angles) => {
                let x = x.to_matrix(stream)?;
                let width = 2 * angles.len() * x.columns();
                let mut out = vec![0.0_f32; x.rows() * width];
                out.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, out)| {
                    let turned = angles.iter().flat_map(|angle| x.row(row).iter().map(move |&x| angle * f64::from(x)));
                    for (out, angle) in out.chunks_exact_mut(2).zip(turned) {
                        let (sine, cosine) = angle.rem_euclid(TAU).sin_cos();
                        out.copy_from_slice(&[cosine as f32, sine as f32]);
                    }
                });
                Matrix::from_vec(x.rows(), width, out)?.to(device)
            }
            RowMap::Tangent { width, seed } => tangent_rows(&x.to_matrix(stream)?, *width, *seed)?.to(device),
        }
    }

    /// k of each row of `a` with each of `b`, n×m.
    pub(crate) fn matrix(&self, stream: &mut Stream, a: &KernelRows, b: &KernelRows) -> Result<DeviceMatrix> {
        match (a, b) {
            (KernelRows::Pairs(a), KernelRows::Pairs(b)) => gram::matrix::matrix(stream, &self.compiled.plan, a, b),
            (KernelRows::Given(a), _) => Ok(a.clone()),
            (KernelRows::Host(a), KernelRows::Host(b)) => self.by_function(a, b)?.to(stream.device()),
            _ => Err(Error::WrongDevice { op: "kernel", why: "rows of different kinds".to_string() }),
        }
    }

    /// k of each row with each of the same rows, n×n.
    pub(crate) fn symmetric(&self, stream: &mut Stream, a: &KernelRows) -> Result<DeviceMatrix> {
        match a {
            KernelRows::Pairs(a) => {
                refuse_too_many(a.rows())?;
                gram::matrix::symmetric_matrix(stream, &self.compiled.plan, a)
            }
            _ => self.matrix(stream, a, a),
        }
    }

    /// K(a, b)·v, n×p. K is not stored, unless it was given or is a function's.
    pub(crate) fn product(
        &self,
        stream: &mut Stream,
        (a, b): (&KernelRows, &KernelRows),
        v: &DeviceMatrix,
    ) -> Result<DeviceMatrix> {
        match (a, b) {
            (KernelRows::Pairs(a), KernelRows::Pairs(b)) => {
                gram::product::product(stream, &self.compiled.plan, (a, b), v)
            }
            _ => {
                let matrix = self.matrix(stream, a, b)?;
                ops::gemm(stream, ops::Layout::NN, &matrix, v)
            }
        }
    }

    /// K(a, b)ᵀ·(w∘(K(a, b)·v − u)), m×p, for u and w of n×p.
    pub(crate) fn normal_product(
        &self,
        stream: &mut Stream,
        (a, b): (&KernelRows, &KernelRows),
        v: &DeviceMatrix,
        [u, w]: [Option<&DeviceMatrix>; 2],
    ) -> Result<DeviceMatrix> {
        match (a, b) {
            (KernelRows::Pairs(a), KernelRows::Pairs(b)) => {
                gram::product::normal_product(stream, &self.compiled.plan, (a, b), v, [u, w])
            }
            _ => {
                let matrix = self.matrix(stream, a, b)?;
                let mut sum = ops::gemm(stream, ops::Layout::NN, &matrix, v)?;
                if let Some(u) = u {
                    ops::combine_matrices(stream, ops::Combine::Sum(-1.0, 1.0), u, &mut sum)?;
                }
                if let Some(w) = w {
                    ops::combine_matrices(stream, ops::Combine::Product, w, &mut sum)?;
                }
                ops::gemm(stream, ops::Layout::TN, &matrix, &sum)
            }
        }
    }

    /// k of each row with itself, for rows of the fit.
    pub(crate) fn diagonal(&self, stream: &mut Stream, a: &KernelRows) -> Result<Vec<f32>> {
        match a {
            KernelRows::Pairs(a) => gram::diagonal::diagonal(stream, &self.compiled.plan, a)?.to_vec(stream),
            KernelRows::Given(matrix) => {
                let matrix = matrix.to_matrix(stream)?;
                Ok((0..matrix.rows().min(matrix.columns())).map(|row| matrix.get(row, row)).collect())
            }
            KernelRows::Host(matrix) => {
                (0..matrix.rows()).map(|row| Ok(self.kernel.value(matrix.row(row), matrix.row(row))? as f32)).collect()
            }
        }
    }

    /// The matrix of rows with themselves in f64, from the f32 rows as exact numbers.
    pub(crate) fn host_matrix(&self, x: &Matrix) -> Result<DMatrix<f64>> {
        let n = x.rows();
        if self.kernel.is_precomputed() {
            return Ok(DMatrix::from_fn(n, n, |row, column| f64::from(x.get(row, column))));
        }
        refuse_too_many(n)?;
        let mut values = vec![0.0_f64; n * n];
        values.par_chunks_mut(n.max(1)).enumerate().try_for_each(|(row, values)| -> Result<()> {
            for (column, value) in values.iter_mut().enumerate().take(row + 1) {
                *value = self.kernel.value(x.row(row), x.row(column))?;
            }
            Ok(())
        })?;
        let mut matrix = DMatrix::from_vec(n, n, values);
        // Rows were written as columns, so the upper triangle is filled.
        matrix.fill_lower_triangle_with_upper_triangle();
        Ok(matrix)
    }

    fn by_function(&self, a: &Matrix, b: &Matrix) -> Result<Matrix> {
        let mut out = vec![0.0_f32; a.rows() * b.rows()];
        out.par_chunks_mut(b.rows().max(1)).enumerate().try_for_each(|(row, out)| {
            for (column, out) in out.iter_mut().enumerate() {
                let value = self.kernel.value(a.row(row), b.row(column))?;
                if !value.is_finite() {
                    return Err(Error::NotFinite { row, column, value });
                }
                *out = value as f32;
            }
            Ok(())
        })?;
        Matrix::from_vec(a.rows(), b.rows(), out)
    }

    /// Writes it into a model file.
    pub(crate) fn store(&self, container: &mut Container) -> Result<()> {
        if self.has_function() {
            return Err(Error::param("kernel", "a kernel with a name, to be saved", &self.kernel));
        }
        container.insert_strings("kernel", &[self.kernel.to_string()])?;
        container.insert("kernel_center", &[self.center.len()], self.center.clone())?;
        container.insert("kernel_direct", &[1], vec![u64::from(self.direct)])
    }

    /// Reads what [`FittedKernel::store`] wrote.
    pub(crate) fn restore(container: &mut Container) -> Result<FittedKernel> {
        let text = container.take_strings("kernel")?;
        let [columns] = container.shape("kernel_center")?;
        let center: Vec<f64> = container.take("kernel_center", &[columns])?;
        let direct: Vec<u64> = container.take("kernel_direct", &[1])?;
        let refuse = |container: &Container, error: Error| container.refuse(error.to_string());
        let kernel: Kernel = text.join("").parse().map_err(|error| refuse(container, error))?;
        let kernel = kernel.resolved(columns, 1.0);
        FittedKernel::new(kernel, columns, center, direct == [1]).map_err(|error| refuse(container, error))
    }
}

/// A matrix of rows with themselves that no machine should be asked for by accident.
fn refuse_too_many(rows: usize) -> Result<()> {
    let need = (rows as u64).saturating_mul(rows as u64).saturating_mul(4);
    if need <= WHOLE_BYTES {
        return Ok(());
    }
    let what = format!("bytes for the kernel matrix of {rows} rows (solver=pcg, falkon and nystroem do without it)");
    Err(Error::Limit { what, need, have: WHOLE_BYTES })
}
