//! The squares of the rows' lengths, and the kernel function of each row with itself.

use rayon::prelude::*;

use super::program::value_alone;
use super::{Plan, Side};

/// Rows a task takes.
const ROWS_PER_TASK: usize = 256;

/// `out[i] = |row i|²`, summed in f64 and rounded once.
pub fn squares(rows: &[f32], depth: usize, out: &mut [f32]) {
    if depth == 0 {
        return out.fill(0.0);
    }
    out.par_chunks_mut(ROWS_PER_TASK).zip(rows.par_chunks(ROWS_PER_TASK * depth)).for_each(|(out, rows)| {
        for (out, row) in out.iter_mut().zip(rows.chunks_exact(depth)) {
            *out = row.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>() as f32;
        }
    });
}

/// `out[i] = k(a[i], a[i])`: what stands on the diagonal of the matrix of a side with itself, to the bit.
pub fn diagonal(plan: &Plan, a: &[Side<'_>], out: &mut [f32]) {
    out.par_iter_mut().enumerate().with_min_len(ROWS_PER_TASK).for_each(|(row, out)| {
        let mut registers = vec![0.0; plan.registers.max(1)];
        for pass in &plan.passes {
            let side = a[pass.side];
            let sum = pass.own_sum(side.squares[row], side.depth);
            registers[pass.target] = value_alone(&pass.program, sum, side.squares[row], &registers);
        }
        *out = registers[0];
    });
}
