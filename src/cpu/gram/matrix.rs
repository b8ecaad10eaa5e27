//! The kernel function of each pair of rows.

use rayon::prelude::*;

use super::program::{Stretch, run};
use super::step::SincStep;
use super::{Pass, Plan, Side, Step};
use crate::cpu::tile::{AbsoluteDifference, Dot, Operand, SquaredDifference, product};

/// Values made at a time: the sums are still in a cache when the program comes to them.
const CHUNK_VALUES: usize = 1 << 20;
/// Rows and columns that are mirrored at a time.
const MIRROR: usize = 64;

/// `out[i·m + j] = k(a[i], b[j])`, for sides of n and m rows, one for each kind of sum that the plan names.
///
/// With `symmetric`, `a` and `b` are the same: half of it is computed, and the sum of a row with itself is its own square.
/// Costs n·m·depth steps a pass. A value depends on its two rows alone.
pub fn matrix(plan: &Plan, a: &[Side<'_>], b: &[Side<'_>], symmetric: bool, out: &mut [f32]) {
    let (n, m) = (a[0].count(), b[0].count());
    debug_assert_eq!(out.len(), n * m);
    if n == 0 || m == 0 {
        return;
    }
    let rows = (CHUNK_VALUES / m).clamp(1, n);
    for first in (0..n).step_by(rows) {
        let count = rows.min(n - first);
        let part: Vec<Side<'_>> = a.iter().map(|side| side.part(first, count)).collect();
        let own = symmetric.then_some(first);
        chunk(plan, &part, b, own, &mut out[first * m..(first + count) * m]);
    }
    if symmetric {
        mirror(out, n);
    }
}

/// Some rows of the matrix. With `own`, the first of them is that row of B too, and only columns up to the last of them are made.
pub(super) fn chunk(plan: &Plan, a: &[Side<'_>], b: &[Side<'_>], own: Option<usize>, out: &mut [f32]) {
    let (n, m) = (a[0].count(), b[0].count());
    let columns = own.map_or(m, |first| first + n);
    let mut registers: Vec<Vec<f32>> = vec![vec![]; plan.registers];
    for (number, pass) in plan.passes.iter().enumerate() {
        let last = number + 1 == plan.passes.len();
        let mut made = if last { vec![] } else { vec![0.0; n * m] };
        let values: &mut [f32] = if last { &mut *out } else { &mut made };
        sums(pass, a[pass.side], b[pass.side].part(0, columns), values, m);
        let (a, b) = (a[pass.side], b[pass.side]);
        values.par_chunks_mut(m).enumerate().for_each(|(row, values)| {
            if let Some(first) = own {
                values[first + row] = pass.own_sum(a.squares[row], a.depth);
            }
            let at = row * m..row * m + columns;
            let held: Vec<&[f32]> =
                registers.iter().map(|held| if held.is_empty() { &[][..] } else { &held[at.clone()] }).collect();
            let stretch = Stretch { square: a.squares[row], squares: &b.squares[..columns], registers: &held };
            run(&pass.program, &mut values[..columns], &stretch);
        });
        if !last {
            registers[pass.target] = made;
        }
    }
}

/// The sums of a pass, rows `stride` apart.
fn sums(pass: &Pass, a: Side<'_>, b: Side<'_>, out: &mut [f32], stride: usize) {
    let left = Operand::from_rows(a.rows, a.count(), a.depth);
    let right = Operand::from_rows(b.rows, b.count(), b.depth);
    match pass.step {
        Step::Product => product(Dot, left, right, 1.0, 0.0, out, stride),
        Step::Square => product(SquaredDifference, left, right, 1.0, 0.0, out, stride),
        Step::Absolute => product(AbsoluteDifference, left, right, 1.0, 0.0, out, stride),
        Step::Sinc => product(SincStep, left, right, 1.0, 0.0, out, stride),
    }
}

/// Copies what is below the diagonal to above it.
fn mirror(out: &mut [f32], n: usize) {
    // Bands of rows are written in parallel; what they read lies below, in bands of later rows, so it is copied first.
    for first in (0..n).step_by(MIRROR) {
        let rows = MIRROR.min(n - first);
        let (band, below) = out[first * n..].split_at_mut(rows * n);
        for row in 0..rows {
            for column in row + 1..rows {
                band[row * n + first + column] = band[column * n + first + row];
            }
        }
        band.par_chunks_mut(n).enumerate().for_each(|(row, band)| {
            for (column, other) in below.chunks_exact(n).enumerate() {
                band[first + rows + column] = other[first + row];
            }
        });
    }
}
