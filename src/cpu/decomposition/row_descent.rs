//! Coordinate descent for many rows at once, which share the products of the columns.

use rayon::prelude::*;

use crate::cpu::linear::coordinate_descent::{StepPenalty, coordinate_descent};
use crate::cpu::vectorised;

/// Rows of a task.
const ROWS: usize = 16;

/// Minimises `½·wᵀGw − bᵀw + l1·‖w‖₁ + ½·l2·‖w‖²` for each row w of `coef` (`n×k`), from where it is: at most `passes`
/// passes over its k coordinates, ended when no coordinate moves by more than `tolerance` of the largest. `gram` is G
/// (`k×k`), `products` has the rows b (`n×k`).
pub fn row_descent(
    gram: &[f32],
    products: &[f32],
    coef: &mut [f32],
    k: usize,
    penalty: StepPenalty,
    (passes, tolerance): (usize, f32),
) {
    debug_assert_eq!((gram.len(), products.len()), (k * k, coef.len()));
    if k == 0 {
        return;
    }
    coef.par_chunks_mut(ROWS * k).zip(products.par_chunks(ROWS * k)).for_each(|(coef, products)| {
        let (mut slopes, mut before) = (vec![0.0; k], vec![0.0; k]);
        for (coef, products) in coef.chunks_exact_mut(k).zip(products.chunks_exact(k)) {
            slopes.copy_from_slice(products);
            for (at, value) in coef.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                vectorised!(subtract(&mut slopes, *value, &gram[at * k..(at + 1) * k]));
            }
            for _ in 0..passes {
                before.copy_from_slice(coef);
                coordinate_descent(gram, coef, &mut slopes, penalty, 1);
                let largest = coef.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
                let change = coef.iter().zip(&before).fold(0.0_f32, |most, (new, old)| most.max((new - old).abs()));
                if change <= tolerance * largest {
                    break;
                }
            }
        }
    });
}

#[inline(always)]
fn subtract(sums: &mut [f32], coef: f32, row: &[f32]) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum -= coef * value);
}
