//! L-BFGS of planes on a GPU: point, slopes and steps stay there, and so do the units and the whitening, as one product.

use super::objective::{ClassObjective, Source};
use super::units::Units;
use super::whitening::Whitening;
use crate::array::{DeviceMatrix, DeviceVec, Matrix, padded};
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops::linalg::map::{Combine, combine_matrices};
use crate::ops::linear::margin_gradient::{ClassTargets, MarginLoss, margin_gradient_into, plane_words};
use crate::ops::{Layout, gemm, gemm_into};
use crate::solvers::lbfgs::Slope;
use crate::solvers::lbfgs_on_device::{DeviceObjective, DeviceSlope, Standing, minimize};

/// The slope is read back where its length says that its largest component may be within so many times `tol`.
const NEAR: f64 = 32.0;

/// The objective of planes in white coordinates, a row of [`plane_words`] numbers for each plane.
pub(super) struct DevicePlanes<'a> {
    x: &'a DeviceMatrix,
    targets: &'a ClassTargets,
    loss: MarginLoss,
    white: &'a Whitening,
    total: f64,
    turn: Turn,
    /// The L2 penalty of each number in the units of the rows.
    l2: DeviceMatrix,
    /// 1 at the place of the loss.
    loss_place: DeviceMatrix,
    sums: DeviceVec<f32>,
    planes: usize,
    columns: usize,
}

/// From white coordinates to the units of the rows.
enum Turn {
    /// A row of coordinates times this matrix.
    Dense(DeviceMatrix),
    /// Each coordinate by its factor, for every plane, and the intercept less what the means take: 1×w rows of what each
    /// coordinate adds to the intercept, and of the intercept's place.
    Scaled { factors: DeviceMatrix, to_intercept: DeviceMatrix, place: DeviceMatrix },
}

impl<'a> DevicePlanes<'a> {
    /// Nothing where the sums are not made in f32 on a GPU.
    pub(super) fn new(
        all: &'a ClassObjective<'a>,
        white: &'a Whitening,
        total: f64,
    ) -> Result<Option<DevicePlanes<'a>>> {
        let Source::Single { x, targets, .. } = &all.source else { return Ok(None) };
        let (Device::Gpu(_), d, planes) = (x.device(), x.columns(), all.planes) else { return Ok(None) };
        let (words, place) = (plane_words(d), padded(d));
        let shape = (planes, words);
        // Units are w·scale, so the penalty of the rows' own units is l2·scale².
        let penalty = |_, at: usize| if at < d { all.l2[at] * all.units.scale[at].powi(2) } else { 0.0 };
        let l2 = filled(x.device(), shape, penalty)?;
        let is_loss = |plane, at| f64::from(u8::from(plane == 0 && at == place + 1));
        let loss_place = filled(x.device(), shape, is_loss)?;
        let turn = match white.inverse() {
            Some((inverse, offset)) => {
                let own = |i: usize, j: usize| inverse[(i, j)] / all.units.scale[j];
                let mut values = vec![0.0_f32; words * words];
                for (i, row) in values.chunks_exact_mut(words).enumerate().take(d) {
                    (0..d).for_each(|j| row[j] = own(i, j) as f32);
                    row[place] = -(0..d).map(|j| own(i, j) * all.units.mean[j]).sum::<f64>() as f32;
                }
                values[place * words + place] = if all.units.has_intercept() { offset as f32 } else { 0.0 };
                Turn::Dense(Matrix::from_vec(words, words, values)?.to(x.device())?)
            }
            None => Turn::scaled(x.device(), all.units, shape)?,
        };
        let sums = DeviceVec::from_slice(&vec![0.0; planes * words], x.device())?;
        let (loss, columns) = (all.loss, d);
        Ok(Some(DevicePlanes { x, targets, loss, white, total, turn, l2, loss_place, sums, planes, columns }))
    }

    /// The point in units where the descent ends, and its steepness; `done` is told step, value and steepness, which far from
    /// the end is a bound.
    pub(super) fn minimize(
        mut self,
        tol: f64,
        mut done: impl FnMut(usize, f64, f64) -> Result<bool>,
    ) -> Result<(Vec<f64>, f64)> {
        let (white, planes, columns) = (self.white, self.planes, self.columns);
        let width = planes * plane_words(columns);
        let mut stream = self.x.device().stream();
        let start = Matrix::zeros(1, width)?.to(self.x.device())?;
        let exact = |stream: &mut Stream, at: &Standing<'_>| -> Result<f64> {
            let gradient = unpacked(&at.gradient(stream)?, planes, columns);
            Ok(white.steepness(&Slope { point: vec![], value: at.value, gradient }))
        };
        let mut reached = f64::INFINITY;
        let done = |stream: &mut Stream, at: Standing<'_>| {
            reached = white.steepest(at.norm);
            if reached > tol && reached <= NEAR * tol {
                reached = exact(stream, &at)?;
            }
            done(at.iteration, at.value, reached)
        };
        let point = minimize(&mut stream, start, &mut self, done)?.to_matrix(&mut stream)?;
        let point: Vec<f64> = point.as_slice().iter().copied().map(f64::from).collect();
        Ok((white.point(&unpacked(&point, planes, columns)), reached))
    }
}

impl Turn {
    fn scaled(device: &Device, units: &Units, shape: (usize, usize)) -> Result<Turn> {
        let (d, place) = (units.scale.len(), padded(units.scale.len()));
        let factor = |_, at: usize| match at {
            _ if at < d => 1.0 / units.scale[at],
            _ if at == place && units.has_intercept() => 1.0,
            _ => 0.0,
        };
        let taken = |_, at: usize| if at < d { -units.mean[at] / units.scale[at] } else { 0.0 };
        let row = (1, shape.1);
        Ok(Turn::Scaled {
            factors: filled(device, shape, factor)?,
            to_intercept: filled(device, row, taken)?,
            place: filled(device, row, |_, at| f64::from(u8::from(at == place)))?,
        })
    }

    /// Planes in the units of the rows from white coordinates.
    fn forward(&self, stream: &mut Stream, white: &DeviceMatrix) -> Result<DeviceMatrix> {
        match self {
            Turn::Dense(matrix) => gemm(stream, Layout::NN, white, matrix),
            Turn::Scaled { factors, to_intercept, place } => through(stream, white, factors, to_intercept, place),
        }
    }

    /// The slope in white coordinates from that in the units of the rows.
    fn back(&self, stream: &mut Stream, slope: &DeviceMatrix) -> Result<DeviceMatrix> {
        match self {
            Turn::Dense(matrix) => gemm(stream, Layout::NT, slope, matrix),
            Turn::Scaled { factors, to_intercept, place } => through(stream, slope, factors, place, to_intercept),
        }
    }
}

/// A matrix of a value for each row and column.
fn filled(
    device: &Device,
    (rows, columns): (usize, usize),
    value: impl Fn(usize, usize) -> f64,
) -> Result<DeviceMatrix> {
    let values = (0..rows * columns).map(|at| value(at / columns, at % columns) as f32).collect();
    Matrix::from_vec(rows, columns, values)?.to(device)
}

/// `values ∘ factors + (values·leftᵀ)·right`, row by row.
fn through(
    stream: &mut Stream,
    values: &DeviceMatrix,
    factors: &DeviceMatrix,
    left: &DeviceMatrix,
    right: &DeviceMatrix,
) -> Result<DeviceMatrix> {
    let mut out = values.reshaped(stream, values.columns())?;
    combine_matrices(stream, Combine::Product, factors, &mut out)?;
    let along = gemm(stream, Layout::NT, values, left)?;
    gemm_into(stream, Layout::NN, (1.0, &along), right, (1.0, &mut out))?;
    Ok(out)
}

impl DeviceObjective for DevicePlanes<'_> {
    fn evaluate(&mut self, stream: &mut Stream, point: &DeviceMatrix) -> Result<DeviceSlope> {
        let words = plane_words(self.columns);
        let point = point.reshaped(stream, words)?;
        let planes = self.turn.forward(stream, &point)?;
        margin_gradient_into(stream, self.x, self.targets, &planes, self.loss, &mut self.sums)?;
        let sums = self.sums.as_rows(stream, words)?;
        let mut pull = planes.reshaped(stream, words)?;
        combine_matrices(stream, Combine::Product, &self.l2, &mut pull)?;
        let mut slope = pull.reshaped(stream, words)?;
        combine_matrices(stream, Combine::Sum((1.0 / self.total) as f32, 1.0), &sums, &mut slope)?;
        let gradient = self.turn.back(stream, &slope)?.reshaped(stream, self.planes * words)?;
        let loss = (1.0 / self.total, sums, self.loss_place.clone());
        Ok(DeviceSlope { gradient, terms: [loss, (0.5, planes, pull)] })
    }
}

/// From rows of planes to d numbers for each plane, then the intercepts.
fn unpacked(rows: &[f64], planes: usize, columns: usize) -> Vec<f64> {
    let row = |plane: usize| &rows[plane * plane_words(columns)..];
    let coef = (0..planes).flat_map(|plane| row(plane)[..columns].to_vec());
    coef.chain((0..planes).map(|plane| row(plane)[padded(columns)])).collect()
}
