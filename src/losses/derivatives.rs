//! Gradients and Hessians of many rows, on all cores.

use rayon::prelude::*;

use super::Loss;
use crate::cpu::tree::gradients::{RowLoss, gradients};

pub use crate::cpu::tree::gradients::{Derivatives, LossRows, softmax_gradients as softmax_derivatives};

/// Rows of one partial sum.
const BLOCK: usize = 1 << 13;

impl Loss {
    /// The loss as devices know it.
    pub(crate) fn of_rows(self) -> RowLoss {
        match self {
            Loss::Squared => RowLoss::Squared,
            Loss::Absolute => RowLoss::Slopes { above: 1.0, below: 1.0, at: 0.0 },
            Loss::Quantile { alpha } => {
                let alpha = alpha as f32;
                RowLoss::Slopes { above: 1.0 - alpha, below: alpha, at: -alpha }
            }
            Loss::Huber { delta } => RowLoss::Huber { delta: delta as f32 },
            Loss::Poisson => RowLoss::Poisson,
            Loss::Logistic => RowLoss::Logistic,
            Loss::Exponential => RowLoss::Exponential,
        }
    }

    /// Writes the first and the second derivative of each row's loss by its score, both times the weight; 0 where that
    /// is 0. Returns the largest |gradient| and the largest Hessian.
    pub fn derivatives(self, rows: LossRows<'_>, out: Derivatives<'_>) -> [f32; 2] {
        gradients(self.of_rows(), rows, out)
    }
}

/// Σ of a number for each row, in blocks that do not depend on the number of threads.
pub fn sum_rows(rows: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    let block = |block: usize| (block * BLOCK..rows.min((block + 1) * BLOCK)).map(&value).sum();
    let sums: Vec<f64> = (0..rows.div_ceil(BLOCK)).into_par_iter().map(block).collect();
    sums.into_iter().sum()
}
