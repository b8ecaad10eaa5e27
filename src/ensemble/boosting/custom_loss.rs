//! A loss of the user's: it is shown the rows that count and no others, so that what is held out cannot leak, and what
//! is ignored cannot be wrong.

use super::loss::BoostingLoss;
use crate::error::{Error, Result};
use crate::losses::{Derivatives, LossRows};

/// The score to begin with, checked.
pub(super) fn custom_base_score(loss: &dyn BoostingLoss, targets: &[f32], weights: Option<&[f32]>) -> Result<f64> {
    let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
    let of = |values: &[f32]| (0..targets.len()).filter(counts).map(|row| values[row]).collect::<Vec<f32>>();
    let score = loss.base_score(&of(targets), weights.map(of).as_deref());
    if (score as f32).is_finite() {
        return Ok(score);
    }
    Err(Error::param("loss", "one whose base_score is a finite number of f32", score))
}

/// The derivatives, checked, times the weights; returns the largest of each.
pub(super) fn custom_derivatives(
    loss: &dyn BoostingLoss,
    rows: LossRows<'_>,
    out: Derivatives<'_>,
) -> Result<[f32; 2]> {
    let Derivatives { gradients, hessians } = out;
    let Some(weights) = rows.weights else {
        loss.gradients(rows.scores, rows.targets, gradients, hessians);
        return check(gradients, hessians, |row| row);
    };
    let counting: Vec<usize> = (0..weights.len()).filter(|row| weights[*row] > 0.0).collect();
    let of = |values: &[f32]| counting.iter().map(|row| values[*row]).collect::<Vec<f32>>();
    let (scores, targets) = (of(rows.scores), of(rows.targets));
    let (mut found, mut curved) = (vec![0.0; counting.len()], vec![0.0; counting.len()]);
    loss.gradients(&scores, &targets, &mut found, &mut curved);
    check(&found, &curved, |at| counting[at])?;
    gradients.fill(0.0);
    hessians.fill(0.0);
    let mut largest = [0.0_f32; 2];
    for ((row, gradient), hessian) in counting.into_iter().zip(found).zip(curved) {
        (gradients[row], hessians[row]) = (gradient * weights[row], hessian * weights[row]);
        largest = [largest[0].max(gradients[row].abs()), largest[1].max(hessians[row])];
    }
    Ok(largest)
}

/// Refuses derivatives that cannot be, of the rows that `row_of` names; returns the largest of each.
fn check(gradients: &[f32], hessians: &[f32], row_of: impl Fn(usize) -> usize) -> Result<[f32; 2]> {
    let mut largest = [0.0_f32; 2];
    for (at, (gradient, hessian)) in gradients.iter().zip(hessians).enumerate() {
        if !(gradient.is_finite() && hessian.is_finite() && *hessian >= 0.0) {
            let rule = "one of finite gradients, and of finite Hessians of at least 0".to_string();
            let got = format!("gradient {gradient} and Hessian {hessian} in row {}", row_of(at));
            return Err(Error::param("loss", rule, got));
        }
        largest = [largest[0].max(gradient.abs()), largest[1].max(*hessian)];
    }
    Ok(largest)
}
