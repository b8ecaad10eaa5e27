//! Linear classifiers and support vector machines: 001 §2 and §5, 002, 003 §2, 000 §3.

use gristmill::datasets::notes;
use gristmill::ensemble::{NestedDichotomies, OneVsRest, RestDecision};
use gristmill::kernel_methods::Kernel;
use gristmill::linear::{LeastSquaresClassifier, LinearDiscriminantAnalysis, Perceptron};
use gristmill::plot::{Figure, decision_regions};
use gristmill::prelude::*;
use gristmill::svm::{OneClassSvm, Svc, SvmSolver};
use gristmill::theory::two_gaussians_error;

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![
        outliers()?,
        three_classes()?,
        random_predictions()?,
        several_classes()?,
        perceptron()?,
        discriminant()?,
        square_wave()?,
        one_class()?,
    ])
}

/// Two round clouds of deviation 0.7, apart by `distance` along the first column.
fn clouds(rows: usize, distance: f32, seed: u64) -> Result<(Matrix, Labels)> {
    let normals =
        datasets::Regression::default().n_samples(rows).n_features(2).n_informative(1).seed(seed).generate()?.x;
    let values = (0..rows).flat_map(|row| {
        let side = if row % 2 == 0 { -distance / 2.0 } else { distance / 2.0 };
        [side + 0.7 * normals.get(row, 0), 0.7 * normals.get(row, 1)]
    });
    let x = Matrix::from_vec(rows, 2, values.collect())?;
    Ok((x, Labels::from((0..rows).map(|row| (row % 2) as u32).collect::<Vec<_>>().as_slice())))
}

fn outliers() -> Result<Experiment> {
    let (x, y) = clouds(100, 4.0, 1)?;
    // Ten points of the second class, far on its own side.
    let far = (0..10).flat_map(|row| [25.0 + row as f32 / 10.0, -20.0]);
    let all = Matrix::from_vec(110, 2, x.as_slice().iter().copied().chain(far).collect())?;
    let codes: Vec<u32> = y.codes().iter().copied().chain([1; 10]).collect();
    let labels = Labels::from(codes.as_slice());
    let least = LeastSquaresClassifier::default().fit(&all, &labels)?.score(&x, &y)?;
    let logistic = LogisticRegression::default().fit(&all, &labels)?.score(&x, &y)?;
    let ours = format!(
        "right on the two clouds: {:.0} % by least squares, {:.0} % by logistic regression",
        100.0 * least,
        100.0 * logistic
    );
    Ok(Experiment::new(
        "003 §2.2",
        "Ten points far on the right side",
        "least squares moves its boundary, logistic regression does not",
        ours,
    ))
}

fn random_predictions() -> Result<Experiment> {
    let (x, y) = clouds(400, 1.5, 2)?;
    let model = LogisticRegression::default().fit(&x, &y)?;
    let row = x.select(&[0])?;
    let probability = model.predict_proba(&row)?.get(0, 1);
    let drawn = (0..2000).map(|seed| Ok(model.predict_random(&row, seed)?.codes()[0])).collect::<Result<Vec<u32>>>()?;
    let share = drawn.iter().sum::<u32>() as f64 / 2000.0;
    let ours = format!("a row of probability {probability:.3} is drawn as class 1 in {share:.3} of 2000 predictions");
    Ok(Experiment::new("001 §5.1", "Randomised prediction by softmax", "class k with probability p_k", ours))
}

fn three_classes() -> Result<Experiment> {
    // Three clouds on a line: the middle class is lost to least squares on indicator targets.
    let noise = notes::two_moons(1)?;
    let middle = |row: usize| [(-3.0, 0), (0.0, 1), (3.0, 2)][row % 3];
    let values = (0..99).flat_map(|row| {
        let shift = |column: usize| (noise.x.get(row, column) - 0.5) * 0.7;
        [middle(row).0 + shift(0), middle(row).0 + shift(1)]
    });
    let x = Matrix::from_vec(99, 2, values.collect())?;
    let y = Labels::from((0..99).map(|row| middle(row).1 as u32).collect::<Vec<_>>().as_slice());
    let indicators: Vec<f32> =
        y.codes().iter().flat_map(|code| (0..3).map(move |class| f32::from(u8::from(*code == class)))).collect();
    let linear = LinearRegression::default().fit(&x, &Matrix::from_vec(99, 3, indicators)?)?;
    let scores = linear.predict(&x)?;
    let largest = |row: &[f32]| (1..3).fold(0, |best, at| if row[at] > row[best] { at } else { best });
    let recall =
        |right: &dyn Fn(usize) -> bool| (0..99).filter(|row| row % 3 == 1 && right(*row)).count() as f64 / 33.0;
    let least = recall(&|row| largest(scores.row(row)) == 1);
    let logistic = LogisticRegression::default().fit(&x, &y)?.predict(&x)?;
    let other = recall(&|row| logistic.codes()[row] == 1);
    let ours = format!(
        "found of the middle class: {:.0} % by least squares, {:.0} % by logistic regression",
        100.0 * least,
        100.0 * other
    );
    Ok(Experiment::new("003 §2.2", "Least squares for three classes in a row", "the middle class is lost", ours))
}

/// Digits by a classifier for each, decided in two ways, and by a tree of classifiers.
fn several_classes() -> Result<Experiment> {
    let (train, test) = datasets::digits()?.split(0.7, 1)?;
    let score = |estimator: AnyEstimator| -> Result<f64> {
        let pipeline = Pipeline::new(LogisticRegression::default()).with_estimator(estimator);
        pipeline.step(StandardScaler::default()).fit(&train)?.score(&test, &test.target)
    };
    let linear = || AnyEstimator::new(LogisticRegression::default());
    let ours = format!(
        "digits: largest answer {:.3}, random one of the positive {:.3}, a tree of nine classifiers {:.3}, softmax {:.3}",
        score(AnyEstimator::new(OneVsRest::new(linear())))?,
        score(AnyEstimator::new(OneVsRest::new(linear()).decide(RestDecision::Random)))?,
        score(AnyEstimator::new(NestedDichotomies::new(linear())))?,
        score(linear())?
    );
    Ok(Experiment::new(
        "001 §5.5, 000 §3.2.3",
        "One against all, and trees of classifiers",
        "a random positive answer (001), the largest (000); trees are named",
        ours,
    ))
}

fn perceptron() -> Result<Experiment> {
    let (x, y) = clouds(100, 9.0, 3)?;
    let model = Perceptron::default().fit(&x, &y)?;
    let regions = decision_regions(&x, &y, 120, |x| model.predict(x))?;
    let ends = if model.converged() { "stops by itself" } else { "does not stop" };
    let ours = format!("{ends} after {} mistakes, {:.0} % right", model.mistakes(), 100.0 * model.score(&x, &y)?);
    Ok(Experiment::new("001 §2.1, 003 §2.3", "The perceptron on separable rows", "finitely many mistakes", ours)
        .why("001 counts a margin of 0 as a mistake, 003 does not")
        .figure(regions.title("A perceptron")))
}

fn discriminant() -> Result<Experiment> {
    let (train, test) = (clouds(2000, 1.4, 4)?, clouds(20_000, 1.4, 5)?);
    let model = LinearDiscriminantAnalysis::default().fit(&train.0, &train.1)?;
    let error = 1.0 - model.score(&test.0, &test.1)?;
    let ours = format!("error {error:.4}; Φ(−Δ/2) = {:.4} at distance Δ = 2", two_gaussians_error(2.0, 0.5)?);
    Ok(Experiment::new("002, discriminant analysis", "LDA on two normal clouds", "the Bayes classifier", ours)
        .why("the printed density lacks the power d of 2π, and the rule one Σ⁻¹"))
}

fn square_wave() -> Result<Experiment> {
    let data = notes::square_wave(42)?;
    let model = Svc::default()
        .kernel(Kernel::rbf(100.0))
        .c(100.0)
        .solver(SvmSolver::Sdca)
        .max_iter(10)
        .fit(&data.x, data.labels()?)?;
    let places: Vec<f32> = (0..=50).map(|at| at as f32 / 50.0).collect();
    let predicted = model.predict(&Matrix::from_vec(51, 1, places.clone())?)?;
    let right =
        (0..51).filter(|row| (predicted.codes()[*row] == 1) == (notes::square_wave_at(f64::from(places[*row])) > 0.0));
    let ours =
        format!("{} of 51 places right after 10 epochs, {} support vectors", right.count(), model.support().len());
    let line = places.iter().enumerate().map(|(row, x)| (f64::from(*x), 2.0 * f64::from(predicted.codes()[row]) - 1.0));
    let truth = (0..=200).map(|at| f64::from(at) / 200.0).map(|x| (x, notes::square_wave_at(x)));
    let figure = Figure::new().title("A square wave from 20 points by SDCA, γ = 100, C = 100");
    Ok(Experiment::new("000 §3.3.9", "The square wave by SDCA, 10 epochs", "drawn", ours)
        .why("the notes' f_true lacks its +1 branch, and every epoch visits the rows in one order")
        .figure(figure.line("predicted", line).dashed("truth", truth)))
}

fn one_class() -> Result<Experiment> {
    let moons = notes::two_moons(1)?;
    let model = OneClassSvm::default().c(0.02).kernel(Kernel::rbf(5.0)).fit(&moons.x)?;
    let outside = model.predict(&moons.x)?.iter().filter(|side| **side < 0).count();
    let ours = format!("{} support vectors, {outside} outliers of 100", model.support().len());
    Ok(Experiment::new(
        "000 §6.1.4",
        "One class of 100 moons, γ = 5, C = 0.02 (ν = 0.5)",
        "at least 50 support vectors, at most 50 outliers",
        ours,
    )
    .why("the notes' program climbs, and dividing by the sum is no projection: its rising loss is the error"))
}
