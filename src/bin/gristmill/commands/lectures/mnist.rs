//! The first hundred images of MNIST: 000 §2.1.7–2.1.8, §3.2–3.3.

use std::path::Path;

use gristmill::datasets::notes;
use gristmill::kernel_methods::{Kernel, Landmarks, Nystroem};
use gristmill::linalg::Svd;
use gristmill::linear::{LinearSvc, SvcLoss};
use gristmill::neural::{
    Activation, Dense, Learner, LearnerState, Network, OutputLoss, Shape, Start, TargetLayout, TrainingOptions,
    TrainingRows, predict, tiles,
};
use gristmill::plot::Figure;
use gristmill::prelude::*;
use gristmill::solvers::{Rate, UpdateRule};
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
        plane(&train)?,
        digits_as_numbers(&train, &validation)?,
        hinge(&train, &validation)?,
        ten_planes(&train, &validation)?,
        eigenpairs(&train, &validation)?,
        neuron(&train, &validation)?,
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
    Ok(Experiment::new("000 §2.1.7", "Singular values of the images", words(printed), ours).figure(figure))
}

/// Zeros against ones by least squares through all 27 images: the plane and what it is made of, as images.
fn plane(train: &Dataset) -> Result<Experiment> {
    let codes = train.labels()?.codes();
    let rows: Vec<usize> = (0..train.rows()).filter(|row| codes[*row] < 2).collect();
    let x = DMatrix::from_fn(rows.len(), train.columns(), |row, column| f64::from(train.x.get(rows[row], column)));
    let y = DMatrix::from_fn(rows.len(), 1, |row, _| f64::from(codes[rows[row]]));
    let svd = Svd::factor(&x)?;
    let found = svd.least_squares(&y, svd.default_tolerance())?;
    let names = vec![""; 28];
    let image = |title: &str, values: Vec<f64>| -> Result<Figure> {
        Ok(Figure::new().title(title).heatmap(&names, &names, &values)?.without_legend())
    };
    let vector = |at: usize| svd.v().column(at).iter().copied().collect::<Vec<f64>>();
    let part = |sign: f64| found.iter().map(|value| (sign * value).max(0.0)).collect::<Vec<f64>>();
    let residual = (&x * &found - &y).amax();
    Ok(Experiment::new(
        "000 §2.1.7",
        "Zeros against ones by least squares",
        "two singular vectors and both parts of the plane, drawn",
        format!("{} rows of {} pixels are met to {residual:.0e}", rows.len(), train.columns()),
    )
    .figure(image("First singular vector", vector(0))?)
    .figure(image("Second singular vector", vector(1))?)
    .figure(image("Positive part of the plane", part(1.0))?)
    .figure(image("Negative part of the plane", part(-1.0))?))
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
        "000 §2.1.8–2.1.9",
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

/// Ten planes by the hinge loss: the notes' mean of losses + 0.01‖W‖² is C = 1/(2·0.01·n).
fn ten_planes(train: &Dataset, validation: &Dataset) -> Result<Experiment> {
    let svc = LinearSvc::default().loss(SvcLoss::Hinge).c(0.5).max_iter(10_000);
    let model = svc.fit(&train.x, train.labels()?)?;
    let ours = format!(
        "train {:.2}, validation {:.2}",
        model.score(&train.x, train.labels()?)?,
        model.score(&validation.x, validation.labels()?)?
    );
    Ok(Experiment::new("000 §3.2.4", "Ten digits, one against all, hinge loss", "train 1.00, validation 0.66", ours)
        .why("converged here; the notes take 2500 steps from a random start"))
}

/// Nyström as the notes have it: the leading eigenpairs of the whole Gram matrix (XXᵀ)² of rows of length 1.
fn eigenpairs(train: &Dataset, validation: &Dataset) -> Result<Experiment> {
    let unit = |x: &Matrix| -> Result<Matrix> {
        let row = |row: usize| {
            let own = x.row(row);
            let size = own.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
            own.iter().map(move |value| value / size)
        };
        Matrix::from_vec(x.rows(), x.columns(), (0..x.rows()).flat_map(row).collect())
    };
    let (own, other) = (unit(&train.x)?, unit(&validation.x)?);
    let squared: Kernel = "linear^2".parse()?;
    let map = Nystroem::new(64).kernel(squared).landmarks(Landmarks::All).fit(&own)?;
    let svc = LinearSvc::default().loss(SvcLoss::Hinge).c(0.05).max_iter(10_000);
    let (own, other) = (map.transform(&own)?, map.transform(&other)?);
    let model = svc.fit(&own, train.labels()?)?;
    let ours = format!(
        "train {:.2}, validation {:.2}",
        model.score(&own, train.labels()?)?,
        model.score(&other, validation.labels()?)?
    );
    Ok(Experiment::new("000 §3.3.14", "Nyström, 64 of 100 eigenpairs of (XXᵀ)²", "train 0.95, validation 0.63", ours)
        .why("converged here; the notes' map has no floor under its eigenvalues, and is of the whole Gram matrix, not of landmarks"))
}

/// Zeros against ones by one neuron: weights N(0, 1)/784, 500 full steps of 0.01.
fn neuron(train: &Dataset, validation: &Dataset) -> Result<Experiment> {
    let binary = |data: &Dataset| -> Result<(Matrix, Matrix)> {
        let codes = data.labels()?.codes();
        let rows: Vec<usize> = (0..data.rows()).filter(|row| codes[*row] < 2).collect();
        let targets = rows.iter().map(|row| codes[*row] as f32).collect();
        Ok((data.x.select(&rows)?, Matrix::from_vec(rows.len(), 1, targets)?))
    };
    let (own, other) = (binary(train)?, binary(validation)?);
    let columns = train.columns();
    let network = Network::new(Shape::Flat(columns), OutputLoss::BinaryCrossEntropy)
        .layer(Dense::new(1, Activation::Logistic).start(Start::Normal(1.0 / columns as f64)))?;
    let n = own.0.rows();
    let options = TrainingOptions {
        batch_size: n,
        rule: UpdateRule::Gradient,
        rate: Rate::Constant(0.01),
        l1: 0.0,
        l2: 0.0,
        clip_norm: None,
        noise: 0.0,
        shuffle: false,
        seed: 0,
    };
    let mut learner =
        Learner::new(&Device::Cpu, network.clone(), options, &LearnerState::new(network.start(0)), (n, 1))?;
    let (x, y) = (own.0.to(&Device::Cpu)?, own.1.to(&Device::Cpu)?);
    let rows = TrainingRows { x: &x, y: &y, targets: TargetLayout { classes: false, weight: None, columns: 1 } };
    let all: Vec<u32> = (0..n as u32).collect();
    let all = DeviceVec::from_slice(&all, &Device::Cpu)?;
    let mut stream = Device::Cpu.stream();
    let mut losses = vec![];
    for _ in 0..500 {
        losses.push(learner.epoch(&mut stream, (rows, &all), None)?.loss);
    }
    let parameters = learner.parameters().to_vec(&mut stream)?;
    let right = |(x, y): &(Matrix, Matrix)| -> Result<usize> {
        let found = predict(&network, &parameters, &x.to(&Device::Cpu)?, true)?;
        Ok((0..x.rows()).filter(|row| (found.get(*row, 0) > 0.5) == (y.get(*row, 0) > 0.5)).count())
    };
    let ours = format!("{} of {n} right to fit, {} of {} to validate", right(&own)?, right(&other)?, other.0.rows());
    let weights = network.block(&parameters, 0)?;
    let image = Matrix::from_vec(1, columns, weights.as_slice().to_vec())?;
    let curve = gristmill::plot::rounds(&[("", &losses)]).title("Loss of one neuron").x_label("step");
    Ok(Experiment::new("000 §5.1", "One neuron: zeros against ones", "accuracy 1.0 on the 27", ours)
        .figure(curve)
        .figure(tiles("Weights of the neuron", &image, [28, 28], 1)?))
}
