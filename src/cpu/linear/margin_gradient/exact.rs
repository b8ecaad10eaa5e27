//! The same sums in f64, of dense and of sparse rows: where f32 would show in the result.

use rayon::prelude::*;

use super::{ClassPlanes, ClassRows, MarginGradient, MarginLoss};
use crate::cpu::linalg::linear_predictor::dot;
use crate::cpu::sparse::CompressedRows;
use crate::cpu::vectorised;

/// Rows whose sums are added together; the blocks are added in index order.
pub const BLOCK: usize = 1024;
/// The gradients of the blocks that are held at a time take so many numbers at most.
const HELD: usize = 1 << 22;

/// Rows that come one by one.
pub(crate) trait EachRow: Copy + Send + Sync {
    /// x·coef of a row.
    fn dot(self, row: usize, coef: &[f64]) -> f64;
    /// Adds `factor`·x of a row.
    fn add(self, row: usize, factor: f64, sums: &mut [f64]);
    /// Calls `each` with the columns that a row has.
    fn columns(self, row: usize, each: impl FnMut(usize));
    /// Σ x² of a row.
    fn square(self, row: usize) -> f64;
}

/// Dense rows, n×columns.
#[derive(Clone, Copy)]
pub(crate) struct Dense<'a> {
    pub(crate) x: &'a [f32],
    pub(crate) columns: usize,
}

impl EachRow for Dense<'_> {
    #[inline(always)]
    fn dot(self, row: usize, coef: &[f64]) -> f64 {
        dot(&self.x[row * self.columns..][..self.columns], coef)
    }

    #[inline(always)]
    fn add(self, row: usize, factor: f64, sums: &mut [f64]) {
        let values = &self.x[row * self.columns..][..self.columns];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * f64::from(*value));
    }

    #[inline(always)]
    fn columns(self, _: usize, each: impl FnMut(usize)) {
        (0..self.columns).for_each(each);
    }

    #[inline(always)]
    fn square(self, row: usize) -> f64 {
        self.x[row * self.columns..][..self.columns].iter().map(|value| f64::from(*value).powi(2)).sum()
    }
}

impl EachRow for CompressedRows<'_, f32> {
    #[inline(always)]
    fn dot(self, row: usize, coef: &[f64]) -> f64 {
        let (columns, values) = self.row(row);
        columns.iter().zip(values).map(|(column, value)| coef[*column as usize] * f64::from(*value)).sum()
    }

    #[inline(always)]
    fn add(self, row: usize, factor: f64, sums: &mut [f64]) {
        let (columns, values) = self.row(row);
        columns.iter().zip(values).for_each(|(column, value)| sums[*column as usize] += factor * f64::from(*value));
    }

    #[inline(always)]
    fn columns(self, row: usize, mut each: impl FnMut(usize)) {
        self.row(row).0.iter().for_each(|column| each(*column as usize));
    }

    #[inline(always)]
    fn square(self, row: usize) -> f64 {
        self.row(row).1.iter().map(|value| f64::from(*value).powi(2)).sum()
    }
}

/// The sums of the rows of `x`, n×d, d ≥ 1: 4·n·d operations a plane, on all cores.
///
/// Rows that come in several parts give the same bits where all parts but the last are a multiple of [`BLOCK`] long.
pub fn dense_gradient(
    x: &[f32],
    rows: ClassRows<'_>,
    planes: ClassPlanes<'_, f64>,
    loss: MarginLoss,
    sums: &mut MarginGradient,
) {
    add_rows(Dense { x, columns: planes.columns() }, rows, planes, loss, sums);
}

/// The sums of sparse rows, n×d: 4·nnz operations a plane.
pub fn sparse_gradient(
    x: CompressedRows<'_, f32>,
    rows: ClassRows<'_>,
    planes: ClassPlanes<'_, f64>,
    loss: MarginLoss,
) -> MarginGradient {
    let mut sums = MarginGradient::new(planes.columns(), planes.intercept.len());
    add_rows(x, rows, planes, loss, &mut sums);
    sums
}

fn add_rows<R: EachRow>(
    x: R,
    rows: ClassRows<'_>,
    planes: ClassPlanes<'_, f64>,
    loss: MarginLoss,
    sums: &mut MarginGradient,
) {
    let (columns, count) = (planes.columns(), planes.intercept.len());
    let blocks = rows.classes.len().div_ceil(BLOCK);
    let together = (HELD / (columns * count)).clamp(1, 1024);
    for first in (0..blocks).step_by(together) {
        let of_block = |block: usize| {
            let range = block * BLOCK..rows.classes.len().min((block + 1) * BLOCK);
            let mut sums = MarginGradient::new(columns, count);
            vectorised!(add_block(x, range.clone(), rows, planes, loss, &mut sums));
            sums
        };
        let parts: Vec<MarginGradient> = (first..blocks.min(first + together)).into_par_iter().map(of_block).collect();
        parts.iter().for_each(|part| sums.add(part));
    }
}

/// The margins of a row become the derivatives of its loss, which is returned. One margin is the log-odds of class 1.
#[inline(always)]
pub fn row_loss(loss: MarginLoss, margins: &mut [f64], class: u32) -> f64 {
    let single = margins.len() == 1;
    match loss {
        MarginLoss::Softmax => {
            let value = softmax(margins, class);
            let own = if single { 0 } else { class as usize };
            if !single || class == 1 {
                margins[own] -= 1.0;
            }
            value
        }
        MarginLoss::SquaredHinge => {
            let mut value = 0.0;
            for (plane, margin) in margins.iter_mut().enumerate() {
                let own = if single { class == 1 } else { class as usize == plane };
                let sign = if own { 1.0 } else { -1.0 };
                let short = (1.0 - sign * *margin).max(0.0);
                value += short * short;
                *margin = -2.0 * sign * short;
            }
            value
        }
    }
}

/// The margins of a row become probabilities; returns −ln of that of `class`. One margin is the log-odds of class 1.
#[inline(always)]
pub fn softmax(margins: &mut [f64], class: u32) -> f64 {
    if let [margin] = margins {
        let own = if class == 1 { *margin } else { -*margin };
        // ln(1 + e⁻ᵐ) without overflow.
        let loss = (-own).max(0.0) + (-own.abs()).exp().ln_1p();
        *margin = 1.0 / (1.0 + (-*margin).exp());
        return loss;
    }
    let largest = margins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let own = margins.get(class as usize).map_or(0.0, |margin| margin - largest);
    margins.iter_mut().for_each(|margin| *margin = (*margin - largest).exp());
    let total: f64 = margins.iter().sum();
    margins.iter_mut().for_each(|margin| *margin /= total);
    total.ln() - own
}

#[inline(always)]
fn add_block<R: EachRow>(
    x: R,
    range: std::ops::Range<usize>,
    rows: ClassRows<'_>,
    planes: ClassPlanes<'_, f64>,
    loss: MarginLoss,
    sums: &mut MarginGradient,
) {
    let ClassPlanes { coef, intercept } = planes;
    let columns = planes.columns();
    let mut margins = vec![0.0; intercept.len()];
    for row in range {
        let weight = rows.weights.map_or(1.0, |weights| f64::from(weights[row]));
        for ((margin, coef), intercept) in margins.iter_mut().zip(coef.chunks_exact(columns)).zip(intercept) {
            *margin = x.dot(row, coef) + intercept;
        }
        sums.loss += weight * row_loss(loss, &mut margins, rows.classes[row]);
        for (plane, residual) in margins.iter().enumerate() {
            let residual = weight * residual;
            sums.intercept[plane] += residual;
            if residual != 0.0 {
                x.add(row, residual, &mut sums.coef[plane * columns..(plane + 1) * columns]);
            }
        }
    }
}
