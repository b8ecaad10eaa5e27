//! What boosting can do besides.

use gristmill::ensemble::{GradientBoostingRegressorModel, RegressionLoss};
use gristmill::prelude::*;

use super::page::Page;

/// Rounds of every model here.
const ROUNDS: usize = 40;

pub fn show(page: &mut Page, gpu: Option<&Device>) -> Result<()> {
    page.section("Gradient boosting, on diabetes, 30 % for testing");
    let (train, test) = datasets::diabetes()?.split(0.7, 1)?;
    let boosting = GradientBoostingRegressor::default().n_estimators(ROUNDS);
    let model = boosting.fit(&train.x, train.values()?)?;
    losses(page, &boosting, &train, &test)?;
    monotone(page, &boosting, &train, &test)?;
    gaps(page, &boosting, &train, &test)?;
    let half = boosting.clone().n_estimators(ROUNDS / 2).fit(&train.x, train.values()?)?;
    let more = boosting.fit_more(&half, &train.x, train.values()?, Fit::default())?;
    let same = |other: &GradientBoostingRegressorModel| -> Result<&str> {
        Ok(if other.to_bytes()? == model.to_bytes()? { "the same bytes as" } else { "not the bytes of" })
    };
    page.fact(
        "warm start",
        format!("{} rounds and {} more: {} {ROUNDS} at once", ROUNDS / 2, ROUNDS / 2, same(&more)?),
    );
    if let Some(gpu) = gpu {
        let there = boosting.fit(&train.x.to(gpu)?, train.values()?)?;
        page.fact("on the GPU", format!("{} the fit on the CPU", same(&there)?));
    }
    let (values, predicted) = (model.shapley_values(&test.x)?, model.predict(&test.x)?);
    let sum: f32 = values[0].row(0).iter().sum();
    page.fact(
        "Shapley values",
        format!("of the first new row add up to {sum:.3}, its prediction {:.3}", predicted.get(0, 0)),
    );
    let text = model.to_lightgbm_text();
    page.fact("LightGBM's format", format!("{} lines of text that LightGBM loads", text.lines().count()));
    Ok(())
}

/// A quantile instead of a mean.
fn losses(page: &mut Page, boosting: &GradientBoostingRegressor, train: &Dataset, test: &Dataset) -> Result<()> {
    let upper = boosting.clone().loss(RegressionLoss::Quantile).alpha(0.9).fit(&train.x, train.values()?)?;
    let (predicted, target) = (upper.predict(&test.x)?, test.values()?);
    let below =
        target.as_slice().iter().zip(predicted.as_slice()).filter(|(target, predicted)| target <= predicted).count();
    let share = 100.0 * below as f64 / target.rows() as f64;
    page.fact("loss of the 0.9-quantile", format!("{share:.0} % of new rows lie below the prediction"));
    Ok(())
}

/// A feature that may only raise the prediction.
fn monotone(page: &mut Page, boosting: &GradientBoostingRegressor, train: &Dataset, test: &Dataset) -> Result<()> {
    let column = train.x.names().and_then(|names| names.iter().position(|name| name == "bmi")).unwrap_or(0);
    let rising = |falls: bool| -> Result<(f64, usize)> {
        let mut signs = vec![0; train.x.columns()];
        signs[column] = i8::from(!falls);
        let model = boosting.clone().monotonic_cst(signs).fit(&train.x, train.values()?)?;
        // One row at each body-mass index that was fitted.
        let mut indices: Vec<f32> = (0..train.x.rows()).map(|row| train.x.get(row, column)).collect();
        indices.sort_by(f32::total_cmp);
        let rows = indices.iter().flat_map(|index| {
            let mut row = test.x.row(0).to_vec();
            row[column] = *index;
            row
        });
        let predicted = model.predict(&Matrix::from_vec(indices.len(), train.x.columns(), rows.collect())?)?;
        let falls = predicted.as_slice().windows(2).filter(|pair| pair[1] < pair[0]).count();
        Ok((model.score(&test.x, test.values()?)?, falls))
    };
    let ((free, free_falls), (bound, falls)) = (rising(true)?, rising(false)?);
    page.fact(
        "monotone in bmi",
        format!("falls in {falls} places (free in {free_falls}) of a row; R² {bound:.3} (free {free:.3})"),
    );
    Ok(())
}

/// Categories and missing values as they are.
fn gaps(page: &mut Page, boosting: &GradientBoostingRegressor, train: &Dataset, test: &Dataset) -> Result<()> {
    let column = train.x.names().and_then(|names| names.iter().position(|name| name == "sex")).unwrap_or(0);
    let with_gaps = |x: &Matrix| {
        let hole = |(at, value): (usize, &f32)| if at % 7 == 3 { f32::NAN } else { *value };
        let values = x.as_slice().iter().enumerate().map(hole).collect();
        Matrix::from_vec(x.rows(), x.columns(), values)?.with_categories([column])
    };
    let model = boosting.fit(&with_gaps(&train.x)?, train.values()?)?;
    let score = model.score(&with_gaps(&test.x)?, test.values()?)?;
    page.fact("categories and missing values", format!("sex as a category, each seventh value missing: R² {score:.3}"));
    Ok(())
}
