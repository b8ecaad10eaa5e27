//! Coordinate descent on the products of a few columns, with extrapolation.

use nalgebra::{DMatrix, DVector};

use super::{Gap, L1L2};
use crate::cpu::vectorised;

/// Iterates that an extrapolation is made from, less one (Anderson's; Bertrand and Massias, 2021).
const MEMORY: usize = 5;

/// The products of m columns, of which some take part.
pub(super) struct View<'a> {
    /// Row by row, both halves, `room` numbers a row of which the first m count.
    pub(super) values: &'a [f32],
    /// The products of the columns with themselves.
    pub(super) diagonal: &'a [f64],
    pub(super) room: usize,
    /// The columns whose coefficients change.
    pub(super) visited: Vec<usize>,
}

/// The problem on a few columns: slopes are followed from step to step, never made from the rows.
pub(super) struct Inner<'a> {
    gram: View<'a>,
    coef: Vec<f64>,
    slopes: Vec<f64>,
    first_coef: Vec<f64>,
    first_slopes: Vec<f64>,
    /// ‖r‖² in the beginning.
    first_residual: f64,
}

impl<'a> Inner<'a> {
    pub(super) fn new(gram: View<'a>, coef: Vec<f64>, slopes: Vec<f64>, residual: f64) -> Inner<'a> {
        let (first_coef, first_slopes) = (coef.clone(), slopes.clone());
        Inner { gram, coef, slopes, first_coef, first_slopes, first_residual: residual }
    }

    pub(super) fn coef(&self) -> &[f64] {
        &self.coef
    }

    /// Passes until the gap is reached, nothing moves any more, or `most` were made; returns how many.
    pub(super) fn run(&mut self, penalty: L1L2, gap: f64, most: usize) -> usize {
        let mut past: Vec<(Vec<f64>, Vec<f64>)> = vec![(self.coef.clone(), self.slopes.clone())];
        for pass in 1..=most {
            let moved = vectorised!(descend(&self.gram, &mut self.coef, &mut self.slopes, penalty));
            if moved == 0.0 {
                return pass;
            }
            // A look costs a thousandth of a pass.
            if self.gap(penalty) <= gap {
                return pass;
            }
            past.push((self.coef.clone(), self.slopes.clone()));
            if past.len() > MEMORY {
                self.extrapolate(&past, penalty);
                past = vec![(self.coef.clone(), self.slopes.clone())];
            }
        }
        most
    }

    fn gap(&self, penalty: L1L2) -> f64 {
        let pull = |&at: &usize| {
            let pull = self.slopes[at] - penalty.l2 * self.coef[at];
            if penalty.positive { pull } else { pull.abs() }
        };
        let most = self.gram.visited.iter().map(pull).fold(0.0, f64::max);
        let residual = self.first_residual - 2.0 * self.gained(&self.coef, &self.slopes);
        let pairs = self.coef.iter().copied().zip(self.slopes.iter().copied());
        Gap::new(penalty, residual.max(0.0), most, pairs).gap
    }

    /// By how much ½‖r‖² is below where it began: ½Δᵀ(g₀ + g), g₀ and g being the slopes then and now.
    fn gained(&self, coef: &[f64], slopes: &[f64]) -> f64 {
        let steps = coef.iter().zip(&self.first_coef).map(|(now, then)| now - then);
        let sums = slopes.iter().zip(&self.first_slopes).map(|(now, then)| now + then);
        0.5 * steps.zip(sums).map(|(step, sum)| step * sum).sum::<f64>()
    }

    fn objective(&self, coef: &[f64], slopes: &[f64], penalty: L1L2) -> f64 {
        let costs = coef.iter().map(|value| penalty.l1 * value.abs() + 0.5 * penalty.l2 * value * value);
        costs.sum::<f64>() - self.gained(coef, slopes)
    }

    /// Goes to the combination of past iterates whose steps cancel best, if the objective is lower there. Slopes are affine
    /// in the coefficients, so theirs is the same combination.
    fn extrapolate(&mut self, past: &[(Vec<f64>, Vec<f64>)], penalty: L1L2) {
        let count = past.len() - 1;
        let steps: Vec<Vec<f64>> =
            past.windows(2).map(|pair| pair[1].0.iter().zip(&pair[0].0).map(|(a, b)| a - b).collect()).collect();
        let dot = |i: usize, j: usize| steps[i].iter().zip(&steps[j]).map(|(a, b)| a * b).sum::<f64>();
        let mut products = DMatrix::from_fn(count, count, |i, j| if j <= i { dot(i, j) } else { 0.0 });
        products.fill_upper_triangle_with_lower_triangle();
        let Some(shares) = products.lu().solve(&DVector::from_element(count, 1.0)) else { return };
        let total: f64 = shares.iter().sum();
        if !(total.is_finite() && total.abs() > 0.0) {
            return;
        }
        let mut coef = vec![0.0; self.coef.len()];
        let mut slopes = coef.clone();
        for (share, (past_coef, past_slopes)) in shares.iter().zip(&past[1..]) {
            let share = share / total;
            coef.iter_mut().zip(past_coef).for_each(|(sum, value)| *sum += share * value);
            slopes.iter_mut().zip(past_slopes).for_each(|(sum, value)| *sum += share * value);
        }
        let allowed = coef.iter().all(|value| value.is_finite() && !(penalty.positive && *value < 0.0));
        if allowed && self.objective(&coef, &slopes, penalty) < self.objective(&self.coef, &self.slopes, penalty) {
            (self.coef, self.slopes) = (coef, slopes);
        }
    }
}

/// One pass over the coordinates; returns the largest change of a coefficient, in units of equally long columns.
#[inline(always)]
fn descend(gram: &View<'_>, coef: &mut [f64], slopes: &mut [f64], penalty: L1L2) -> f64 {
    let count = coef.len();
    let mut moved = 0.0_f64;
    for &at in &gram.visited {
        let curvature = gram.diagonal[at];
        let old = coef[at];
        // A product that rounding made 0 or less has no minimum along this coordinate.
        if curvature <= 0.0 {
            continue;
        }
        let aim = slopes[at] + curvature * old;
        let new = if aim > penalty.l1 {
            (aim - penalty.l1) / (curvature + penalty.l2)
        } else if aim < -penalty.l1 && !penalty.positive {
            (aim + penalty.l1) / (curvature + penalty.l2)
        } else {
            0.0
        };
        let step = new - old;
        if step != 0.0 {
            coef[at] = new;
            let row = &gram.values[at * gram.room..at * gram.room + count];
            for (slope, product) in slopes.iter_mut().zip(row) {
                *slope -= step * f64::from(*product);
            }
            if step.abs() > 4.0 * f64::EPSILON * old.abs() {
                moved = moved.max(step.abs() * curvature.sqrt());
            }
        }
    }
    moved
}
