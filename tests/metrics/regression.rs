//! Scores of numbers.

use gristmill::metrics::{Weighted, weighted};
use gristmill::{Matrix, metrics};

use super::fixtures::*;
use super::{is_not_finite, is_shape, near};

fn first_column(values: &[f32]) -> Vec<f32> {
    values.iter().copied().step_by(2).collect()
}

#[test]
fn errors_equal_scikit_learn() -> gristmill::Result<()> {
    let (y, p, weights) = (first_column(&NUMBERS), first_column(&NUMBERS_PREDICTED), Some(&NUMBER_WEIGHTS[..]));
    near(metrics::mean_squared_error(&y, &p)?, MSE);
    near(metrics::mean_squared_error(Weighted { y: &y[..], weights }, &p)?, MSE_WEIGHTED);
    near(metrics::root_mean_squared_error(&y, &p)?, RMSE);
    near(metrics::root_mean_squared_error(Weighted { y: &y[..], weights }, &p)?, RMSE_WEIGHTED);
    near(metrics::mean_absolute_error(&y, &p)?, MAE);
    near(metrics::mean_absolute_error(Weighted { y: &y[..], weights }, &p)?, MAE_WEIGHTED);
    near(metrics::median_absolute_error(&y, &p)?, MEDIAN);
    near(metrics::median_absolute_error(Weighted { y: &y[..], weights }, &p)?, MEDIAN_WEIGHTED);
    near(metrics::r2_score(&y, &p)?, R2);
    near(metrics::r2_score(Weighted { y: &y[..], weights }, &p)?, R2_WEIGHTED);
    Ok(())
}

#[test]
fn the_determination_of_several_outputs_equals_scikit_learn() -> gristmill::Result<()> {
    let (y, p) = (Matrix::from_slice(16, 2, &NUMBERS)?, Matrix::from_slice(16, 2, &NUMBERS_PREDICTED)?);
    near(metrics::r2_score_columns(&y, &p)?, R2_COLUMNS);
    near(metrics::r2_score_columns(weighted(&y, &NUMBER_WEIGHTS), &p)?, R2_COLUMNS_WEIGHTED);
    is_shape(metrics::r2_score_columns(&y, &Matrix::zeros(16, 3)?));
    is_shape(metrics::r2_score_columns(&y, &Matrix::zeros(15, 2)?));
    is_shape(metrics::r2_score_columns(&Matrix::zeros(3, 0)?, &Matrix::zeros(3, 0)?));
    Ok(())
}

#[test]
fn a_constant_truth_is_met_or_missed() -> gristmill::Result<()> {
    assert_eq!(metrics::r2_score(&[0.1; 7], &[0.1; 7])?, 1.0);
    assert_eq!(metrics::r2_score(&[0.1; 7], &[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2])?, 0.0);
    Ok(())
}

#[test]
fn a_small_spread_far_from_zero_is_not_lost() -> gristmill::Result<()> {
    let y: Vec<f32> = (0..1000).map(|row| 1e7 + (row % 3) as f32).collect();
    let p: Vec<f32> = y.iter().map(|value| value + 1.0).collect();
    near(metrics::r2_score(&y, &p)?, 1.0 - 1.0 / (666.0 / 1000.0 + 0.000999));
    Ok(())
}

#[test]
fn the_median_has_half_of_the_weight_on_either_side() -> gristmill::Result<()> {
    let (y, p) = ([0.0; 4], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(metrics::median_absolute_error(&y, &p)?, 2.5);
    assert_eq!(metrics::median_absolute_error(weighted(&y[..], &[1.0, 1.0, 0.0, 2.0]), &p)?, 3.0);
    assert_eq!(metrics::median_absolute_error(weighted(&y[..], &[1.0, 1.0, 5.0, 1.0]), &p)?, 3.0);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() {
    is_shape(metrics::mean_squared_error(&[1.0], &[1.0, 2.0]));
    is_shape(metrics::mean_absolute_error(&[], &[]));
    is_shape(metrics::r2_score(&[1.0], &[1.0]));
    is_not_finite(metrics::mean_squared_error(&[1.0, 2.0], &[1.0, f32::INFINITY]), (1, 0));
    is_shape(metrics::mean_squared_error(weighted(&[1.0, 2.0][..], &[1.0; 3]), &[1.0, 2.0]));
}
