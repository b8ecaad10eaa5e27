//! The Cholesky factor of a large symmetric matrix in f32, on all cores, and systems solved with it to f64.

use super::corrected::Corrected;
use super::symmetric::symmetric_product;
use crate::cpu::tile::{Dot, Operand, product};

/// Columns that are eliminated at once: the depth of the products that are nearly all of the work.
const PANEL: usize = 256;
/// Rows of what is left that one product takes; it goes no further than their diagonal.
const ROWS: usize = 1024;

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
    /// About n³/3 multiply-adds in f32. The bits do not depend on the number of threads.
    pub fn factor(mut values: Vec<f32>, size: usize, shift: f64) -> Option<FactoredSymmetric> {
        debug_assert_eq!(values.len(), size * size);
        let diagonal: Vec<f32> = (0..size).map(|i| values[i * size + i]).collect();
        for (i, &value) in diagonal.iter().enumerate() {
            values[i * size + i] = (f64::from(value) + shift) as f32;
        }
        for first in (0..size).step_by(PANEL) {
            let width = PANEL.min(size - first);
            let inverse = factor_block(&mut values, size, first, width)?;
            let after = first + width;
            if after == size {
                break;
            }
            // The columns below, times the inverse of the block's factor.
            let below: Vec<f32> =
                values[after * size..].chunks_exact(size).flat_map(|row| row[first..after].iter().copied()).collect();
            let mut panel = vec![0.0; below.len()];
            let (left, right) = (operand(&below, width), operand(&inverse, width));
            product(Dot, left, right, 1.0, 0.0, &mut panel, width);
            for (row, part) in values[after * size..].chunks_exact_mut(size).zip(panel.chunks_exact(width)) {
                row[first..after].copy_from_slice(part);
            }
            let count = size - after;
            for start in (0..count).step_by(ROWS) {
                let end = count.min(start + ROWS);
                let rows = operand(&panel[start * width..end * width], width);
                let columns = operand(&panel[..end * width], width);
                let out = &mut values[(after + start) * size + after..];
                // Above the diagonal of these rows the matrix would be lost: it is kept aside.
                let kept = keep_upper(out, size, start, end);
                product(Dot, rows, columns, -1.0, 1.0, out, size);
                restore_upper(out, size, start, end, &kept);
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
        let n = self.size;
        let mut x = b.to_vec();
        for row in 0..n {
            let values = &self.values[row * n..row * n + row];
            let mut lanes = [0.0_f64; 8];
            let (groups, rest) = values.as_chunks::<8>();
            let (left, right) = x[..row].as_chunks::<8>();
            for (group, x) in groups.iter().zip(left) {
                for (lane, (&value, &x)) in lanes.iter_mut().zip(group.iter().zip(x)) {
                    *lane += f64::from(value) * x;
                }
            }
            let tail: f64 = rest.iter().zip(right).map(|(&value, &x)| f64::from(value) * x).sum();
            x[row] = (x[row] - lanes.iter().sum::<f64>() - tail) / f64::from(self.values[row * n + row]);
        }
        for row in (0..n).rev() {
            let value = x[row] / f64::from(self.values[row * n + row]);
            x[row] = value;
            let factors = &self.values[row * n..row * n + row];
            x[..row].iter_mut().zip(factors).for_each(|(x, &factor)| *x -= f64::from(factor) * value);
        }
        x
    }
}

fn operand(values: &[f32], width: usize) -> Operand<'_> {
    Operand::from_rows(values, values.len() / width, width)
}

/// Factors a diagonal block in f64 and returns the inverse of its factor; nothing where a pivot is not positive.
fn factor_block(values: &mut [f32], size: usize, first: usize, width: usize) -> Option<Vec<f32>> {
    let mut lower = vec![0.0_f64; width * width];
    for i in 0..width {
        for j in 0..=i {
            lower[i * width + j] = f64::from(values[(first + i) * size + first + j]);
        }
    }
    for j in 0..width {
        let (above, below) = lower.split_at_mut((j + 1) * width);
        let row = &mut above[j * width..];
        let own = row[j];
        let pivot = own - row[..j].iter().map(|value| value * value).sum::<f64>();
        // What is left of the diagonal must be more than f32's rounding of it.
        if pivot.is_nan() || pivot <= f64::from(f32::EPSILON) * own.abs() {
            return None;
        }
        row[j] = pivot.sqrt();
        let row = &*row;
        for other in below.chunks_exact_mut(width) {
            let dot: f64 = other[..j].iter().zip(&row[..j]).map(|(left, right)| left * right).sum();
            other[j] = (other[j] - dot) / row[j];
        }
    }
    let mut inverse = vec![0.0_f64; width * width];
    for i in 0..width {
        inverse[i * width + i] = 1.0 / lower[i * width + i];
        for k in 0..i {
            let factor = lower[i * width + k];
            let (above, row) = inverse.split_at_mut(i * width);
            row[..=k].iter_mut().zip(&above[k * width..]).for_each(|(to, from)| *to -= factor * from);
        }
        let scale = 1.0 / lower[i * width + i];
        inverse[i * width..i * width + i].iter_mut().for_each(|value| *value *= scale);
    }
    for i in 0..width {
        for j in 0..=i {
            values[(first + i) * size + first + j] = lower[i * width + j] as f32;
        }
    }
    Some(inverse.into_iter().map(|value| value as f32).collect())
}

/// What lies right of the diagonal in the square that a product of rows `start..end` would overwrite.
fn keep_upper(out: &[f32], size: usize, start: usize, end: usize) -> Vec<f32> {
    let mut kept = vec![];
    for row in start..end {
        kept.extend_from_slice(&out[(row - start) * size + row + 1..(row - start) * size + end]);
    }
    kept
}

fn restore_upper(out: &mut [f32], size: usize, start: usize, end: usize, kept: &[f32]) {
    let mut at = 0;
    for row in start..end {
        let part = &mut out[(row - start) * size + row + 1..(row - start) * size + end];
        part.copy_from_slice(&kept[at..at + part.len()]);
        at += part.len();
    }
}
