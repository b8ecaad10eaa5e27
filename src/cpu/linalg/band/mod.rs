//! A large symmetric matrix as Q·B·Qᵀ with a banded B, in f32 or f64 on all cores.
//!
//! A + shift·I is then Q·(B + shift·I)·Qᵀ: one reduction serves every shift. It is the first half of an eigendecomposition, and
//! the half that is made of products; the second would cost more than it saves.

mod exact;
mod inverse;
mod panel;
mod shifts;

use super::corrected::Corrected;
use super::symmetric::symmetric_product;
use crate::cpu::tile::{Dot, Operand, product};
use panel::Panel;

/// Entries of B beside its diagonal, and columns that are reduced at once.
const WIDTH: usize = 32;
/// Rows of a block: blocks up to the diagonal are kept, whole.
const ROWS: usize = 512;

/// A symmetric n×n matrix reduced to a band.
#[derive(Debug)]
pub struct BandReduced {
    size: usize,
    /// Row i of B up to the diagonal: entry (i, i − WIDTH + k) is the k-th of WIDTH + 1.
    band: Vec<f64>,
    panels: Vec<Panel>,
    /// Whether B is right to f64.
    exact: bool,
}

/// An entry of the triangle that a panel leaves: row, column, value.
type Entry = (usize, usize, f64);

impl BandReduced {
    /// Reduces a symmetric row-major matrix. About 2n³/3 multiply-adds in f32; the error is a few roundings of its entries.
    pub fn reduce(mut values: Vec<f32>, size: usize) -> BandReduced {
        reduce_by(&mut values, (size, size), |values, first| {
            let (panel, upper) = Panel::factor(values, size, first);
            panel.reduce_rest(values, size);
            (panel, upper)
        })
    }

    /// Solves `(A + shift·I)·x = b` for each right-hand side, corrected by f64 residuals of the matrix that was reduced;
    /// nothing where the corrections do not shrink. Costs a few passes over n² numbers.
    pub fn solve(&self, matrix: &[f32], shift: f64, sides: &[Vec<f64>]) -> Option<Corrected> {
        let factor = BandFactor::new(self, shift)?;
        let diagonal = |at: usize| f64::from(matrix[at * self.size + at]) + shift;
        let multiply = |x: &[f64]| symmetric_product(matrix, self.size, diagonal, x);
        Corrected::solve(sides, |b| self.apply_inverse(&factor, b), multiply)
    }

    /// Q·(B + shift·I)⁻¹·Qᵀ·b.
    fn apply_inverse(&self, factor: &BandFactor, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        self.panels.iter().for_each(|panel| panel.apply(&mut x, true));
        factor.solve(&mut x);
        self.panels.iter().rev().for_each(|panel| panel.apply(&mut x, false));
        x
    }
}

/// Reduces panel by panel rows that are `stride` apart: `step` takes the panel at a column and applies it to the rest.
fn reduce_by<T: Copy + Into<f64>>(
    values: &mut [T],
    (size, stride): (usize, usize),
    mut step: impl FnMut(&mut [T], usize) -> (Panel, Vec<Entry>),
) -> BandReduced {
    debug_assert_eq!(values.len(), size * stride);
    let mut band = vec![0.0; size * (WIDTH + 1)];
    let mut panels = vec![];
    for first in (0..size).step_by(WIDTH) {
        let after = size.min(first + WIDTH);
        for row in first..after {
            for column in first..=row {
                band[row * (WIDTH + 1) + WIDTH + column - row] = values[row * stride + column].into();
            }
        }
        if after == size {
            break;
        }
        let (panel, upper) = step(values, first);
        for (row, column, value) in upper {
            let (row, column) = (after + row, first + column);
            band[row * (WIDTH + 1) + WIDTH + column - row] = value;
        }
        panels.push(panel);
    }
    BandReduced { size, band, panels, exact: false }
}

/// The lower factor of B + shift·I, banded as B.
struct BandFactor {
    size: usize,
    lower: Vec<f64>,
}

impl BandFactor {
    /// Nothing where it is not positive definite.
    fn new(reduced: &BandReduced, shift: f64) -> Option<BandFactor> {
        let size = reduced.size;
        let mut lower = reduced.band.clone();
        for row in 0..size {
            let (before, own) = lower.split_at_mut(row * (WIDTH + 1));
            let own = &mut own[..=WIDTH];
            let largest = own[WIDTH] + shift;
            for column in row.saturating_sub(WIDTH)..row {
                // Where the two rows begin to have columns in common.
                let at = WIDTH + column - row;
                let other = &before[column * (WIDTH + 1)..(column + 1) * (WIDTH + 1)];
                let dot: f64 = own[..at].iter().zip(&other[WIDTH - at..WIDTH]).map(|(left, right)| left * right).sum();
                own[at] = (own[at] - dot) / other[WIDTH];
            }
            let pivot = largest - own[..WIDTH].iter().map(|value| value * value).sum::<f64>();
            if pivot.is_nan() || pivot <= f64::EPSILON * largest.abs() {
                return None;
            }
            own[WIDTH] = pivot.sqrt();
        }
        Some(BandFactor { size, lower })
    }

    fn row(&self, row: usize) -> (&[f64], f64) {
        let values = &self.lower[row * (WIDTH + 1)..(row + 1) * (WIDTH + 1)];
        (&values[WIDTH.saturating_sub(row)..WIDTH], values[WIDTH])
    }

    /// L⁻ᵀ·L⁻¹·x in place.
    fn solve(&self, x: &mut [f64]) {
        for at in 0..self.size {
            let (values, own) = self.row(at);
            let dot: f64 = values.iter().zip(&x[at - values.len()..at]).map(|(value, x)| value * x).sum();
            x[at] = (x[at] - dot) / own;
        }
        for at in (0..self.size).rev() {
            let (values, own) = self.row(at);
            let value = x[at] / own;
            x[at] = value;
            x[at - values.len()..at].iter_mut().zip(values).for_each(|(x, factor)| *x -= factor * value);
        }
    }
}
