//! Solutions for many shifts at once.

use rayon::prelude::*;

use super::panel::{columns, rows};
use super::{BandFactor, BandReduced, Dot, Operand, WIDTH, product};
use crate::cpu::linalg::corrected::norm;
use crate::cpu::vectorised;

/// Corrections at most; residuals, as shares of the right-hand side, that end them and that are accepted after the last.
const MOST_CORRECTIONS: usize = 8;
const SETTLED: f64 = 1e-9;
const ACCEPTED: f64 = 1e-7;
/// Shifts and rows of a block of the product in f64.
const SHIFTS: usize = 8;
const ROWS: usize = 4;

impl BandReduced {
    /// Solves `(A + shift·I)·x = b` for each shift, as [`BandReduced::solve`] does for one: the reflections and the matrix are
    /// read once for all of them in each correction. Returns each solution with its residual, ‖b − A·x‖/‖b‖; nothing where one
    /// does not come down. The matrix may be a more exact form, in f64, of what was reduced.
    pub fn solve_shifts<T: Copy + Into<f64> + Sync>(
        &self,
        matrix: &[T],
        shifts: &[f64],
        b: &[f64],
    ) -> Option<Vec<(Vec<f64>, f64)>> {
        let (n, count) = (self.size, shifts.len());
        let factors: Vec<BandFactor> =
            shifts.iter().map(|&shift| BandFactor::new(self, shift)).collect::<Option<_>>()?;
        let size = norm(b);
        // n×count: one column a shift.
        let mut x = vec![0.0; n * count];
        let mut rest: Vec<f64> = b.iter().flat_map(|&b| std::iter::repeat_n(b, count)).collect();
        let mut residuals = vec![if size > 0.0 { 1.0 } else { 0.0 }; count];
        for _ in 0..MOST_CORRECTIONS {
            if residuals.iter().all(|&residual| residual <= SETTLED) {
                break;
            }
            let mut step: Vec<f32> = rest.iter().map(|&value| value as f32).collect();
            self.rotate(&mut step, count, true);
            let solved: Vec<Vec<f64>> = factors
                .par_iter()
                .enumerate()
                .map(|(at, factor)| {
                    let mut column: Vec<f64> = step.iter().skip(at).step_by(count).copied().map(f64::from).collect();
                    factor.solve(&mut column);
                    column
                })
                .collect();
            for (at, column) in solved.iter().enumerate() {
                step.iter_mut().skip(at).step_by(count).zip(column).for_each(|(step, &value)| *step = value as f32);
            }
            self.rotate(&mut step, count, false);
            x.iter_mut().zip(&step).for_each(|(x, &step)| *x += f64::from(step));
            rest = remainders(matrix, shifts, b, &x);
            for (at, residual) in residuals.iter_mut().enumerate() {
                let column: Vec<f64> = rest.iter().skip(at).step_by(count).copied().collect();
                *residual = if size > 0.0 { norm(&column) / size } else { 0.0 };
            }
        }
        let accepted = residuals.iter().all(|&residual| residual <= ACCEPTED);
        let column = |at: usize| (x.iter().skip(at).step_by(count).copied().collect(), residuals[at]);
        accepted.then(|| (0..count).map(column).collect())
    }

    /// `x ← Qᵀ·x` or `Q·x` for an n×count matrix, in f32.
    fn rotate(&self, x: &mut [f32], count: usize, transposed: bool) {
        let mut along = vec![0.0; WIDTH * count];
        let mut turned = vec![0.0; WIDTH * count];
        let mut apply = |panel: &super::Panel| {
            let part = &mut x[panel.after * count..];
            let right = Operand::from_columns(part, panel.rows(), count);
            product(Dot, columns(&panel.vectors), right, 1.0, 0.0, &mut along, count);
            let factor = if transposed { columns(&panel.factor) } else { rows(&panel.factor) };
            product(Dot, factor, Operand::from_columns(&along, WIDTH, count), 1.0, 0.0, &mut turned, count);
            let right = Operand::from_columns(&turned, WIDTH, count);
            product(Dot, rows(&panel.vectors), right, -1.0, 1.0, part, count);
        };
        match transposed {
            true => self.panels.iter().for_each(&mut apply),
            false => self.panels.iter().rev().for_each(&mut apply),
        }
    }
}

/// b − A·x − shift·x for each column of x, n×count, in f64.
fn remainders<T: Copy + Into<f64> + Sync>(matrix: &[T], shifts: &[f64], b: &[f64], x: &[f64]) -> Vec<f64> {
    let (n, count) = (b.len(), shifts.len());
    // Shifts in groups, each with all its rows one after the other.
    let groups = count.div_ceil(SHIFTS);
    let value = |group: usize, row: usize, at: usize| x.get(row * count + group * SHIFTS + at).copied();
    let packed: Vec<[f64; SHIFTS]> = (0..groups * n)
        .map(|place| {
            let (group, row) = (place / n, place % n);
            let inside = |at: usize| group * SHIFTS + at < count;
            std::array::from_fn(|at| if inside(at) { value(group, row, at).unwrap_or(0.0) } else { 0.0 })
        })
        .collect();
    let mut rest = vec![0.0; n * count];
    rest.par_chunks_mut(ROWS * count).enumerate().for_each(|(block, rest)| {
        let first = block * ROWS;
        for (group, packed) in packed.chunks_exact(n).enumerate() {
            let sums = vectorised!(some_rows(&matrix[first * n..n * n.min(first + ROWS)], packed));
            for (row, rest) in rest.chunks_exact_mut(count).enumerate() {
                for (at, rest) in rest.iter_mut().enumerate().skip(group * SHIFTS).take(SHIFTS) {
                    let own = x[(first + row) * count + at];
                    *rest = b[first + row] - sums[row][at - group * SHIFTS] - shifts[at] * own;
                }
            }
        }
    });
    rest
}

/// The products of up to ROWS rows of the matrix with a group of columns.
#[inline(always)]
fn some_rows<T: Copy + Into<f64>>(matrix: &[T], packed: &[[f64; SHIFTS]]) -> [[f64; SHIFTS]; ROWS] {
    let n = packed.len();
    let mut sums = [[0.0_f64; SHIFTS]; ROWS];
    // Rows past the end repeat the first, and are not used.
    let row = |at: usize| if (at + 1) * n <= matrix.len() { &matrix[at * n..(at + 1) * n] } else { &matrix[..n] };
    let rows: [&[T]; ROWS] = std::array::from_fn(row);
    for (place, x) in packed.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(&rows) {
            let value: f64 = row[place].into();
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += value * x);
        }
    }
    sums
}
