//! Learning from examples: 000 §1, 003 §1.4.

use gristmill::datasets::notes;
use gristmill::lecture::{CoinPosterior, Memoriser, QuantisedRegressor, RandomCircles, Shape, ShapeClassifier};
use gristmill::plot::{Figure, decision_regions};
use gristmill::prelude::*;
use gristmill::selection::iteration_curve;
use gristmill::theory::{JointTable, MarginLoss, binomial, minkowski_figure, minkowski_minimiser};

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    let (train, test) = (notes::rectangle(50, 0)?, notes::rectangle(50, 6)?);
    Ok(vec![
        data_sets()?,
        bayes_error(),
        memoriser(&train, &test)?,
        circles(&train, &test)?,
        neighbours()?,
        tail()?,
        losses()?,
        shape(&train, &test)?,
        steps()?,
        quantised()?,
        coin()?,
    ])
}

/// The data sets of the notes that this crate makes, with two of them drawn.
fn data_sets() -> Result<Experiment> {
    let (train, _) = notes::noisy_xor(200, 0)?;
    let (rectangle, moons) = (notes::rectangle(50, 0)?, notes::two_moons(0)?);
    let sizes = [
        ("rectangle", rectangle.rows()),
        ("quartic", notes::quartic(0)?.rows()),
        ("sines", notes::sines(0)?.0.rows()),
        ("outlier", notes::line_with_outlier(0)?.rows()),
        ("square wave", notes::square_wave(0)?.rows()),
        ("XOR", notes::xor(200, 0)?.rows()),
        ("noisy XOR", train.rows()),
        ("moons", moons.rows()),
        ("wide", notes::wide(0)?.rows()),
        ("PlayTennis", datasets::play_tennis()?.rows()),
    ];
    let ours: Vec<String> = sizes.iter().map(|(name, rows)| format!("{name} {rows}")).collect();
    let drawn = |data: &Dataset, title: &str| -> Result<Figure> {
        Figure::new().title(title).scatter_classes(&data.x, [0, 1], data.labels()?)
    };
    Ok(Experiment::new(
        "000 §1–6, 003, 004",
        "The data sets, by their rows",
        "drawn in programs, mostly unseeded",
        ours.join(", "),
    )
    .why("seeded here, so other points; the grid world and the text belong to models that are not in this crate")
    .figure(drawn(&rectangle, "The rectangle, 50 rows")?)
    .figure(drawn(&train, "XOR with noise of 0.7")?)
    .figure(drawn(&moons, "Two moons")?))
}

fn bayes_error() -> Experiment {
    let error = JointTable::two_dice().bayes_error();
    Experiment::new(
        "000 §1.3",
        "Bayes error of two dice, x the first, y the sum",
        "some irreducible error",
        format!("{error:.6} = 5/6"),
    )
}

fn memoriser(train: &Dataset, test: &Dataset) -> Result<Experiment> {
    let model = Memoriser::default().fit(&train.x, train.labels()?)?;
    let error = |data: &Dataset| -> Result<f64> { Ok(1.0 - model.score(&data.x, data.labels()?)?) };
    let ours = format!("training error {:.2}, on new rows {:.2}", error(train)?, error(test)?);
    Ok(Experiment::new("000 §1.3.1", "A memoriser", "E(f) = 0, pretty useless", ours))
}

fn circles(train: &Dataset, test: &Dataset) -> Result<Experiment> {
    let fit = Fit::default().validation(&test.x, test.labels()?);
    let model = RandomCircles::default().fit_with(&train.x, train.labels()?, fit)?;
    let pairs = model.train_errors().iter().copied().zip(model.validation_errors().iter().copied());
    let least = model.train_errors().iter().copied().fold(1.0, f64::min);
    let other = 1.0 - model.score(&test.x, test.labels()?)?;
    let figure =
        Figure::new().title("Both errors of 100 random circles").x_label("on 50 fitted rows").y_label("on 50 others");
    let regions =
        decision_regions(&train.x, train.labels()?, 120, |x| model.predict(x))?.title("The best of 100 circles");
    let ours = format!("least training error {least:.2}, its error on new rows {other:.2}");
    let notes = "both errors are correlated, extreme values may differ";
    Ok(Experiment::new("000 §1.3.2–1.4.1", "Random circles, the best of 100 kept", notes, ours)
        .figure(figure.scatter("", pairs).dashed("", [(0.0, 0.0), (1.0, 1.0)]))
        .figure(regions))
}

fn neighbours() -> Result<Experiment> {
    let data = notes::rectangle(100, 4)?;
    let values: Vec<serde_json::Value> = (1..30).map(serde_json::Value::from).collect();
    let knn = Pipeline::new(KNeighborsClassifier::default());
    let curve = validation_curve(&knn, &data, &Folds::shuffle(10, 0.8), "n_neighbors", &values)?;
    let best = (1..29).fold(0, |best, at| if curve.test[at].mean > curve.test[best].mean { at } else { best });
    let ours = format!("training error 0 for k = 1 only; least validation error at k = {}", best + 1);
    Ok(Experiment::new(
        "000 §1.5.3, §1.6.1",
        "k by ten random splits, k = 1…29",
        "all do 0 training error; k = 4 chosen",
        ours,
    )
    .why("0 training error holds for k = 1; in 1.5.3 the validation labels are those of other points")
    .figure(curve.figure()?.title("k nearest neighbours, ten splits")))
}

fn tail() -> Result<Experiment> {
    let at = |rows: u64| binomial::delta(rows, 0.01, 0.02);
    let curve =
        (1..=10).map(|hundreds| Ok((f64::from(hundreds) * 100.0, at(u64::from(hundreds as u32) * 100)?.log10())));
    let points = curve.collect::<Result<Vec<_>>>()?;
    let ours = format!("n = 100: {:.5}; n = 1000: {:.6}", at(100)?, at(1000)?);
    Ok(Experiment::new(
        "000 §1.6",
        "Probability of a rate of 0.01 at error 0.02",
        "0.27065 (sum from 1), 0.13262 (program)",
        ours,
    )
    .why("the sum starts at 0 errors and includes ⌊ηn⌋; the program stops one short")
    .figure(
        Figure::new()
            .title("Probability of seeing 1 % errors at 2 %")
            .x_label("rows")
            .y_label("log₁₀ probability")
            .steps("", points),
    ))
}

fn losses() -> Result<Experiment> {
    let values = [1.0, 1.0, 2.0, 4.0, 12.0];
    let at = |power: f64| minkowski_minimiser(&values, power);
    let ours = format!(
        "of 1, 1, 2, 4, 12: q = 2 {:.2} (mean), q = 1 {:.2} (median), q → 0 {:.2} (mode)",
        at(2.0)?,
        at(1.0)?,
        at(1e-3)?
    );
    Ok(Experiment::new("000 §1.7, 003 §1.1", "Losses and what they estimate", "mean, median, mode", ours)
        .figure(MarginLoss::figure())
        .figure(minkowski_figure(&[0.3, 1.0, 2.0, 10.0])))
}

fn shape(train: &Dataset, test: &Dataset) -> Result<Experiment> {
    let model = |shape: Shape| ShapeClassifier::default().shape(shape).n_init(5).fit(&train.x, train.labels()?);
    let (ellipse, rectangle) = (model(Shape::Ellipse)?, model(Shape::Rectangle)?);
    let (one, other) = (ellipse.score(&test.x, test.labels()?)?, rectangle.score(&test.x, test.labels()?)?);
    let regions = decision_regions(&train.x, train.labels()?, 120, |x| rectangle.predict(x))?;
    let ours = format!("right on new rows: ellipse {:.0} %, rectangle {:.0} %", 100.0 * one, 100.0 * other);
    Ok(Experiment::new("000 §1.7", "Ellipse and rectangle by 5000 gradient steps", "drawn, not printed", ours)
        .figure(regions.title("A rectangle by gradient steps")))
}

fn steps() -> Result<Experiment> {
    let data = notes::rectangle(100, 4)?;
    let pipeline = Pipeline::new(ShapeClassifier::default().max_iter(10_000));
    let curve = iteration_curve(&pipeline, &data, &Folds::shuffle(10, 0.8))?;
    let last = &curve.validation[curve.validation.len() - 1];
    let ours = format!(
        "least mean validation loss after {} steps; {:.4} ± {:.4} after 10,000",
        curve.best(),
        last.mean,
        last.deviation
    );
    Ok(Experiment::new("000 §1.8", "Cross-validated number of steps, ten 80/20 splits", "an exercise", ours)
        .why("the notes' fill_between takes `where` as its third argument; here the band is mean ± deviation")
        .figure(curve.figure().title("The rectangle's loss over the steps, ten splits")))
}

fn quantised() -> Result<Experiment> {
    let (train, test) = datasets::diabetes()?.split(0.7, 1)?;
    let model = QuantisedRegressor::default().fit(&train.x, train.values()?)?;
    let forest = RandomForestRegressor::new(100).fit(&train.x, train.values()?)?;
    let (ours, direct) = (model.score(&test.x, test.values()?)?, forest.score(&test.x, test.values()?)?);
    let ours = format!("R² {ours:.3} from ten intervals, {direct:.3} by regression itself (diabetes)");
    Ok(Experiment::new("000 §1.9", "Regression by quantising y and classifying", "possible", ours))
}

fn coin() -> Result<Experiment> {
    let prior = CoinPosterior::new(1.0, 1.0)?;
    let states =
        [("no flips", prior), ("3 of 4 heads", prior.flipped(3, 1)), ("30 of 40 heads", prior.flipped(30, 10))];
    let fair = CoinPosterior::probability_of_fair(0.5, 1.0, 3, 0)?;
    let ours = format!("after three heads a coin that is fair or two-headed is fair with probability {fair:.4}");
    Ok(Experiment::new("003 §1.4", "A coin: prior, likelihood, posterior", "P(fair | flips) by Bayes' rule", ours)
        .figure(CoinPosterior::figure(&states)))
}
