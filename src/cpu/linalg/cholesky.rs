//! The Cholesky factor of a large symmetric matrix in f32, on all cores, and systems solved with it to f64.

mod block;
mod substitution;

use rayon::prelude::*;

use super::corrected::Corrected;
use super::symmetric::symmetric_product;
use crate::cpu::tile::{Dot, Operand, pack_panels, panel_product, panel_update, panel_width, with_buffer};
use block::factor_block;
use substitution::{backward, forward};

/// Columns that are eliminated at once: the depth of the products that are nearly all of the work.
const PANEL: usize = 256;
/// Rows that a task updates, a multiple of every panel's width.
const ROWS: usize = 192;

/// A symmetric matrix with its factor: the factor L below the diagonal and on it, the matrix above.
///
/// One n×n array holds both, so that solutions can be corrected by residuals of the matrix itself.
#[derive(Debug)]
pub struct FactoredSymmetric {
    size: usize,
    values: Vec<f32>,
    diagonal: Vec<f32>,
    shift: f64,
}

impl FactoredSymmetric {
    /// Factors `A + shift·I` of a symmetric row-major matrix; nothing where that is not positive definite in f32.
    ///
    /// About n³/6 multiply-adds in f32. The bits do not depend on the number of threads.
    pub fn factor(mut values: Vec<f32>, size: usize, shift: f64) -> Option<FactoredSymmetric> {
        debug_assert_eq!(values.len(), size * size);
        let diagonal: Vec<f32> = (0..size).map(|i| values[i * size + i]).collect();
        for (i, &value) in diagonal.iter().enumerate() {
            values[i * size + i] = (f64::from(value) + shift) as f32;
        }
        let mut room = Room::new(size);
        for first in (0..size).step_by(PANEL) {
            let width = PANEL.min(size - first);
            let inverse = factor_block(&mut values, size, first, width)?;
            if first + width < size {
                eliminate(&mut values, size, (first, width), &inverse, &mut room);
            }
        }
        Some(FactoredSymmetric { size, values, diagonal, shift })
    }

    /// Solves `(A + shift·I)·x = b` for each right-hand side, corrected with residuals in f64 until nothing changes; nothing
    /// where the corrections do not shrink.
    pub fn solve(&self, sides: &[Vec<f64>]) -> Option<Corrected> {
        let diagonal = |at: usize| f64::from(self.diagonal[at]) + self.shift;
        let multiply = |x: &[f64]| symmetric_product(&self.values, self.size, diagonal, x);
        Corrected::solve(sides, |b| self.apply_inverse(b), multiply)
    }

    /// L⁻ᵀ·L⁻¹·b.
    fn apply_inverse(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        forward(&self.values, self.size, &mut x);
        backward(&self.values, self.size, &mut x);
        x
    }
}

/// Buffers that serve every panel: fresh memory would cost as much as a tenth of the work.
struct Room {
    /// The columns of a panel by rows, and packed.
    panel: Vec<f32>,
    packed: Vec<f32>,
}

impl Room {
    fn new(size: usize) -> Room {
        let numbers = size.next_multiple_of(panel_width()) * PANEL.min(size);
        Room { panel: vec![0.0; numbers], packed: vec![0.0; numbers] }
    }
}

/// The columns below a factored block become those of L, and what they explain is taken from the rows after them.
fn eliminate(values: &mut [f32], size: usize, (first, width): (usize, usize), inverse: &[f32], room: &mut Room) {
    let after = first + width;
    let count = size - after;
    let rest = &mut values[after * size..];
    let mut turned = vec![0.0; width.next_multiple_of(panel_width()) * width];
    pack_panels(operand(inverse, width), &mut turned);
    // L's columns are those of the matrix times the inverse of the block's factor.
    let panel = &mut room.panel[..count * width];
    panel.par_chunks_mut(ROWS * width).zip(rest.par_chunks_mut(ROWS * size)).for_each(|(panel, rest)| {
        with_buffer(panel.len(), |before| {
            for (row, before) in rest.chunks_exact(size).zip(before.chunks_exact_mut(width)) {
                before.copy_from_slice(&row[first..after]);
            }
            panel_product(Dot, operand(before, width), &turned, width, panel);
        });
        for (row, panel) in rest.chunks_exact_mut(size).zip(panel.chunks_exact(width)) {
            row[first..after].copy_from_slice(panel);
        }
    });
    let panel = &room.panel[..count * width];
    let packed = &mut room.packed[..count.next_multiple_of(panel_width()) * width];
    packed.par_chunks_mut(ROWS * width).zip(panel.par_chunks(ROWS * width)).for_each(|(packed, panel)| {
        pack_panels(operand(panel, width), packed);
    });
    let packed = &*packed;
    rest.par_chunks_mut(ROWS * size).zip(panel.par_chunks(ROWS * width)).enumerate().for_each(
        |(task, (rest, panel))| {
            let (own, start) = (operand(panel, width), task * ROWS);
            if start > 0 {
                let mut out: Vec<&mut [f32]> =
                    rest.chunks_exact_mut(size).map(|row| &mut row[after..after + start]).collect();
                panel_update(Dot, own, packed, (-1.0, 1.0), &mut out);
            }
            // On the diagonal only what lies below it: above stands the matrix.
            let side = own.rows;
            with_buffer(side * side, |square| {
                panel_product(Dot, own, &packed[start * width..], side, square);
                for (row, (rest, square)) in rest.chunks_exact_mut(size).zip(square.chunks_exact(side)).enumerate() {
                    let rest = &mut rest[after + start..=after + start + row];
                    rest.iter_mut().zip(square).for_each(|(rest, value)| *rest -= value);
                }
            });
        },
    );
}

fn operand(values: &[f32], width: usize) -> Operand<'_> {
    Operand::from_rows(values, values.len() / width, width)
}
