//! Scores of chances.

use gristmill::metrics::weighted;
use gristmill::{Labels, Matrix, metrics};

use super::fixtures::*;
use super::{is_not_finite, is_param, is_shape, near};

#[test]
fn losses_of_three_classes_equal_scikit_learn() -> gristmill::Result<()> {
    let (y, chances) = (Labels::from(&CHANCE_TRUTH[..]), Matrix::from_slice(12, 3, &CHANCES)?);
    near(metrics::log_loss(&y, &chances)?, LOG_LOSS);
    near(metrics::log_loss(weighted(&y, &CHANCE_WEIGHTS), &chances)?, LOG_LOSS_WEIGHTED);
    near(metrics::brier_score(&y, &chances)?, BRIER);
    near(metrics::brier_score(weighted(&y, &CHANCE_WEIGHTS), &chances)?, BRIER_WEIGHTED);
    Ok(())
}

#[test]
fn losses_of_two_classes_equal_scikit_learn() -> gristmill::Result<()> {
    let truth: Vec<u32> = CHANCE_TRUTH.iter().map(|class| u32::from(*class > 0)).collect();
    let (y, chances) = (Labels::from(&truth[..]), Matrix::from_slice(12, 2, &CHANCES_OF_TWO)?);
    near(metrics::log_loss(&y, &chances)?, LOG_LOSS_OF_TWO);
    near(metrics::log_loss(weighted(&y, &CHANCE_WEIGHTS), &chances)?, LOG_LOSS_OF_TWO_WEIGHTED);
    near(metrics::brier_score(&y, &chances)?, BRIER_OF_TWO);
    near(metrics::brier_score(weighted(&y, &CHANCE_WEIGHTS), &chances)?, BRIER_OF_TWO_WEIGHTED);
    Ok(())
}

#[test]
fn named_columns_may_come_in_any_order_and_number() -> gristmill::Result<()> {
    let y = Labels::from_names(&["rose", "lily"]);
    let plain = Matrix::from_rows(&[[0.25, 0.75], [0.5, 0.5]])?;
    let named = Matrix::from_rows(&[[0.75, 0.0, 0.25], [0.5, 0.0, 0.5]])?.with_names(["rose", "fern", "lily"])?;
    assert_eq!(metrics::log_loss(&y, &plain)?, metrics::log_loss(&y, &named)?);
    is_param(metrics::log_loss(&y, &plain.clone().with_names(["rose", "fern"])?));
    Ok(())
}

#[test]
fn a_certain_mistake_costs_a_finite_amount() -> gristmill::Result<()> {
    let y = Labels::from(&[0_u32, 1][..]);
    let wrong = Matrix::from_rows(&[[0.0, 1.0], [1.0, 0.0]])?;
    near(metrics::log_loss(&y, &wrong)?, -(f32::EPSILON as f64).ln());
    Ok(())
}

#[test]
fn what_is_no_chance_is_refused() -> gristmill::Result<()> {
    let y = Labels::from(&[0_u32, 1][..]);
    is_param(metrics::log_loss(&y, &Matrix::from_rows(&[[0.5, 0.5], [1.5, -0.5]])?));
    is_param(metrics::brier_score(&y, &Matrix::from_rows(&[[0.5, 0.5], [0.5, 0.6]])?));
    is_not_finite(metrics::log_loss(&y, &Matrix::from_rows(&[[0.5, 0.5], [f32::NAN, 0.5]])?), (1, 0));
    is_shape(metrics::log_loss(&y, &Matrix::from_rows(&[[0.5, 0.5]])?));
    is_shape(metrics::log_loss(&y, &Matrix::from_rows(&[[0.2, 0.2, 0.6], [0.2, 0.2, 0.6]])?));
    is_shape(metrics::log_loss(&y, &Matrix::from_rows(&[[1.0], [1.0]])?));
    is_shape(metrics::brier_score(&Labels::from(&[][..] as &[u32]), &Matrix::zeros(0, 2)?));
    Ok(())
}
