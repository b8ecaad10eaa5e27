//! The first hundred images of MNIST: 000 §2.1.5–2.1.6.

use std::path::Path;

use gristmill::datasets::notes;
use gristmill::linalg::Svd;
use gristmill::linear::LinearSvc;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::book::Experiment;

/// What 000:1127 prints first, of 27.
const PRINTED: [f64; 5] = [36.45615, 17.209862, 12.030047, 11.947479, 9.36883];
/// What 000:1217 prints for all rows, first of ten.
const PRINTED_ALL: [f64; 5] = [61.84758, 22.601597, 19.816174, 18.98699, 17.21556];

pub fn experiments(folder: &Path) -> Result<Vec<Experiment>> {
    let (train, validation) = notes::mnist_100(folder)?;
    Ok(vec![
        values("zeros and ones", &train, &|digit| digit < 2, &PRINTED)?,
        values("all digits", &train, &|_| true, &PRINTED_ALL)?,
        digits_as_numbers(&train, &validation)?,
        hinge(&train, &validation)?,
    ])
}

fn values(what: &'static str, train: &Dataset, keep: &dyn Fn(u32) -> bool, printed: &[f64]) -> Result<Experiment> {
    let rows: Vec<usize> =
        (0..train.rows()).filter(|row| keep(train.labels().map_or(0, |labels| labels.codes()[*row]))).collect();
    let x = train.x.select(&rows)?;
    let svd = Svd::factor(&DMatrix::from_fn(x.rows(), x.columns(), |row, column| f64::from(x.get(row, column))))?;
    let found = svd.values();
    let apart = printed.iter().zip(found.iter()).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
    let words = |values: &[f64]| values.iter().map(|value| format!("{value:.5}")).collect::<Vec<_>>().join(" ");
    let ours =
        format!("{} of {} rows; {apart:.0e} apart at most", words(&found.as_slice()[..printed.len()]), rows.len());
    let figure = Figure::new()
        .title(format!("Singular values, {what}"))
        .steps("", (1..).map(f64::from).zip(found.iter().copied()));
    Ok(Experiment::new("000 §2.1.5", "Singular values of the images", words(printed), ours).figure(figure))
}

/// The bad example: a digit regressed as a number, against one indicator a digit.
fn digits_as_numbers(train: &Dataset, validation: &Dataset) -> Result<Experiment> {
    let (y, other) = (train.labels()?.codes(), validation.labels()?.codes());
    let numbers: Vec<f32> = y.iter().map(|digit| *digit as f32).collect();
    let indicators: Vec<f32> =
        y.iter().flat_map(|digit| (0..10).map(move |class| f32::from(u8::from(*digit == class)))).collect();
    let as_number = Ridge::new(1.0).fit(&train.x, &numbers)?.predict(&validation.x)?;
    let as_classes =
        Ridge::new(1.0).fit(&train.x, &Matrix::from_vec(y.len(), 10, indicators)?)?.predict(&validation.x)?;
    let right =
        |predicted: &dyn Fn(usize) -> u32| (0..other.len()).filter(|row| predicted(*row) == other[*row]).count();
    let rounded = right(&|row| as_number.get(row, 0).round().clamp(0.0, 9.0) as u32);
    let largest = |row: &[f32]| (1..10).fold(0, |best, at| if row[at] > row[best] { at } else { best }) as u32;
    let chosen = right(&|row| largest(as_classes.row(row)));
    Ok(Experiment::new(
        "000 §2.1.6",
        "Digits regressed as a number",
        "output space not adapted",
        format!("{rounded} of 100 right as a number, {chosen} with an indicator for each digit (λ = 1)"),
    ))
}

/// Zeros against ones by a linear support vector machine.
fn hinge(train: &Dataset, validation: &Dataset) -> Result<Experiment> {
    let binary = |data: &Dataset| -> Result<(Matrix, Labels)> {
        let codes = data.labels()?.codes();
        let rows: Vec<usize> = (0..data.rows()).filter(|row| codes[*row] < 2).collect();
        Ok((data.x.select(&rows)?, Labels::from(rows.iter().map(|row| codes[*row]).collect::<Vec<_>>().as_slice())))
    };
    let (own, other) = (binary(train)?, binary(validation)?);
    let model = LinearSvc::default().fit(&own.0, &own.1)?;
    let right = (model.score(&other.0, &other.1)? * other.1.len() as f64).round();
    let ours = format!(
        "{:.0} of {} right to fit, {right} of {} to validate",
        model.score(&own.0, &own.1)? * own.1.len() as f64,
        own.1.len(),
        other.1.len()
    );
    Ok(Experiment::new("000 §3.2.2", "Zeros against ones, hinge loss", "train 1.0, validation 0.9048", ours)
        .why("the printed accuracy is a mean of signs, 1 − 2·error: 0.9048 is 20 of 21 right"))
}
