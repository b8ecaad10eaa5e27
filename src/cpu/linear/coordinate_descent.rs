//! Coordinate descent on the products of columns, in f32.

use crate::cpu::vectorised;

/// What is added to half of the mean of the squares: `l1·‖w‖₁ + ½·l2·‖w‖²`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepPenalty {
    /// On absolute values.
    pub l1: f32,
    /// On squares.
    pub l2: f32,
    /// Whether coefficients below 0 are ruled out.
    pub positive: bool,
}

/// Passes over d coordinates in order; `gram` has the products of the columns, d×d, and the slopes Xᵀ(y − X·w) follow the
/// coefficients w. A coordinate whose product with itself is not above 0 stays. 2·d² operations a pass.
///
/// ```
/// use gristmill::cpu::linear::coordinate_descent::{StepPenalty, coordinate_descent};
/// let penalty = StepPenalty { l1: 1.0, l2: 0.0, positive: false };
/// let (mut coef, mut slopes) = ([0.0, 0.0], [3.0, 0.5]);
/// coordinate_descent(&[1.0, 0.0, 0.0, 1.0], &mut coef, &mut slopes, penalty, 1);
/// assert_eq!((coef, slopes), ([2.0, 0.0], [1.0, 0.5])); // soft thresholds
/// ```
pub fn coordinate_descent(gram: &[f32], coef: &mut [f32], slopes: &mut [f32], penalty: StepPenalty, passes: usize) {
    for _ in 0..passes {
        vectorised!(pass(gram, coef, slopes, penalty));
    }
}

#[inline(always)]
fn pass(gram: &[f32], coef: &mut [f32], slopes: &mut [f32], penalty: StepPenalty) {
    let columns = coef.len();
    for at in 0..columns {
        let row = &gram[at * columns..(at + 1) * columns];
        let (curvature, old) = (row[at], coef[at]);
        if curvature <= 0.0 {
            continue;
        }
        let aim = slopes[at] + curvature * old;
        let over = (aim.abs() - penalty.l1).max(0.0) / (curvature + penalty.l2);
        let new = if aim >= 0.0 {
            over
        } else if penalty.positive {
            0.0
        } else {
            -over
        };
        let change = new - old;
        if change != 0.0 {
            coef[at] = new;
            slopes.iter_mut().zip(row).for_each(|(slope, product)| *slope -= change * product);
        }
    }
}
