//! A block on the diagonal, factored and inverted in f64.

use crate::cpu::vectorised;

/// Factors a diagonal block and returns the inverse of its factor; nothing where a pivot is not positive.
pub(super) fn factor_block(values: &mut [f32], size: usize, first: usize, width: usize) -> Option<Vec<f32>> {
    let mut lower = vec![0.0_f64; width * width];
    for i in 0..width {
        for j in 0..=i {
            lower[i * width + j] = f64::from(values[(first + i) * size + first + j]);
        }
    }
    if !vectorised!(factor(&mut lower, width)) {
        return None;
    }
    let mut inverse = vec![0.0_f64; width * width];
    vectorised!(invert(&lower, width, &mut inverse));
    for i in 0..width {
        for j in 0..=i {
            values[(first + i) * size + first + j] = lower[i * width + j] as f32;
        }
    }
    Some(inverse.into_iter().map(|value| value as f32).collect())
}

/// Column by column, each taken from all that lies after it; whether all pivots were positive.
#[inline(always)]
fn factor(lower: &mut [f64], width: usize) -> bool {
    let owns: Vec<f64> = (0..width).map(|at| lower[at * width + at]).collect();
    let mut column = vec![0.0_f64; width];
    for (j, own) in owns.into_iter().enumerate() {
        let pivot = lower[j * width + j];
        // What is left of the diagonal must be more than f32's rounding of it.
        if pivot.is_nan() || pivot <= f64::from(f32::EPSILON) * own.abs() {
            return false;
        }
        let root = pivot.sqrt();
        lower[j * width + j] = root;
        let rest = &mut lower[(j + 1) * width..];
        for (row, entry) in rest.chunks_exact_mut(width).zip(&mut column[j + 1..]) {
            row[j] /= root;
            *entry = row[j];
        }
        let column = &column[j + 1..];
        for (at, row) in rest.chunks_exact_mut(width).enumerate() {
            let row = &mut row[j + 1..=j + 1 + at];
            row.iter_mut().zip(column).for_each(|(value, other)| *value -= column[at] * other);
        }
    }
    true
}

#[inline(always)]
fn invert(lower: &[f64], width: usize, inverse: &mut [f64]) {
    for i in 0..width {
        let (above, row) = inverse.split_at_mut(i * width);
        row[i] = 1.0;
        for k in 0..i {
            let factor = lower[i * width + k];
            row[..=k].iter_mut().zip(&above[k * width..]).for_each(|(to, from)| *to -= factor * from);
        }
        let scale = 1.0 / lower[i * width + i];
        row[..=i].iter_mut().for_each(|value| *value *= scale);
    }
}
