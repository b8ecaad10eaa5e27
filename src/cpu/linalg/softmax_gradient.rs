//! The log-loss of classes and its slope by the coefficients, in one pass over the rows, in f64.

use rayon::prelude::*;

use super::linear_predictor::dot;
use crate::cpu::vectorised;

/// Rows whose sums are added together; the blocks are added in index order.
pub const BLOCK: usize = 1024;

/// Planes over d columns: one for two classes (the log-odds of the second), else one for each class.
#[derive(Clone, Copy, Debug)]
pub struct ClassPlanes<'a> {
    /// d numbers a plane.
    pub coef: &'a [f64],
    /// One number a plane.
    pub intercept: &'a [f64],
}

/// Sums over rows of the log-loss and its derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftmaxGradient {
    /// `Σ w·−ln p(class)`.
    pub loss: f64,
    /// `Σ w·(p − 1[class])·x`, d numbers a plane.
    pub coef: Vec<f64>,
    /// `Σ w·(p − 1[class])`, one number a plane.
    pub intercept: Vec<f64>,
}

impl SoftmaxGradient {
    /// No rows yet.
    pub fn new(columns: usize, planes: usize) -> SoftmaxGradient {
        SoftmaxGradient { loss: 0.0, coef: vec![0.0; columns * planes], intercept: vec![0.0; planes] }
    }

    /// Adds rows of X (n×d, d ≥ 1) with their classes and weights, 4·n·d operations a plane, on all cores.
    ///
    /// Rows that come in several parts give the same bits where all parts but the last are a multiple of [`BLOCK`] long.
    pub fn add(&mut self, x: &[f32], classes: &[u32], weights: Option<&[f32]>, planes: ClassPlanes<'_>) {
        let count = planes.intercept.len();
        let columns = planes.coef.len() / count;
        let of_block = |(block, x): (usize, &[f32])| {
            let rows = block * BLOCK..block * BLOCK + x.len() / columns;
            let mut sums = SoftmaxGradient::new(columns, count);
            let weights = weights.map(|weights| &weights[rows.clone()]);
            vectorised!(add_block(x, &classes[rows], weights, planes, &mut sums));
            sums
        };
        let blocks: Vec<SoftmaxGradient> = x.par_chunks(BLOCK * columns).enumerate().map(of_block).collect();
        for block in blocks {
            self.loss += block.loss;
            self.coef.iter_mut().zip(block.coef).for_each(|(total, part)| *total += part);
            self.intercept.iter_mut().zip(block.intercept).for_each(|(total, part)| *total += part);
        }
    }
}

/// The margins of a row become probabilities; returns −ln of that of `class`. One margin is the log-odds of class 1.
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
fn add_block(x: &[f32], classes: &[u32], weights: Option<&[f32]>, planes: ClassPlanes<'_>, sums: &mut SoftmaxGradient) {
    let ClassPlanes { coef, intercept } = planes;
    let columns = coef.len() / intercept.len();
    let mut margins = vec![0.0; intercept.len()];
    for (row, (x, &class)) in x.chunks_exact(columns).zip(classes).enumerate() {
        let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
        for ((margin, coef), intercept) in margins.iter_mut().zip(coef.chunks_exact(columns)).zip(intercept) {
            *margin = dot(x, coef) + intercept;
        }
        sums.loss += weight * softmax(&mut margins, class);
        for (plane, share) in margins.iter().enumerate() {
            let own = if margins.len() == 1 { class == 1 } else { class as usize == plane };
            let residual = weight * (share - f64::from(u8::from(own)));
            sums.intercept[plane] += residual;
            let slopes = &mut sums.coef[plane * columns..(plane + 1) * columns];
            slopes.iter_mut().zip(x).for_each(|(slope, value)| *slope += residual * f64::from(*value));
        }
    }
}
