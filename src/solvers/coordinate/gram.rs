//! Columns known by their products alone.

use rayon::prelude::*;

use super::{CONSTANT, Columns, L1L2};
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::vectorised;
use crate::device::Device;
use crate::error::Result;
use crate::ops::NormalEquations;
use crate::ops::linear::coordinate_descent::{MOST_COLUMNS, StepPenalty, coordinate_descent};

/// Columns of a task.
const TASK: usize = 1024;

/// All products of the columns, with each other and with the targets.
pub(crate) struct GramColumns {
    /// d×d, in f32 as they are right to it: passes and slopes wait for memory.
    gram: Vec<f32>,
    squares: Vec<f64>,
    /// p outputs of d numbers.
    with_target: Vec<Vec<f64>>,
    target_squares: Vec<f64>,
    /// The products on a GPU, where passes can run.
    resident: Option<DeviceMatrix>,
}

impl GramColumns {
    /// From the products of centred columns; `target_squares` are ‖y‖² of each output over the weight.
    pub(crate) fn new(products: NormalEquations, target_squares: Vec<f64>) -> GramColumns {
        let NormalEquations { weight, x_mean, y_mean, xx, xy } = products;
        let (d, p) = (x_mean.len(), y_mean.len());
        let gram = xx.par_iter().map(|value| (value / weight) as f32).collect();
        let square =
            |at: usize| Some(xx[at * d + at] / weight).filter(|square| *square > (CONSTANT * x_mean[at]).powi(2));
        let squares = (0..d).map(|at| square(at).unwrap_or(0.0)).collect();
        let with_target = |output: usize| (0..d).map(|at| xy[at * p + output] / weight).collect();
        let with_target = (0..p).map(with_target).collect();
        GramColumns { gram, squares, with_target, target_squares, resident: None }
    }

    /// With the products in f32 on a GPU as well, up to 2048 columns, so that passes run there.
    pub(crate) fn on(mut self, device: &Device) -> Result<GramColumns> {
        let d = self.squares.len();
        if !matches!(device, Device::Cpu) && d <= MOST_COLUMNS {
            let mut values = self.gram.clone();
            // Columns that take no part are left out by their length.
            (0..d).filter(|at| self.squares[*at] == 0.0).for_each(|at| values[at * d + at] = 0.0);
            if values.iter().all(|value| value.is_finite()) {
                self.resident = Some(Matrix::from_vec(d, d, values)?.to(device)?);
            }
        }
        Ok(self)
    }

    fn row(&self, at: usize) -> &[f32] {
        let d = self.squares.len();
        &self.gram[at * d..(at + 1) * d]
    }
}

impl Columns for GramColumns {
    fn count(&self) -> usize {
        self.squares.len()
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn target_square(&self, output: usize) -> f64 {
        self.target_squares[output]
    }

    fn slopes(&self, output: usize, support: &[(usize, f64)], which: &[usize]) -> (f64, Vec<f64>) {
        let with_target = &self.with_target[output];
        let mut all = with_target.clone();
        all.par_chunks_mut(TASK).enumerate().for_each(|(task, all)| {
            for (column, coef) in support {
                let row = &self.row(*column)[task * TASK..task * TASK + all.len()];
                vectorised!(subtract(all, *coef, row));
            }
        });
        // ‖y − Xw‖² = ‖y‖² − wᵀ(Xᵀy + Xᵀr).
        let gained: f64 = support.iter().map(|(at, coef)| coef * (with_target[*at] + all[*at])).sum();
        let residual = (self.target_squares[output] - gained).max(0.0);
        (residual, which.iter().map(|&at| all[at]).collect())
    }

    fn descend(&self, coef: &mut [f64], slopes: &[f64], penalty: L1L2, passes: usize) -> Result<bool> {
        let Some(gram) = &self.resident else { return Ok(false) };
        let mut stream = gram.device().stream();
        let state: Vec<f32> = coef.iter().chain(slopes).map(|value| *value as f32).collect();
        let mut state = Matrix::from_vec(2, coef.len(), state)?.to(gram.device())?;
        let penalty = StepPenalty { l1: penalty.l1 as f32, l2: penalty.l2 as f32, positive: penalty.positive };
        coordinate_descent(&mut stream, gram, &mut state, penalty, passes)?;
        let found = state.to_matrix(&mut stream)?;
        coef.iter_mut().zip(found.row(0)).for_each(|(coef, found)| *coef = f64::from(*found));
        Ok(true)
    }

    fn products(&self, left: &[usize], right: &[usize]) -> Vec<f32> {
        let mut out = vec![0.0; left.len() * right.len()];
        out.par_chunks_mut(right.len().max(1)).zip(left).for_each(|(out, &at)| {
            let row = self.row(at);
            out.iter_mut().zip(right).for_each(|(out, &other)| *out = row[other]);
        });
        out
    }
}

#[inline(always)]
fn subtract(sums: &mut [f64], coef: f64, row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum -= coef * f64::from(*value));
}
