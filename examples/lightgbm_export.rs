//! Boosted trees for LightGBM: fits models on rows with missing values, and writes each in LightGBM's text format beside
//! the rows, the predictions and the Shapley values, so that `scripts/check_lightgbm_export` can compare.
//!
//! `cargo run --release --example lightgbm_export -- exported`

use std::fmt::Write;
use std::path::Path;

use gristmill::ensemble::{ClassificationLoss, RegressionLoss};
use gristmill::model_file::write_atomically;
use gristmill::prelude::*;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_string());
    let folder = Path::new(&folder);
    let data = datasets::diabetes()?;
    let holes = |(at, value): (usize, &f32)| if at % 7 == 3 { f32::NAN } else { *value };
    let values = data.x.as_slice().iter().enumerate().map(holes).collect();
    let x = Matrix::from_vec(data.x.rows(), data.x.columns(), values)?;
    let y = data.values()?;
    write(&folder.join("rows.txt"), &x)?;
    for (name, loss) in [
        ("squared_error", RegressionLoss::SquaredError),
        ("absolute_error", RegressionLoss::AbsoluteError),
        ("huber", RegressionLoss::Huber),
        ("quantile", RegressionLoss::Quantile),
        ("poisson", RegressionLoss::Poisson),
    ] {
        let model = GradientBoostingRegressor::default().loss(loss).n_estimators(30).fit(&x, y)?;
        model.save_lightgbm(folder.join(format!("{name}.model")))?;
        write(&folder.join(format!("{name}.predicted")), &model.predict(&x)?)?;
        write(&folder.join(format!("{name}.shapley")), &beside(&model.shapley_values(&x)?)?)?;
    }
    let both = Matrix::from_vec(y.rows(), 2, y.as_slice().iter().flat_map(|y| [*y, -2.0 * y]).collect())?;
    let model = GradientBoostingRegressor::default().n_estimators(10).fit(&x, &both)?;
    model.save_lightgbm(folder.join("two_targets.model"))?;
    write(&folder.join("two_targets.predicted"), &model.predict(&x)?)?;
    for (name, cuts, loss) in [
        ("binary", &[140.0][..], ClassificationLoss::LogLoss),
        ("exponential", &[140.0], ClassificationLoss::Exponential),
        ("multiclass", &[90.0, 180.0], ClassificationLoss::LogLoss),
    ] {
        let class = |y: &f32| cuts.iter().filter(|cut| y > *cut).count() as u32;
        let labels = Labels::from(&y.as_slice().iter().map(class).collect::<Vec<u32>>()[..]);
        let model = GradientBoostingClassifier::default().loss(loss).n_estimators(20).fit(&x, &labels)?;
        model.save_lightgbm(folder.join(format!("{name}.model")))?;
        write(&folder.join(format!("{name}.predicted")), &model.predict_proba(&x)?)?;
        write(&folder.join(format!("{name}.shapley")), &beside(&model.shapley_values(&x)?)?)?;
    }
    let with_levels = add_levels(&x, y)?;
    let model = GradientBoostingRegressor::default().n_estimators(30).min_samples_leaf(5).fit(&with_levels, y)?;
    write(&folder.join("levels.rows"), &with_levels)?;
    model.save_lightgbm(folder.join("levels.model"))?;
    write(&folder.join("levels.predicted"), &model.predict(&with_levels)?)?;
    println!("wrote models, rows, predictions and Shapley values to {}", folder.display());
    Ok(())
}

/// One more column, of levels that tell something of the target; some are missing.
fn add_levels(x: &Matrix, y: &Matrix) -> Result<Matrix> {
    let level = |row: usize| if row % 11 == 5 { f32::NAN } else { (y.get(row, 0) as usize / 9 * 7 % 40) as f32 };
    let values = (0..x.rows()).flat_map(|row| x.row(row).iter().copied().chain([level(row)]).collect::<Vec<f32>>());
    Matrix::from_vec(x.rows(), x.columns() + 1, values.collect())?.with_categories([x.columns()])
}

/// Matrices of as many rows, side by side.
fn beside(parts: &[Matrix]) -> Result<Matrix> {
    let rows = parts[0].rows();
    let values = (0..rows).flat_map(|row| parts.iter().flat_map(move |part| part.row(row).to_vec())).collect();
    Matrix::from_vec(rows, parts.len() * parts[0].columns(), values)
}

/// Numbers as text, one row a line.
fn write(path: &Path, matrix: &Matrix) -> Result<()> {
    let mut text = String::new();
    for row in 0..matrix.rows() {
        let row: Vec<String> = matrix.row(row).iter().map(|value| format!("{value:e}")).collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", row.join(" "));
    }
    write_atomically(path, text.as_bytes())
}
