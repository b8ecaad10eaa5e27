//! What rows must be, and where factors begin.

use super::{Nmf, NmfInit};
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::random::HostRng;
use crate::decomposition::TruncatedSvd;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, Rows};
use crate::ops::{self, Layout};

/// The stream of random numbers for factors.
const STREAM: u32 = 0x6e6d_0000;

/// Refuses rows with a number below 0, and those without one above.
pub(super) fn check(op: &'static str, stream: &mut Stream, x: &DeviceMatrix) -> Result<()> {
    if x.rows() == 0 || x.columns() == 0 {
        return Err(Error::shape(op, "at least one row and column", format!("{}×{}", x.rows(), x.columns())));
    }
    let rows = x.to_matrix(stream)?;
    refuse_negative(op, &rows)?;
    match rows.as_slice().iter().any(|value| *value > 0.0) {
        true => Ok(()),
        false => Err(Error::shape(op, "a number above 0", "only zeros")),
    }
}

/// Refuses a number below 0, with its place.
pub(super) fn refuse_negative(op: &'static str, rows: &Matrix) -> Result<()> {
    let Some(at) = rows.as_slice().iter().position(|value| *value < 0.0) else { return Ok(()) };
    let d = rows.columns();
    let got = format!("{} in row {}, column {}", rows.as_slice()[at], at / d, at % d);
    Err(Error::shape(op, "no number below 0", got))
}

/// W (n×k) and Hᵀ (d×k) to begin with.
pub(super) fn factors(nmf: &Nmf, stream: &mut Stream, x: &DeviceMatrix) -> Result<(Matrix, Matrix)> {
    let (n, d, k) = (x.rows(), x.columns(), nmf.n_components);
    let moments = ops::column_moments(stream, x, None)?;
    let mean = moments.mean.iter().sum::<f64>() / d as f64;
    if nmf.init == NmfInit::Random || k > n.min(d) {
        let size = (mean / k as f64).sqrt();
        let mut rng = HostRng::new(nmf.seed, STREAM);
        let mut random = |rows: usize| {
            let values: Vec<f64> = (0..rows * k).map(|_| size * (0.02 + 1.96 * rng.uniform())).collect();
            Matrix::from_f64(rows, k, &values)
        };
        return Ok((random(n)?, random(d)?));
    }
    stream.flush()?;
    let svd = TruncatedSvd::new(k).seed(nmf.seed).fit_rows(Rows::Device(x), (), Fit::default())?;
    let right = Matrix::from_dmatrix_f64(&svd.components())?;
    let left = ops::gemm(stream, Layout::NT, x, &right.to(stream.device())?)?.to_matrix(stream)?;
    let fill = if nmf.init == NmfInit::Nndsvda { mean as f32 } else { 0.0 };
    let (mut w, mut h) = (vec![0.0_f32; n * k], vec![0.0_f32; d * k]);
    for (component, sigma) in svd.singular_values().iter().enumerate() {
        // Columns of X·V have the length of the singular value.
        let u: Vec<f64> = (0..n).map(|row| f64::from(left.get(row, component)) / sigma.max(1e-300)).collect();
        let v: Vec<f64> = right.row(component).iter().map(|value| f64::from(*value)).collect();
        let halves = [1.0, -1.0].map(|sign: f64| {
            let half = |values: &[f64]| values.iter().map(|value| (sign * value).max(0.0)).collect::<Vec<f64>>();
            let (u, v) = (half(&u), half(&v));
            let length = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
            let (a, b) = (length(&u), length(&v));
            (a * b, u, v, a, b)
        });
        let [plus, minus] = halves;
        // The first pair has one sign; of the others the larger half is taken.
        let (size, u, v, a, b) = if plus.0 >= minus.0 { plus } else { minus };
        let root = (sigma * size).sqrt();
        for (at, value) in u.iter().enumerate().filter(|_| a > 0.0) {
            w[at * k + component] = (root * value / a) as f32;
        }
        for (at, value) in v.iter().enumerate().filter(|_| b > 0.0) {
            h[at * k + component] = (root * value / b) as f32;
        }
    }
    for value in w.iter_mut().chain(h.iter_mut()).filter(|value| **value < 1e-6) {
        *value = fill;
    }
    Ok((Matrix::from_vec(n, k, w)?, Matrix::from_vec(d, k, h)?))
}
