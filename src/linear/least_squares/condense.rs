//! Nearly dependent columns in a large table: fewer rows with the same solution.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::dense::{Centred, Rule, solve_centred};
use super::fit::{Found, Problem};
use crate::device::Stream;
use crate::error::Result;
use crate::linalg::Qr;
use crate::ops::linalg::residual_products::{Plane, residual_products};

/// Rows of a block, at least, and in multiples of the columns: each factor then leaves a quarter or less.
const BLOCK: usize = 1024;
const HEIGHT: usize = 4;

/// The plane by QR in f64, block by block. Some 2·n·(d + p)² operations.
pub(super) fn solve(stream: &mut Stream, problem: &Problem<'_>) -> Result<Found> {
    let tolerance = f64::from(f32::EPSILON);
    let rule = Rule { alpha: problem.penalty.alpha, tolerance, statistics: problem.penalty.statistics };
    Ok(solve_centred(&condensed_rows(stream, problem)?, rule)?.0)
}

/// Few rows with the same solution as all: any rows C with CᵀC = AᵀA have the same least squares problem as A, so each
/// block of [X | Y] is replaced by its factor R, and the factors are blocks again (Demmel and others, TSQR, 2012).
pub(super) fn condensed_rows(stream: &mut Stream, problem: &Problem<'_>) -> Result<Centred> {
    let (columns, outputs) = (problem.x.columns(), problem.y.columns());
    let (mut mean, mut y_mean) = (vec![0.0; columns], vec![0.0; outputs]);
    if problem.penalty.intercept {
        let weight: f64 = (0..problem.x.rows()).map(|row| problem.weight(row)).sum();
        // Twice: about the first mean the sums of the second pass are small, and so is their rounding.
        for _ in 0..2 {
            let plane = Plane { mean: &mean, coef: &vec![0.0; columns * outputs], intercept: &y_mean };
            let sums = residual_products(stream, problem.x, problem.y, problem.weights, plane)?;
            mean.iter_mut().zip(&sums.offset).for_each(|(mean, sum)| *mean += sum / weight);
            y_mean.iter_mut().zip(&sums.residual).for_each(|(mean, sum)| *mean += sum / weight);
        }
    }
    let all = columns + outputs;
    let block = BLOCK.max(HEIGHT * all);
    let mut left: Vec<DMatrix<f64>> = vec![];
    problem.x.for_host_rows(stream, block, |rows, values| {
        let parts = values.par_chunks(block * columns).enumerate();
        let factors: Result<Vec<DMatrix<f64>>> = parts
            .map(|(index, x)| {
                let first = rows.start + index * block;
                let value = |row: usize, column: usize| match column.checked_sub(columns) {
                    None => f64::from(x[row * columns + column]) - mean[column],
                    Some(output) => f64::from(problem.y.get(first + row, output)) - y_mean[output],
                };
                let root = |row: usize| problem.weight(first + row).sqrt();
                condensed(DMatrix::from_fn(x.len() / columns, all, |row, column| root(row) * value(row, column)))
            })
            .collect();
        left.extend(factors?);
        Ok(())
    })?;
    while left.len() > 1 {
        let groups: Result<Vec<DMatrix<f64>>> =
            left.par_chunks(HEIGHT).map(|group| condensed(stacked(group))).collect();
        left = groups?;
    }
    let rows = left.pop().unwrap_or_else(|| DMatrix::zeros(0, all));
    let x = rows.columns(0, columns).into_owned();
    let y = rows.columns(columns, outputs).into_owned();
    Ok(Centred::new(x, y, mean, y_mean, problem.x.rows()))
}

/// At most as many rows as columns, with the same products of columns.
fn condensed(rows: DMatrix<f64>) -> Result<DMatrix<f64>> {
    if rows.nrows() <= rows.ncols() {
        return Ok(rows);
    }
    let qr = Qr::factor(&rows)?;
    let r = qr.r();
    let mut out = DMatrix::zeros(r.nrows(), r.ncols());
    for (from, &to) in qr.order().iter().enumerate() {
        out.set_column(to, &(r.column(from) / qr.scale()[to]));
    }
    Ok(out)
}

fn stacked(parts: &[DMatrix<f64>]) -> DMatrix<f64> {
    let rows = parts.iter().map(DMatrix::nrows).sum();
    let mut out = DMatrix::zeros(rows, parts.first().map_or(0, DMatrix::ncols));
    let mut first = 0;
    for part in parts {
        out.rows_mut(first, part.nrows()).copy_from(part);
        first += part.nrows();
    }
    out
}
