//! Trees and ensembles: 000 §4, 002, 004 §5.

use gristmill::plot::rounds;
use gristmill::prelude::*;
use gristmill::theory::boosting;
use gristmill::tree::Id3Classifier;

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![play_tennis()?, node(), margins()?, boosting_theorem()?, resampled()?, distinct_rows()])
}

fn entropy(shares: &[f64]) -> f64 {
    shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.log2()).sum()
}

fn play_tennis() -> Result<Experiment> {
    let days = datasets::play_tennis()?;
    let y = days.labels()?;
    let gain = |column: usize| {
        let mut groups: std::collections::BTreeMap<u32, [f64; 2]> = Default::default();
        for row in 0..days.rows() {
            groups.entry(days.x.get(row, column) as u32).or_default()[y.codes()[row] as usize] += 1.0;
        }
        let total = days.rows() as f64;
        let of = |counts: &[f64; 2]| entropy(&counts.map(|count| count / (counts[0] + counts[1])));
        let all = y.counts().iter().map(|count| *count as f64 / total).collect::<Vec<_>>();
        entropy(&all) - groups.values().map(|counts| (counts[0] + counts[1]) / total * of(counts)).sum::<f64>()
    };
    let names = days.names().unwrap_or_default();
    let gains: Vec<String> =
        (0..days.columns()).map(|column| format!("{} {:.4}", names[column], gain(column))).collect();
    let tree = Id3Classifier::default().fit(&days.x, y)?;
    let leaves = tree.to_text(&days.categories()).lines().count();
    Ok(Experiment::new(
        "004, 001 §7",
        "PlayTennis: information gain at the root",
        "the table of days",
        format!("{} ({leaves} lines of tree)", gains.join(", ")),
    )
    .why("000's program takes −p·log p of one class alone, so its gains are not entropy's"))
}

fn node() -> Experiment {
    let shares = [2.0 / 6.0, 4.0 / 6.0];
    let gini = 1.0 - shares.iter().map(|share| share * share).sum::<f64>();
    let bits = entropy(&shares);
    let ours = format!("{:.4} nats = {bits:.4} bits, Gini {gini:.4} = 4/9", bits * std::f64::consts::LN_2);
    Experiment::new("001 §7.2", "A node with 2 + and 4 −", "entropy and Gini", ours)
}

fn margins() -> Result<Experiment> {
    let (train, test) = datasets::breast_cancer()?.split(0.7, 1)?;
    let forest = RandomForestClassifier::new(100).fit(&train.x, train.labels()?)?;
    let strength = forest.strength(&test.x, test.labels()?)?;
    let bound = strength.error_bound().unwrap_or(f64::NAN);
    let ours = format!(
        "P[mg < 0] = {:.3}; strength {:.2}, correlation {:.2}: at most {bound:.2}",
        strength.error, strength.strength, strength.correlation
    );
    Ok(Experiment::new("000 §4.2.3", "Margins of a forest, and Breiman's bound (breast cancer)", "R = P[mg < 0]", ours))
}

fn boosting_theorem() -> Result<Experiment> {
    let data = datasets::breast_cancer()?;
    let model = AdaBoostClassifier::default().n_estimators(60).fit(&data.x, data.labels()?)?;
    let bound: Vec<f64> = (1..=model.estimator_errors().len())
        .map(|count| boosting::training_error(&model.estimator_errors()[..count]))
        .collect::<Result<_>>()?;
    let last = bound.len() - 1;
    let ours =
        format!("after {} rounds training error {:.4}, bound {:.4}", last + 1, model.train_errors()[last], bound[last]);
    let figure = rounds(&[("training error", model.train_errors()), ("Π 2√(ε(1 − ε))", &bound)]);
    Ok(Experiment::new("002, AdaBoost", "The training error falls exponentially", "stated", ours)
        .figure(figure.title("AdaBoost and its bound")))
}

/// AdaBoost that draws its rows by their weights, as the notes write it, and with the weights themselves.
fn resampled() -> Result<Experiment> {
    let (train, test) = datasets::breast_cancer()?.split(0.7, 1)?;
    let fit = |resample: bool| {
        AdaBoostClassifier::default().n_estimators(100).resample(resample).fit(&train.x, train.labels()?)
    };
    let (drawn, weighted) = (fit(true)?, fit(false)?);
    let (x, y) = (&test.x, test.labels()?);
    let ours = format!(
        "right on new rows: {:.3} with drawn rows, {:.3} with weights (100 rounds, breast cancer)",
        drawn.score(x, y)?,
        weighted.score(x, y)?
    );
    let figure = rounds(&[("drawn rows", drawn.train_errors()), ("weights", weighted.train_errors())]);
    Ok(Experiment::new("004, AdaBoost", "AdaBoost by resampling: S_t drawn from D_t", "the algorithm", ours)
        .why("the sum of 004 needs y_i, not y_t")
        .figure(figure.title("Training error of AdaBoost, drawn and weighted")))
}

fn distinct_rows() -> Experiment {
    let share = 1.0 - (1.0 - 1.0 / 1000.0_f64).powi(1000);
    Experiment::new(
        "004 §5.2",
        "Share of different rows in a bootstrap sample",
        "≈ 60 %",
        format!("{:.1} % of 1000; 1 − 1/e = 63.2 % of many", 100.0 * share),
    )
}
