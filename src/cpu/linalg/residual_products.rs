//! The products of the columns with what a plane leaves of the targets, in f64: what a correction of the plane needs.

use rayon::prelude::*;

use super::linear_predictor::dot;
use crate::cpu::vectorised;

/// Rows whose sums are added together; the blocks are added in index order.
pub const BLOCK: usize = 1024;

/// p planes over d columns, and the means that the columns are taken about.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a> {
    /// d numbers.
    pub mean: &'a [f64],
    /// d numbers an output.
    pub coef: &'a [f64],
    /// p numbers.
    pub intercept: &'a [f64],
}

/// Sums over the rows for a plane with residuals `r = y − x·coef − intercept`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResidualProducts {
    /// `Σ w·(x − mean)·r`, d numbers an output.
    pub xr: Vec<f64>,
    /// `Σ w·r`, p numbers.
    pub residual: Vec<f64>,
    /// `Σ w·(x − mean)`, d numbers.
    pub offset: Vec<f64>,
    /// `Σ w·r²`, p numbers.
    pub squares: Vec<f64>,
}

impl ResidualProducts {
    /// No rows yet.
    pub fn new(columns: usize, outputs: usize) -> ResidualProducts {
        ResidualProducts {
            xr: vec![0.0; columns * outputs],
            residual: vec![0.0; outputs],
            offset: vec![0.0; columns],
            squares: vec![0.0; outputs],
        }
    }

    /// Adds rows of X (n×d, d ≥ 1) with their targets (n×p) and weights, 4·n·d·p operations on all cores.
    ///
    /// Rows that come in several parts give the same bits where all parts but the last are a multiple of [`BLOCK`] long.
    pub fn add(&mut self, x: &[f32], y: &[f32], weights: Option<&[f32]>, plane: Plane<'_>) {
        let (columns, outputs) = (plane.mean.len(), plane.intercept.len());
        let blocks: Vec<ResidualProducts> = x
            .par_chunks(BLOCK * columns)
            .enumerate()
            .map(|(block, x)| {
                let rows = block * BLOCK..block * BLOCK + x.len() / columns;
                let mut sums = ResidualProducts::new(columns, outputs);
                let y = &y[rows.start * outputs..rows.end * outputs];
                let weights = weights.map(|weights| &weights[rows]);
                vectorised!(add_block(x, y, weights, plane, &mut sums));
                sums
            })
            .collect();
        for block in blocks {
            let pairs = [
                (&mut self.xr, block.xr),
                (&mut self.residual, block.residual),
                (&mut self.offset, block.offset),
                (&mut self.squares, block.squares),
            ];
            for (total, part) in pairs {
                total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
            }
        }
    }
}

#[inline(always)]
fn add_block(x: &[f32], y: &[f32], weights: Option<&[f32]>, plane: Plane<'_>, sums: &mut ResidualProducts) {
    let Plane { mean, coef, intercept } = plane;
    let (columns, outputs) = (mean.len(), intercept.len());
    for (row, x) in x.chunks_exact(columns).enumerate() {
        let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
        add(&mut sums.offset, weight, x, mean);
        let targets = &y[row * outputs..(row + 1) * outputs];
        let planes = coef.chunks_exact(columns).zip(intercept).zip(targets);
        let sums = sums.xr.chunks_exact_mut(columns).zip(&mut sums.residual).zip(&mut sums.squares);
        for (((coef, intercept), target), ((xr, residual), squares)) in planes.zip(sums) {
            let own = f64::from(*target) - dot(x, coef) - intercept;
            let left = weight * own;
            *residual += left;
            *squares += left * own;
            add(xr, left, x, mean);
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
