//! The slope of the loss and the means, in f64, from f32 rows wherever they live.

use nalgebra::DMatrix;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::fit::Problem;
use super::predict::dot;
use crate::device::Stream;
use crate::error::Result;

/// Rows whose sums are added together; the blocks are added in index order.
const BLOCK: usize = 1024;
/// Numbers that are read back from a GPU at a time.
const READ: usize = 1 << 23;

/// Sums over the rows for a plane with residuals `r = y − x·coef − intercept`.
#[derive(Debug, Clone)]
pub(super) struct Slope {
    /// `Σ w·(x − mean)·r`, d×p.
    pub(super) slope: DMatrix<f64>,
    /// `Σ w·r`, p.
    pub(super) residual: Vec<f64>,
    /// `Σ w·(x − mean)`, d.
    pub(super) offset: Vec<f64>,
}

/// Calls `work` with the number of the first row and the values of some rows, a multiple of 1024, until it saw all.
pub(super) fn each_part(
    stream: &mut Stream,
    problem: &Problem<'_>,
    mut work: impl FnMut(usize, &[f32]) -> Result<()>,
) -> Result<()> {
    let x = problem.x;
    if let Ok(values) = x.values() {
        return work(0, values);
    }
    let rows = (READ / x.columns()).max(1).next_multiple_of(BLOCK);
    for first in (0..x.rows()).step_by(rows) {
        let part = x.rows_in(stream, first..x.rows().min(first + rows))?;
        work(first, part.as_slice())?;
    }
    Ok(())
}

/// The sums for a plane of d×p coefficients. Reads the rows once, 4·n·d·p operations.
pub(super) fn slope(
    stream: &mut Stream,
    problem: &Problem<'_>,
    mean: &[f64],
    coef: &DMatrix<f64>,
    intercept: &[f64],
) -> Result<Slope> {
    let (columns, outputs) = coef.shape();
    let nothing =
        || Slope { slope: DMatrix::zeros(columns, outputs), residual: vec![0.0; outputs], offset: vec![0.0; columns] };
    let mut total = nothing();
    each_part(stream, problem, |first, values| {
        let parts: Vec<Slope> = values
            .par_chunks(BLOCK * columns)
            .enumerate()
            .map(|(index, x)| {
                let mut sums = nothing();
                let first = first + index * BLOCK;
                Arch::new().dispatch(Block { problem, x, first, mean, coef, intercept, sums: &mut sums });
                sums
            })
            .collect();
        for part in parts {
            total.slope += part.slope;
            total.residual.iter_mut().zip(part.residual).for_each(|(total, part)| *total += part);
            total.offset.iter_mut().zip(part.offset).for_each(|(total, part)| *total += part);
        }
        Ok(())
    })?;
    Ok(total)
}

struct Block<'a> {
    problem: &'a Problem<'a>,
    x: &'a [f32],
    first: usize,
    mean: &'a [f64],
    coef: &'a DMatrix<f64>,
    intercept: &'a [f64],
    sums: &'a mut Slope,
}

impl WithSimd for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let columns = self.mean.len();
        for (row, x) in self.x.chunks_exact(columns).enumerate() {
            let row = self.first + row;
            let weight = self.problem.weight(row);
            add(&mut self.sums.offset, weight, x, self.mean);
            let planes = self.coef.as_slice().chunks_exact(columns).zip(self.intercept);
            let slopes = self.sums.slope.as_mut_slice().chunks_exact_mut(columns);
            let outputs = planes.zip(slopes).zip(&mut self.sums.residual);
            for (output, (((coef, intercept), slope), residual)) in outputs.enumerate() {
                let left = weight * (f64::from(self.problem.y.get(row, output)) - dot(x, coef) - intercept);
                *residual += left;
                add(slope, left, x, self.mean);
            }
        }
    }
}

/// `sums += factor·(x − mean)`.
#[inline(always)]
fn add(sums: &mut [f64], factor: f64, x: &[f32], mean: &[f64]) {
    for ((sum, &x), &mean) in sums.iter_mut().zip(x).zip(mean) {
        *sum += factor * (f64::from(x) - mean);
    }
}
